/// The names in a group: made at first use, then kept, so that a name stays with its node.
struct NameIndex: Sendable {
  private var owners: [[UInt8]: UInt64] = [:]
  private var places: [UInt64: (name: [UInt8], place: Int)] = [:]
  /// The owners in listing order; nil where one has gone.
  private var order: [UInt64?] = []

  init(_ children: [(name: [UInt8], owner: UInt64)] = []) {
    owners.reserveCapacity(children.count)
    places.reserveCapacity(children.count)
    order.reserveCapacity(children.count)
    for child in children { insert(child.name, child.owner) }
  }

  var count: Int { owners.count }
  var isEmpty: Bool { owners.isEmpty }

  /// Names and owners in listing order.
  var entries: [(name: [UInt8], owner: UInt64)] {
    order.compactMap { owner in
      guard let owner, let place = places[owner] else { return nil }
      return (place.name, owner)
    }
  }

  func owner(of name: [UInt8]) -> UInt64? { owners[name] }
  func name(of owner: UInt64) -> [UInt8]? { places[owner]?.name }

  /// Adds a name at the end.
  ///
  /// - Precondition: neither name nor owner is there.
  mutating func insert(_ name: [UInt8], _ owner: UInt64) {
    owners[name] = owner
    places[owner] = (name, order.count)
    order.append(owner)
  }

  mutating func remove(_ owner: UInt64) {
    guard let place = places.removeValue(forKey: owner) else { return }
    owners[place.name] = nil
    order[place.place] = nil
    if order.count > 64, order.count > 2 * owners.count { compact() }
  }

  /// Gives an owner another name, in its place.
  mutating func rename(_ owner: UInt64, to name: [UInt8]) {
    guard let place = places[owner] else { return }
    owners[place.name] = nil
    owners[name] = owner
    places[owner] = (name, place.place)
  }

  private mutating func compact() {
    order = order.filter { $0 != nil }
    for (place, owner) in order.enumerated() {
      if let owner, let old = places[owner] { places[owner] = (old.name, place) }
    }
  }
}
