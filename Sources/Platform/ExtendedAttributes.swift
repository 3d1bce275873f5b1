import CPlatform

extension Files {
  /// The most bytes of one attribute's value: xattr(7).
  private static let longestAttribute = 1 << 16

  /// The value of an extended attribute of a file or folder; `nil` where it has none of that name.
  package static func attribute(_ name: String, of path: Path) throws(Errno) -> [UInt8]? {
    let file = try Descriptor.open(path)
    let number = file.number
    var value = [UInt8](repeating: 0, count: longestAttribute)
    do throws(Errno) {
      let count = try unsafe Path(name).withCString { (name) throws(Errno) in
        try systemCall {
          // SAFETY: at most `count` bytes are written into the array.
          unsafe value.withUnsafeMutableBytes {
            unsafe platform_get_attribute(number, name, $0.baseAddress, $0.count)
          }
        }
      }
      return Array(value.prefix(count))
    } catch  where error == .noData {
      return nil
    }
  }

  /// Sets an extended attribute of a file or folder to `value`, which isn't empty.
  package static func setAttribute(
    _ name: String, of path: Path, to value: [UInt8]
  ) throws(Errno) {
    let file = try Descriptor.open(path)
    let number = file.number
    try unsafe Path(name).withCString { (name) throws(Errno) in
      try systemCall {
        unsafe value.withUnsafeBytes { bytes -> CInt in
          guard let base = bytes.baseAddress else { return 0 }
          // SAFETY: `count` bytes are read from the array.
          return unsafe platform_set_attribute(number, name, base, bytes.count)
        }
      }
    }
  }
}
