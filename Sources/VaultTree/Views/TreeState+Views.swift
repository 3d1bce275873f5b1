import ByteCoding
import KDBX
import Vault

// The directories below `.kdbxfs`, and the links in them.

extension TreeState {
  /// How many of them are kept in mind.
  private static let viewContentLimit = 64

  /// What a directory holds: what was worked out before, if nothing has changed since.
  private mutating func content(of directory: ViewDirectory) -> ViewContent {
    if let content = viewContents[directory] { return content }
    let content = ViewContent(of: directory, in: vault)
    keep(content, of: directory)
    return content
  }

  mutating func keep(_ content: ViewContent, of directory: ViewDirectory) {
    if viewContents.count >= Self.viewContentLimit { viewContents = [:] }
    viewContents[directory] = content
  }

  /// Something has changed that views may show.
  mutating func forgetViewContents() {
    viewStamp += 1
    if !viewContents.isEmpty { viewContents = [:] }
  }

  // MARK: - Names

  mutating func findInView(_ name: [UInt8], _ directory: ViewDirectory) -> FoundNode? {
    switch directory {
    case .search: return found(.words(NameCoding.decoded(name)))
    case .control where name == GeneratedFile.log.name:
      return FoundNode(node: GeneratedFile.log.node, meaning: .generated(.log))
    case .generate:
      return GeneratedFile(name: name).map { FoundNode(node: $0.node, meaning: .generated($0)) }
    case .byUUID:
      guard let uuid = VaultUUID(fileName: name) else { return nil }
      // The recycle bin too, and groups: who has a number is to find what it names.
      let child = vault.findEntry(uuid).map { ChildID.entry($0) }
      return (child ?? vault.findGroup(uuid).map { .group($0) }).map { found($0, .byUUID) }
    case .byHost:
      let content = content(of: directory)
      return member(content[name] ?? content[Self.lowercased(name)])
    default: return member(content(of: directory)[name])
    }
  }

