/// What owner numbers were given to.
///
/// An array, for they are running and none goes: a look costs no hash.
struct OwnerTable: Sendable {
  private var kinds: [OwnerKind?] = []

  subscript(owner: UInt64) -> OwnerKind? {
    get { owner < UInt64(kinds.count) ? kinds[Int(owner)] : nil }
    set { kinds.put(newValue, at: Int(owner)) }
  }

  /// How many numbers stand for something.
  var count: Int { kinds.count { $0 != nil } }

  /// Those numbers, ascending.
  var numbers: [UInt64] { kinds.indices.filter { kinds[$0] != nil }.map { UInt64($0) } }

  /// Whether one of them is given to something of which `condition` is true.
  func contains(where condition: (OwnerKind) -> Bool) -> Bool {
    kinds.contains { $0.map(condition) ?? false }
  }
}

extension Array {
  /// Puts an element at a place, behind as many empty ones as it takes to get there.
  mutating func put<Wrapped>(_ element: Wrapped?, at place: Int) where Element == Wrapped? {
    while count <= place { append(nil) }
    self[place] = element
  }
}
