extension [[UInt8]] {
  /// In the order of their bytes.
  ///
  /// One function, which every caller uses: each closure that an array is sorted by makes a sort of its
  /// own in the program.
  package func sortedByBytes() -> [[UInt8]] { placesByBytes().map { self[$0] } }

  /// The places in the order of the bytes that stand there; equal ones stay in order.
  package func placesByBytes() -> [Int] {
    indices.sorted { left, right in
      self[left] == self[right]
        ? left < right : self[left].lexicographicallyPrecedes(self[right])
    }
  }
}
