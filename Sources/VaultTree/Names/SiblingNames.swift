import KDBX
import Vault

/// Tells the groups and entries of one group apart (`docs/tree.md`, rules 2 to 4).
enum SiblingNames {
  /// What is shown for a title that is empty, before the suffix.
  static let untitled = Array("untitled".utf8)

  /// The names of all children of a group, in their order.
  static func names(for children: [Vault.Child], in place: NamePlace) -> [[UInt8]] {
    let wishes = children.map { Wish($0, in: place) }
    // The first of each name keeps it, before anyone takes a suffix.
    var keepers: [[UInt8]: Int] = [:]
    for i in children.indices where !wishes[i].needsSuffix {
      guard let other = keepers[wishes[i].base] else {
        keepers[wishes[i].base] = i
        continue
      }
      if isEarlier(children, i, other) { keepers[wishes[i].base] = i }
    }
    var names = wishes.map(\.base)
    guard keepers.count < children.count else { return names }
    var taken = Set(keepers.keys)
    let others = children.indices
      .filter { wishes[$0].needsSuffix || keepers[wishes[$0].base] != $0 }
      .sorted { isEarlier(children, $0, $1) }
    for i in others {
      names[i] = suffixed(wishes[i].base, children[i].uuid) { taken.contains($0) }
      taken.insert(names[i])
    }
    return names
  }

  /// The name of a newcomer, who moves no one.
  static func name(
    for child: Vault.Child, in place: NamePlace, isTaken: ([UInt8]) -> Bool
  ) -> [UInt8] {
    let wish = Wish(child, in: place)
    if !wish.needsSuffix, !isTaken(wish.base) { return wish.base }
    return suffixed(wish.base, child.uuid, isTaken: isTaken)
  }

  /// All names that the rules may have given, the likeliest first; but for siblings of one UUID.
  static func wishes(for child: Vault.Child, in place: NamePlace) -> [[UInt8]] {
    let wish = Wish(child, in: place)
    let digits = child.uuid.hex(uppercase: false)
    let suffixed = (8...digits.count).map {
      joined(wish.base, Array(" ~".utf8) + digits.prefix($0))
    }
    return (wish.needsSuffix ? [] : [wish.base]) + suffixed
  }

  /// What a title would be shown as if it were alone.
  private struct Wish {
    let base: [UInt8]
    let needsSuffix: Bool

    init(_ child: Vault.Child, in place: NamePlace) {
      base = child.name.isEmpty ? untitled : NameCoding.encoded(child.name, in: place)
      needsSuffix = child.name.isEmpty || base.count > NameCoding.limit
    }
  }

  /// Created before; no time counts as earliest, then the lower UUID, then the place in the file.
  private static func isEarlier(_ children: [Vault.Child], _ left: Int, _ right: Int) -> Bool {
    let (a, b) = (children[left], children[right])
    let (first, second) = (a.created?.unixSeconds ?? .min, b.created?.unixSeconds ?? .min)
    if first != second { return first < second }
    return a.uuid != b.uuid ? a.uuid < b.uuid : left < right
  }

  /// `base`, cut to leave room, and ` ~` with as many hex digits of the UUID as it takes.
  private static func suffixed(
    _ base: [UInt8], _ uuid: VaultUUID, isTaken: ([UInt8]) -> Bool
  ) -> [UInt8] {
    let digits = uuid.hex(uppercase: false)
    for count in 8...digits.count {
      let name = joined(base, Array(" ~".utf8) + digits.prefix(count))
      if !isTaken(name) { return name }
    }
    // A fault in the file: siblings of one UUID.
    var number = 2
    while true {
      let name = joined(base, Array(" ~".utf8) + digits + Array("-\(number)".utf8))
      if !isTaken(name) { return name }
      number += 1
    }
  }

  private static func joined(_ base: [UInt8], _ suffix: [UInt8]) -> [UInt8] {
    NameCoding.cut(base, to: NameCoding.limit - suffix.count) + suffix
  }
}
