/// Hosts of a vault, sorted by how they relate to one that somebody asks for.
package struct SiteMatch: Hashable, Sendable {
  /// The same host, as the vault spells it.
  package private(set) var same: [[UInt8]] = []
  /// Other hosts of the same registrable domain.
  package private(set) var related: [[UInt8]] = []
  /// Hosts of other sites that the one asked for may be taken for.
  package private(set) var lookalikes: [[UInt8]] = []

  /// Sorts `hosts`.
  ///
  /// `registrableDomain` gives the part of a host name that somebody can register, by the list of public
  /// suffixes; nil where a name has none. Without the list, hosts are only compared whole.
  package init(
    of host: HostName, among hosts: [[UInt8]], registrableDomain: ([UInt8]) -> [UInt8]?
  ) {
    func domain(_ name: HostName) -> [UInt8]? {
      name.isAddress ? nil : registrableDomain(name.bytes)
    }
    let site = domain(host)
    for other in hosts {
      let name = HostName(other)
      let otherSite = domain(name)
      if name == host {
        same.append(other)
      } else if let site, site == otherSite {
        related.append(other)
      } else if !host.isAddress, !name.isAddress,
        Self.mayBeTaken(host.bytes, site, for: name.bytes, otherSite)
      {
        lookalikes.append(other)
      }
    }
    // Who has the site itself isn't deceived.
    if !same.isEmpty || !related.isEmpty { lookalikes = [] }
  }

  private static func mayBeTaken(
    _ host: [UInt8], _ site: [UInt8]?, for other: [UInt8], _ otherSite: [UInt8]?
  ) -> Bool {
    if Lookalikes.isAlike(site ?? host, otherSite ?? other) { return true }
    // `github.com.example.org` is none of GitHub's.
    let dot = [UInt8(ascii: ".")]
    return host.starts(with: (otherSite ?? other) + dot) || host.starts(with: other + dot)
  }
}
