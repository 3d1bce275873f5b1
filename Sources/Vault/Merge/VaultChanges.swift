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
  package func changes(since earlier: Document) -> [VaultChange] {
    var changes: [VaultChange] = []
    var known: Set<ChildID> = []
    let counterparts = counterparts(in: earlier)
    document.forEachNode { child in
      guard let old = counterparts(child) else {
        changes.append(change(.added, child))
        return
      }
      known.insert(old)
      if document.parent(of: child).flatMap({ counterparts(.group($0)) })
        != earlier.parent(of: old).map({ .group($0) })
      {
        changes.append(change(.moved, child, from: Self.path(of: old, in: earlier)))
      }
      let parts = changedParts(child, old, of: earlier)
      if !parts.isEmpty { changes.append(change(.changed, child, parts: parts)) }
    }
    earlier.forEachNode { child in
      guard !known.contains(child) else { return }
      changes.append(
        VaultChange(
          kind: .removed, child: child, path: Self.path(of: child, in: earlier), oldPath: [],
          parts: []))
    }
    return changes.filter { $0.isGroup } + changes.filter { !$0.isGroup }
  }

  /// What finds the group or entry of an earlier state that one of this is.
  private func counterparts(in earlier: Document) -> (ChildID) -> ChildID? {
    if document.isOfOneSource(with: earlier) {
      // The numbers mean the same, whatever was done to a UUID.
      var known: Set<ChildID> = [.group(earlier.root)]
      earlier.forEachNode { known.insert($0) }
      return { known.contains($0) ? $0 : nil }
    }
    let pairs = Pairing(document, earlier)
    return { child in
      switch child {
      case .group(let id): pairs[id].map { .group($0) }
      case .entry(let id): pairs[id].map { .entry($0) }
      }
    }
  }

  private func change(
    _ kind: VaultChange.Kind, _ child: ChildID, from oldPath: [[UInt8]] = [], parts: [String] = []
  ) -> VaultChange {
    VaultChange(
      kind: kind, child: child, path: Self.path(of: child, in: document), oldPath: oldPath,
      parts: parts)
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

  private func changedParts(
    _ child: ChildID, _ old: ChildID, of earlier: Document
  ) -> [String] {
    switch (child, old) {
    case (.group(let id), .group(let oldID)):
      return Self.differing(
        ElementParts(earlier.group(oldID), in: earlier),
        ElementParts(document.group(id), in: document))
    case (.entry(let id), .entry(let oldID)):
      let (old, new) = (earlier.entry(oldID), document.entry(id))
      var parts = Self.differing(
        ElementParts(old, in: earlier), ElementParts(new, in: document))
      parts += Self.protectionChanges(old, new).filter { !parts.contains($0) }
      let times = (
        old.history.map(\.times.lastModification), new.history.map(\.times.lastModification)
      )
      return times.0 == times.1 ? parts : parts + [".history"]
    default: return []
    }
  }

  /// The fields that are protected in one state and not in the other.
  private static func protectionChanges(_ old: Entry, _ new: Entry) -> [String] {
    new.strings.compactMap { field in
      guard let before = old.string(field.key), before.isProtected != field.isProtected else {
        return nil
      }
      return ElementPart.string(field.key).title
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
