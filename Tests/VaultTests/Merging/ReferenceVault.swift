import KDBX
import Vault

/// A vault as plain dictionaries: what the reference merge works on, and random edits are made to.
struct ReferenceVault: Equatable {
  /// By number, which gives the UUID; the root group is 1 and not among them.
  var groups: [Int: ReferenceGroup] = [:]
  var entries: [Int: ReferenceEntry] = [:]
  /// When what was deleted, by number.
  var deleted: [Int: Int] = [:]
  /// The vault's own properties, by part.
  var meta: [String: String] = [:]
  /// When units of them were changed.
  var metaTimes: [String: Int] = [:]

  static let root = 1
  static let bin = 9

  func isInBin(group number: Int) -> Bool {
    var next = number
    while next != Self.root {
      if next == Self.bin { return true }
      guard let group = groups[next] else { return false }
      next = group.place.parent
    }
    return false
  }

  /// The groups, outer before inner, as the file has them.
  var groupsInOrder: [Int] {
    func below(_ parent: Int) -> [Int] {
      groups.keys.sorted().filter { groups[$0]?.place.parent == parent }.flatMap {
        [$0] + below($0)
      }
    }
    return below(Self.root)
  }
}

/// Where something lies, and since when.
struct ReferencePlace: Equatable {
  var parent: Int
  var changed: Int
}

struct ReferenceGroup: Equatable {
  /// `e:` and the name of an element, `c:` and the key of an item of custom data, `icon`, `expiry`.
  var parts: [String: String]
  var modified: Int
  var place: ReferencePlace
}

/// A state of an entry.
struct ReferenceState: Equatable {
  /// As of a group, and `f:` and the key of a field, `a:` and the name of an attachment.
  var parts: [String: String]
  var modified: Int
}

struct ReferenceEntry: Equatable {
  var state: ReferenceState
  var accessed: Int
  var uses: Int
  var place: ReferencePlace
  var history: [ReferenceState] = []
}
