import Platform
import PublicSuffixes
import Session
import Vault
import VaultTree

/// `kdbxfs match`: prints the entries for a site.
///
/// Those of the same host come first, then those of other hosts of its registrable domain. A host that may
/// be taken for one of the vault's is warned of.
enum MatchCommand {
  static func run(_ address: [UInt8], _ settings: Settings) throws(Complaint) {
    guard let host = HostName(ofAddress: address) else {
      throw .usage("'\(Path(address))' names no host", hint: "write a host, or a whole URL")
    }
    let access = try VaultFinder.vault(settings).open(for: .reading, settings)
    let hasSuffixes = PublicSuffixes.load()
    if !hasSuffixes, !settings.isQuiet {
      warn("libpsl isn't there: only whole host names are compared")
    }
    var files: [[UInt8]: [UInt8]] = [:]
    for file in try access.names(in: hosts) { files[NameCoding.decoded(file)] = file }
    let names = files.keys.sorted { $0.lexicographicallyPrecedes($1) }
    let match = SiteMatch(of: host, among: names) { name in
      PublicSuffixes.registrableDomain(of: name)
    }
    var found: [JSONObject] = []
    for (names, kind) in [(match.same, "host"), (match.related, "domain")] {
      for name in names {
        guard let file = files[name] else { continue }
        found += try entries(in: hosts.appending(file), on: name, by: kind, access)
      }
    }
    if !settings.isQuiet {
      for other in match.lookalikes {
        warn("'\(Path(host.bytes))' looks like '\(Path(other))', but is another site")
      }
    }
    try FoundEntries.write(found, asJSON: settings.printsJSON)
    guard !found.isEmpty else {
      throw Complaint("no entry is for '\(Path(host.bytes))'", exitCode: .nothingFound)
    }
  }

  private static let hosts: Path = ".kdbxfs/by-host"

  private static func warn(_ text: String) {
    StandardStream.error.say("kdbxfs: warning: \(text)")
  }

  /// The entries whose links stand in a directory of `by-host`.
  private static func entries(
    in directory: Path, on host: [UInt8], by kind: String, _ access: any EntryAccess
  ) throws(Complaint) -> [JSONObject] {
    var found: [JSONObject] = []
    for link in try access.names(in: directory) {
      let path = try access.target(of: directory.appending(link))
      found.append([
        "path": .string(String(decoding: path.bytes, as: UTF8.self)),
        "host": .string(String(decoding: host, as: UTF8.self)), "by": .string(kind),
      ])
    }
    return found
  }
}
