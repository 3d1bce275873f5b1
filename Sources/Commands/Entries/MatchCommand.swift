import Platform
import PublicSuffixes
import Session
import Vault

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
    let hosts = try access.hosts()
    let match = SiteMatch(of: host, among: hosts.map(\.name)) { name in
      PublicSuffixes.registrableDomain(of: name)
    }
    var found: [JSONObject] = []
    for (names, kind) in [(match.same, "host"), (match.related, "domain")] {
      for (name, directory) in hosts where names.contains(name) {
        for path in try access.targets(in: directory) {
          found.append([
            "path": .string(path.text), "host": .string(String(decoding: name, as: UTF8.self)),
            "by": .string(kind),
          ])
        }
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

  private static func warn(_ text: String) {
    StandardStream.error.say("kdbxfs: warning: \(text)")
  }
}
