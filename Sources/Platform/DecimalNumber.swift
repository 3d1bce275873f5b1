extension FixedWidthInteger {
  /// A number as the kernel's and our own files write it: decimal digits, a sign before them at most.
  ///
  /// `nil` where `text` is anything else, or beyond this type.
  package init?(decimal text: some Sequence<UInt8>) {
    guard let number = Int64(String(decoding: Array(text), as: UTF8.self)) else { return nil }
    self.init(exactly: number)
  }
}
