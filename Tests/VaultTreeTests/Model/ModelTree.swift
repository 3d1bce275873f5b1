@testable import VaultTree

/// What the rules of `docs/editing.md` make of a tree.
///
/// Nodes are values in dictionaries by name; a path is a list of names.
struct ModelTree {
  indirect enum Node {
    /// `wasUndecided`: a save made it of a directory that nothing had decided.
    case group([String: Node], wasUndecided: Bool)
    case undecided([String: Node])
    case entry(ModelEntry)
  }

  static let bin = "Recycle Bin"

  var root: [String: Node] = [:]
  /// What came into the recycle bin, with its title.
  var removed: [(title: String, node: Node)] = []

  // MARK: - Nodes

  subscript(path: [String]) -> Node? {
    get {
      var node = Node.group(root, wasUndecided: false)
      for name in path {
        guard let next = node.children[name] else { return nil }
        node = next
      }
      return node
    }
    set { Self.set(newValue, at: path[...], in: &root) }
  }

  private static func set(
    _ node: Node?, at path: ArraySlice<String>, in children: inout [String: Node]
  ) {
    guard let name = path.first else { return }
    if path.count == 1 {
      children[name] = node
    } else if var inner = children[name] {
      var below = inner.children
      set(node, at: path.dropFirst(), in: &below)
      inner.children = below
      children[name] = inner
    }
  }

  func entry(_ path: [String]) -> ModelEntry? {
    if case .entry(let entry) = self[path] { entry } else { nil }
  }

  mutating func change(_ path: [String], _ body: (inout ModelEntry) -> Void) {
    guard var entry = entry(path) else { return }
    body(&entry)
    self[path] = .entry(entry)
  }

  /// The paths of all directories that `isWanted`, in an order that doesn't change.
  func paths(_ isWanted: (Node) -> Bool) -> [[String]] {
    var found: [[String]] = []
    func walk(_ children: [String: Node], _ path: [String]) {
      for (name, node) in children.sorted(by: { $0.key < $1.key }) {
        if isWanted(node) { found.append(path + [name]) }
        walk(node.children, path + [name])
      }
    }
    walk(root, [])
    return found
  }

  // MARK: - Deciding

  /// Makes a directory, and all that it lies in, a group for good.
  mutating func decideGroup(_ path: [String]) {
    for count in path.indices.map({ $0 + 1 }) {
      let path = Array(path.prefix(count))
      switch self[path] {
      case .undecided(let children): self[path] = .group(children, wasUndecided: false)
      case .group(let children, _): self[path] = .group(children, wasUndecided: false)
      default: break
      }
    }
  }

  /// Makes a directory that nothing has decided an entry.
  mutating func decideEntry(_ path: [String]) {
    decideGroup(path.dropLast())
    guard let node = self[path] else { return }
    var entry = ModelEntry()
    entry.hasMadeAttachments = node.children["attachments"] != nil
    self[path] = .entry(entry)
  }

  /// Whether the first file in a directory makes it an entry.
  func canBecomeEntry(_ path: [String]) -> Bool {
    guard !path.isEmpty, let node = self[path], node.isUndecided else { return false }
    return node.children.allSatisfy { $0.key == "attachments" && $0.value.isUndecided }
  }

  // MARK: - Removing

  /// `rm -r`: what there is goes to the bin as it was.
  mutating func remove(_ path: [String]) {
    guard let title = path.last, let node = self[path] else { return }
    self[path] = nil
    switch node {
    case .undecided: break
    case .group, .entry: removed.append((title, node.withoutUndecided))
    }
  }

  // MARK: - Saving

  /// What a save makes of it; `succeeded` says whether it did.
  mutating func save(_ reason: SaveReason, at now: Int64, succeeded: Bool) {
    func saved(_ children: [String: Node]) -> [String: Node] {
      var result: [String: Node] = [:]
      for (name, node) in children {
        switch node {
        case .group(let inner, let wasUndecided):
          result[name] = .group(saved(inner), wasUndecided: wasUndecided)
        case .undecided(let inner):
          result[name] =
            reason.storesAll ? .group(saved(inner), wasUndecided: true) : .undecided(inner)
        case .entry(var entry):
          entry.save(title: name, reason, at: now, succeeded: succeeded)
          result[name] = .entry(entry)
        }
      }
      return result
    }
    root = saved(root)
    for i in removed.indices {
      removed[i].node =
        saved([removed[i].title: removed[i].node])[removed[i].title] ?? removed[i].node
    }
  }

  /// The tree as the next mount shows it, or the next unlock, which knows what nothing had decided.
  func remounted(byUnlocking isUnlock: Bool = false) -> ModelTree {
    func again(_ children: [String: Node]) -> [String: Node] {
      var result: [String: Node] = [:]
      for (name, node) in children {
        switch node {
        case .group(let inner, let wasUndecided):
          result[name] = .group(again(inner), wasUndecided: isUnlock && wasUndecided)
        case .undecided(let inner): result[name] = .group(again(inner), wasUndecided: false)
        case .entry(let entry): result[name] = .entry(entry.remounted(title: name))
        }
      }
      return result
    }
    var tree = ModelTree()
    tree.root = again(root)
    tree.removed = removed.map { ($0.title, again([$0.title: $0.node])[$0.title] ?? $0.node) }
    return tree
  }
}

extension ModelTree.Node {
  var children: [String: ModelTree.Node] {
    get {
      switch self {
      case .group(let children, _), .undecided(let children): children
      case .entry: [:]
      }
    }
    set {
      switch self {
      case .group(_, let wasUndecided): self = .group(newValue, wasUndecided: wasUndecided)
      case .undecided: self = .undecided(newValue)
      case .entry: break
      }
    }
  }

  var isUndecided: Bool {
    switch self {
    case .undecided: true
    case .group(_, let wasUndecided): wasUndecided
    case .entry: false
    }
  }

  var isEntry: Bool { if case .entry = self { true } else { false } }

  /// What of it goes to the bin.
  var withoutUndecided: ModelTree.Node {
    switch self {
    case .undecided: return self
    case .entry(let entry): return .entry(entry.asItWas)
    case .group(let children, let wasUndecided):
      var kept: [String: ModelTree.Node] = [:]
      for (name, node) in children {
        if case .undecided = node { continue }
        kept[name] = node.withoutUndecided
      }
      return .group(kept, wasUndecided: wasUndecided)
    }
  }
}

extension ModelEntry {
  /// What a save makes of it.
  mutating func save(title: String, _ reason: SaveReason, at now: Int64, succeeded: Bool) {
    stored = Set((Array(fields.keys) + kept.keys).filter { !Self.isStandard($0) })
    let content = content(title: title)
    if let saved, saved != content {
      let isRecent = lastItem.map { now - $0 < 60_000_000_000 } ?? false
      if reason.storesAll || wasAskedFor || !isRecent { hasPendingItem = true }
    } else if saved == content {
      hasPendingItem = false
    }
    guard succeeded else { return }
    if saved != nil, saved != content { wasAskedFor = reason.storesAll }
    if saved != nil, hasPendingItem {
      historyCount += 1
      lastItem = now
    }
    hasPendingItem = false
    saved = content
  }
}
