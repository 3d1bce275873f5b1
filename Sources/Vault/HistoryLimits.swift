import KDBX

/// How much history an entry keeps (`docs/kdbx.md` 6.2).
struct HistoryLimits: Hashable {
  /// The most items; nil for any number.
  var maxItems: Int?
  /// The most bytes; nil for any number.
  var maxSize: Int64?

  init(maxItems: Int?, maxSize: Int64?) {
    self.maxItems = maxItems
    self.maxSize = maxSize
  }

  /// The limits of a vault; an absent or unreadable one, and a negative one, limit nothing.
  init(_ meta: Meta) {
    self.init(
      maxItems: meta.historyMaxItems.flatMap { $0 < 0 ? nil : $0 },
      maxSize: meta.historyMaxSize.flatMap { $0 < 0 ? nil : $0 })
  }

  var areOpen: Bool { maxItems == nil && maxSize == nil }

  /// Which items go, in ascending order.
  ///
  /// The oldest first, as KeePass does: by time, then by place. An item without a time is as old as
  /// the one before it. The item at `keptLongest` goes last, those at `spared` stay in any case.
  func dropped(
    times: [VaultTime?], sizes: [Int64], keptLongest: Int?, spared: Set<Int> = []
  ) -> [Int] {
    var known = VaultTime.earliest
    let filled = times.map { time in
      known = time ?? known
      return known
    }
    var order = filled.indices.sorted { (filled[$0], $0) < (filled[$1], $1) }
    if let keptLongest, let place = order.firstIndex(of: keptLongest) {
      order.remove(at: place)
      order.append(keptLongest)
    }
    var count = times.count
    var total = sizes.reduce(Int64(0)) { $0.addingReportingOverflow($1).partialValue }
    var dropped: [Int] = []
    for i in order where !spared.contains(i) {
      let isTooMany = maxItems.map { count > $0 } ?? false
      let isTooMuch = maxSize.map { total > $0 } ?? false
      guard isTooMany || isTooMuch else { break }
      dropped.append(i)
      count -= 1
      total -= sizes[i]
    }
    return dropped.sorted()
  }
}
