import KDBX

/// What of one document is what of another: by UUID, and of several with one UUID by their order.
struct Pairing {
  private var groups: [GroupID: GroupID] = [:]
  private var entries: [EntryID: EntryID] = [:]

  /// Pairs what is in `left` with what is in `right`; the root groups are one another's.
  init(_ left: Document, _ right: Document) {
    let (mine, theirs) = (UUIDIndex(of: left, withZero: true), UUIDIndex(of: right, withZero: true))
    for (uuid, ids) in mine.groups {
      for (a, b) in zip(ids, theirs.groups[uuid] ?? []) { groups[a] = b }
    }
    for (uuid, ids) in mine.entries {
      for (a, b) in zip(ids, theirs.entries[uuid] ?? []) { entries[a] = b }
    }
    for (a, b) in groups where b == right.root { groups[a] = nil }
    groups[left.root] = right.root
  }

  subscript(_ group: GroupID) -> GroupID? { groups[group] }
  subscript(_ entry: EntryID) -> EntryID? { entries[entry] }
}
