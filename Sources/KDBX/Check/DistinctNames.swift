/// Tells things of one name apart (`docs/tree.md`, rule 5).
package enum DistinctNames {
  /// The names under which they can be told apart, in their order.
  ///
  /// The last keeps its name, as it is the one that KeePass shows; the others get ` (2)`, ` (3)` ….
  package static func of(_ names: [[UInt8]]) -> [[UInt8]] {
    var last: [[UInt8]: Int] = [:]
    for i in names.indices { last[names[i]] = i }
    guard last.count < names.count else { return names }
    var result = names
    var taken = Set(last.keys)
    for i in names.indices where last[names[i]] != i {
      var number = 2
      var candidate = numbered(names[i], number)
      while !taken.insert(candidate).inserted {
        number += 1
        candidate = numbered(names[i], number)
      }
      result[i] = candidate
    }
    return result
  }

  /// `name (2)`.
  package static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
    name + Array(" (\(number))".utf8)
  }
}
