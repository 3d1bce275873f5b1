import Platform
import VaultTree

/// `kdbxfs mv`: moves or renames an entry or a group.
enum MoveCommand {
  static func run(
    _ word: [UInt8], _ targetWord: [UInt8], _ settings: Settings
  ) throws(Complaint) {
    let (vault, paths) = try VaultFinder.addresses([word, targetWord], settings)
    let access = try vault.open(for: .writing, settings)
    let (path, target) = (paths[0], paths[1])
    guard try access.kind(of: path) == .directory, !path.isEmpty else {
      throw Complaint(.noEntry, path)
    }
    guard path != target else { return }
    var place = target
    if try access.kind(of: target) == .directory {
      guard try !access.isEntry(target) else { throw Complaint(.exists, target) }
      place = target.appending(path.lastComponent)
      guard place != path else { return }
    }
    guard try access.kind(of: place) == nil else { throw Complaint(.exists, place) }
    try access.rename(path, to: place)
    try access.finish()
  }
}
