import KDBX
import Vault

/// A directory below `.kdbxfs`: the vault seen from another side.
///
/// They are made when they are looked at, and can't be changed.
enum ViewDirectory: Hashable, Sendable {
  /// `.kdbxfs` itself.
  case control
  case byUUID, byTag, byHost, search
  /// Files that make passwords.
  case generate
  /// The entries with a tag.
  case tag([UInt8])
  /// The entries whose URL has a host, in small letters.
  case host([UInt8])
  /// The entries that hold some words.
  case words([UInt8])

  /// What is in ``control``, under its names.
  static let inControl: [(name: [UInt8], directory: ViewDirectory)] = [
    (Array("by-uuid".utf8), .byUUID), (Array("by-tag".utf8), .byTag),
    (Array("by-host".utf8), .byHost), (Array("search".utf8), .search),
    (Array("generate".utf8), .generate),
  ]

  /// Those that are always there; the place is their number.
  static let lasting: [ViewDirectory] = [.control] + inControl.map(\.directory)
}

/// Where a link to a group or entry stands, which decides how far up it leads.
enum ViewLink: Hashable, Sendable {
  /// In `by-uuid`.
  case byUUID
  /// In a directory of a tag, a host or of words.
  case inDirectory

  /// The directories between the link and the root.
  var depth: Int {
    switch self {
    case .byUUID: 2
    case .inDirectory: 3
    }
  }
}

/// What is in a view, worked out from a state of the vault.
struct ViewContent: Sendable {
  enum Member: Sendable {
    case directory(ViewDirectory)
    case child(ChildID)
  }

  /// Names and members in listing order.
  let members: [(name: [UInt8], member: Member)]
  private let places: [[UInt8]: Int]

  /// Works it out; takes as long as the vault is large, so not with the tree's lock held.
  init(of directory: ViewDirectory, in vault: Vault) {
    switch directory {
    case .control:
      self.init(ViewDirectory.inControl.map { ($0.name, .directory($0.directory)) })
    case .search, .generate: self.init([])
    case .byTag: self.init(directories: vault.tags) { .tag($0) }
    case .byHost: self.init(directories: vault.hosts) { .host($0) }
    case .byUUID:
      let entries = vault.entriesOutsideBin.map { vault.child(for: .entry($0)) }
      self.init(
        entries.filter { !$0.uuid.isZero }.map {
          ($0.uuid.hex(uppercase: false), .child($0.id))
        })
    case .tag(let tag): self.init(entries: vault.entries(tagged: tag), vault)
    case .host(let host): self.init(entries: vault.entries(onHost: host), vault)
    case .words(let words): self.init(entries: vault.entries(matching: words), vault)
    }
  }

  /// Of several members with one name the first keeps it, and the others aren't shown.
  private init(_ members: [(name: [UInt8], member: Member)]) {
    var places: [[UInt8]: Int] = [:]
    places.reserveCapacity(members.count)
    var shown: [(name: [UInt8], member: Member)] = []
    shown.reserveCapacity(members.count)
    for member in members where places[member.name] == nil {
      places[member.name] = shown.count
      shown.append(member)
    }
    self.members = shown
    self.places = places
  }

  private init(directories names: [[UInt8]], _ directory: ([UInt8]) -> ViewDirectory) {
    var taken: Set<[UInt8]> = []
    self.init(
      names.map { name in
        let fileName = FieldNames.fileName(of: name, in: .group) { taken.contains($0) }
        taken.insert(fileName)
        return (fileName, .directory(directory(name)))
      })
  }

  private init(entries: [EntryID], _ vault: Vault) {
    let children = entries.map { vault.child(for: .entry($0)) }
    let names = SiblingNames.names(for: children, in: .group)
    self.init(zip(names, children).map { ($0, .child($1.id)) })
  }

  subscript(name: [UInt8]) -> Member? { places[name].map { members[$0].member } }
}
