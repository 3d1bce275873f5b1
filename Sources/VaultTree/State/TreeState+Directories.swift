import KDBX
import Vault

// `mkdir`.

extension TreeState {
  mutating func makeDirectory(
    _ name: [UInt8], in directory: NodeMeaning
  ) throws(TreeError) -> FoundNode {
    try checkWritable()
    switch directory {
    case .folder(let owner): return try makeFolder(name, in: owner)
    case .entry(let owner):
      guard name == ReservedName.attachments else {
        throw try find(name, in: directory) == nil ? .notPermitted : .exists
      }
      return try makeAttachments(owner)
    case .item(_, let key) where key.isReadOnly: throw .readOnlyFile
    case .item(_, .attachments):
      throw try find(name, in: directory) == nil ? .notPermitted : .exists
    case .view: throw try find(name, in: directory) == nil ? .readOnlyFile : .exists
    case .item, .groupNotes, .scratch, .link, .generated: throw .notDirectory
    case .dead: throw .noEntry
    }
  }

  private mutating func makeFolder(
    _ name: [UInt8], in parent: UInt64
  ) throws(TreeError) -> FoundNode {
    guard try find(name, in: .folder(parent)) == nil else { throw .exists }
    if parent == 0, ReservedName.isRefusedAtTop(name) { throw .notPermitted }
    _ = try Self.decodedName(name, in: place(of: parent))
    // `attachments` decides nothing by itself: rsync makes it before any file.
    if !(name == ReservedName.attachments && isUndecided(parent)) {
      let group = try decideGroup(parent)
      guard vault.document.canMove(nil, to: group) else { throw .invalid }
    }
    makeIndex(parent)
    let owner = newOwner(.undecided)
    folders[owner] = FolderNode(parent: parent, index: NameIndex(), made: now())
    insertName(name, owner, inFolder: parent)
    folders[parent]?.removed = []
    return found(owner)
  }

  private mutating func makeAttachments(_ owner: UInt64) throws(TreeError) -> FoundNode {
    guard try !isShown(.attachments, owner) else { throw .exists }
    try touch(owner)
    if isReachableGhost(.attachments, owner) { try retireNumber(of: .attachments, owner) }
    entries[owner]?.overlays[.attachments] = nil
    entries[owner]?.hasMadeAttachments = true
    return FoundNode(
      node: try number(of: .attachments, owner), meaning: .item(owner, .attachments))
  }
}