  private static func lowercased(_ name: [UInt8]) -> [UInt8] {
    name.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 0x20 : $0 }
  }

  private mutating func member(_ member: ViewContent.Member?) -> FoundNode? {
    switch member {
    case .directory(let directory): found(directory)
    case .child(let child): found(child, .inDirectory)
    case nil: nil
    }
  }

  private mutating func found(_ child: ChildID, _ link: ViewLink) -> FoundNode {
    let owner = owner(of: child)
    return FoundNode(node: Slot.link(owner, link), meaning: .link(owner, link))
  }

  mutating func found(_ directory: ViewDirectory) -> FoundNode {
    FoundNode(node: number(of: directory), meaning: .view(directory))
  }

  mutating func viewNames(_ directory: ViewDirectory) -> [ListedName] {
    if directory == .generate {
      return GeneratedFile.listed.map { ListedName(name: $0.name, node: $0.node, kind: .file) }
    }
    let link: ViewLink = directory == .byUUID ? .byUUID : .inDirectory
    let log = ListedName(name: GeneratedFile.log.name, node: GeneratedFile.log.node, kind: .file)
    let names = content(of: directory).members.map { name, member in
      switch member {
      case .directory(let directory):
        ListedName(name: name, node: number(of: directory), kind: .directory)
      case .child(let child):
        ListedName(name: name, node: found(child, link).node, kind: .symbolicLink)
      }
    }
    return directory == .control ? names + [log] : names
  }

  // MARK: - Numbers

  private mutating func number(of directory: ViewDirectory) -> NodeID {
    if let place = ViewDirectory.lasting.firstIndex(of: directory) {
      return Slot.view(UInt64(place))
    }
    if let number = viewNumbers[directory] { return number }
    let number = Slot.view(nextView)
    nextView += 1
    viewNumbers[directory] = number
    viewDirectories[number] = directory
    return number
  }

  func viewMeaning(of node: NodeID) -> NodeMeaning {
    if let file = GeneratedFile(node: node) { return .generated(file) }
    let number = node.rawValue - NodeID.firstView
    if number < UInt64(ViewDirectory.lasting.count) {
      return .view(ViewDirectory.lasting[Int(number)])
    }
    return viewDirectories[node].map { .view($0) } ?? .dead
  }

  /// The kernel knows a directory no more.
  mutating func forgetViewDirectory(_ node: NodeID) {
    guard let directory = viewDirectories.removeValue(forKey: node) else { return }
    viewNumbers[directory] = nil
    viewContents[directory] = nil
  }

  // MARK: - Attributes

  func viewAttributes(_ node: NodeID, _ directory: ViewDirectory) -> NodeAttributes {
    NodeAttributes(
      node: node, kind: .directory, permissions: 0o700, size: 0, modified: started,
      changed: started, accessed: started, unsettled: true, isView: true)
  }

  mutating func linkAttributes(
    _ node: NodeID, _ owner: UInt64, _ link: ViewLink
  ) throws(TreeError) -> NodeAttributes {
    let time = try attributes(found(owner).node, found(owner).meaning).modified
    return NodeAttributes(
      node: node, kind: .symbolicLink, permissions: 0o777,
      size: try target(of: link, to: owner).count, modified: time, changed: time, accessed: time,
      unsettled: true, isView: true)
  }

  /// Where a link leads: the path of what it means, from where the link stands.
  mutating func target(of link: ViewLink, to owner: UInt64) throws(TreeError) -> [UInt8] {
    let up = [[UInt8]](repeating: Array("..".utf8), count: link.depth).joined(separator: "/".utf8)
    let path = try path(of: owner)
    let target = path.isEmpty ? Array(up) : Array(up) + "/".utf8 + path
    guard target.count < Self.pathLimit else { throw .nameTooLong }
    return target
  }

  /// What a path may have, with the NUL behind it, for the kernel to take it from a link.
  private static let pathLimit = 4096

  /// The path of a group or entry from the root.
  mutating func path(of owner: UInt64) throws(TreeError) -> [UInt8] {
    var names: [[UInt8]] = []
    var next = owner
    while next != 0 {
      guard let parent = parent(of: next), let name = name(of: next) else { throw .noEntry }
      names.append(name)
      next = parent
    }
    return Array(names.reversed().joined(separator: "/".utf8))
  }
}

extension VaultTree {
  /// Works out what a directory below `.kdbxfs` holds, so that it needn't be done with the lock held; of
  /// no other node, at no cost.
  ///
  /// `name` is what is to be found in it.
  func prepareView(_ node: NodeID, _ name: [UInt8] = []) {
    guard node.isView else { return }
    if name == GeneratedFile.log.name, node == Slot.view(0) { prepareLog(GeneratedFile.log.node) }
    let wanted: (directory: ViewDirectory, vault: Vault, stamp: UInt64)? = locked { state in
      guard state.openness.answers, case .view(let directory) = state.viewMeaning(of: node),
        ![.control, .search, .generate].contains(directory), state.viewContents[directory] == nil
      else { return nil }
      return (directory, state.vault, state.viewStamp)
    }
    guard let wanted else { return }
    if wanted.directory == .byUUID, let uuid = VaultUUID(fileName: name) {
      // The index of all numbers is made once, and shared.
      _ = wanted.vault.findEntry(uuid)
      return
    }
    let content = ViewContent(of: wanted.directory, in: wanted.vault)
    locked { state in
      if state.viewStamp == wanted.stamp { state.keep(content, of: wanted.directory) }
    }
  }
}

extension VaultUUID {
  /// Reads 32 hex digits, also with dashes between them; nil for anything else.
  fileprivate init?(fileName name: [UInt8]) {
    let digits = name.count == 36 ? name.filter { $0 != UInt8(ascii: "-") } : name
    guard digits.count == 32, let bytes = Hex.decode(digits.span) else { return nil }
    self.init(bytes.span)
  }
}
