extension [[UInt8]] {
  /// In the order of their bytes.
  ///
  /// One function, which every caller uses: each closure that an array is sorted by makes a sort of its
  /// own in the program.
  package func sortedByBytes() -> [[UInt8]] { sorted { $0.lexicographicallyPrecedes($1) } }
}
