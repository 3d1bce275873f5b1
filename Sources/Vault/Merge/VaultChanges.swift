package import KDBX

/// One difference between two states of a vault: which, never what.
package struct VaultChange: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case added, changed, moved, removed
  }

  package let kind: Kind
  package let child: ChildID
  /// The names from the root to it: where it is now, for what was removed where it was.
  package let path: [[UInt8]]
  /// Where it was, for what was moved.
  package let oldPath: [[UInt8]]
  /// What of it differs, for what was changed, by name.
  package let parts: [String]
}

extension Vault {
  /// What differs between an earlier state of this vault and this one, groups first.
  ///
  /// The earlier state is one that this value came from: numbers of groups and entries mean the same.
  package func changes(since earlier: Document) -> [VaultChange] {
    var changes: [VaultChange] = []
    var before: [ChildID] = []
    earlier.forEachNode { before.append($0) }
    var after: [ChildID] = []
    document.forEachNode { after.append($0) }
    let old = Set(before)
    let new = Set(after)
    for child in after {
      guard old.contains(child) else {
        changes.append(change(.added, child))
        continue
      }
      if document.parent(of: child) != earlier.parent(of: child) {
        changes.append(change(.moved, child, from: earlier))
      }
      let parts = changedParts(child, since: earlier)
      if !parts.isEmpty { changes.append(change(.changed, child, parts: parts)) }
    }
    for child in before where !new.contains(child) {
      changes.append(
        VaultChange(
          kind: .removed, child: child, path: Self.path(of: child, in: earlier), oldPath: [],
          parts: []))
    }
    return changes.filter { $0.isGroup } + changes.filter { !$0.isGroup }
  }

  private func change(
    _ kind: VaultChange.Kind, _ child: ChildID, from earlier: Document? = nil, parts: [String] = []
  ) -> VaultChange {
    VaultChange(
      kind: kind, child: child, path: Self.path(of: child, in: document),
      oldPath: earlier.map { Self.path(of: child, in: $0) } ?? [], parts: parts)
  }

  /// The names from the root, which has none, to a group or an entry.
  package static func path(of child: ChildID, in document: Document) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var next: ChildID? = child
    while let current = next, current != .group(document.root) {
      names.append(document.summary(of: current).name)
      next = document.parent(of: current).map { .group($0) }
    }
    return names.reversed()
  }

  // MARK: - Parts

  private func changedParts(_ child: ChildID, since earlier: Document) -> [String] {
    switch child {
    case .group(let id):
      return Self.differing(
        ElementParts(earlier.group(id), in: earlier), ElementParts(document.group(id), in: document)
      )
    case .entry(let id):
      let (old, new) = (earlier.entry(id), document.entry(id))
      let parts = Self.differing(
        ElementParts(old, in: earlier), ElementParts(new, in: document))
      let times = (
        old.history.map(\.times.lastModification), new.history.map(\.times.lastModification)
      )
      return times.0 == times.1 ? parts : parts + [".history"]
    }
  }

  private static func differing(_ old: ElementParts, _ new: ElementParts) -> [String] {
    new.parts(with: old).filter { !new.isSame($0, as: old) }.map(\.title)
  }
}

extension VaultChange {
  package var isGroup: Bool {
    if case .group = child { true } else { false }
  }
}

extension ElementPart {
  /// What a person calls it: the file of the tree where it is one.
  package var title: String {
    switch self {
    case .string(let key):
      switch key {
      case FieldKey.title: "title"
      case FieldKey.userName: "username"
      case FieldKey.password: "password"
      case FieldKey.url: "url"
      case FieldKey.notes: "notes"
      default: String(decoding: key, as: UTF8.self)
      }
    case .attachment(let name): "attachments/" + String(decoding: name, as: UTF8.self)
    case .icon: "icon"
    case .expiry: "expires"
    case .element(let name): String(decoding: name, as: UTF8.self).lowercased()
    case .item(.customData, let key):
      "custom data '\(String(decoding: key, as: UTF8.self))'"
    case .item(.customIcons, _): "custom icon"
    }
  }
}
