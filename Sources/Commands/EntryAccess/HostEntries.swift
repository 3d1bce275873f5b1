import ByteCoding
import Platform
import Secrets
import Vault
import VaultTree

extension EntryAccess {
  /// The hosts of URLs in the vault, as it spells them, with the directories that have links to their
  /// entries; sorted.
  func hosts() throws(Complaint) -> [(name: [UInt8], directory: Path)] {
    let all: Path = ".kdbxfs/by-host"
    let hosts = try names(in: all).map { (NameCoding.decoded($0), all.appending($0)) }
    return hosts.map(\.0).placesByBytes().map { hosts[$0] }
  }

  /// Where the links in a directory lead.
  func targets(in directory: Path) throws(Complaint) -> [Path] {
    var targets: [Path] = []
    for link in try names(in: directory) {
      targets.append(try target(of: directory.appending(link)))
    }
    return targets
  }

  /// The entries whose URL has just this host, whoever spells it how.
  func entries(on host: HostName) throws(Complaint) -> [Path] {
    var found: [Path] = []
    for (name, directory) in try hosts() where HostName(name) == host {
      found += try targets(in: directory)
    }
    return found
  }

  /// What a field of an entry holds that is no secret; empty where it isn't there.
  func text(_ field: String, of entry: Path) throws(Complaint) -> [UInt8] {
    let file = entry.appending(field)
    guard try kind(of: file) == .file else { return [] }
    let value = try read(file)
    return value.bytes.copied()
  }
}
