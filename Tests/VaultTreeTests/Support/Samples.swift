import Vault

@testable import VaultTree

/// Vaults that several suites work in.
enum Samples {
  /// One entry with all kinds of fields, a second one, a group, and a recycle bin.
  static func office() throws -> Vault {
    try Fixture.vault(
      [
        .entry(
          "mail",
          [
            .init("UserName", "sam@example.org"), .init("Password", "mail-pw-1", protected: true),
            .init("URL", "https://mail.example.org"), .init("Notes", "first\nsecond\n"),
            .init("PIN", "4711", protected: true), .init("Realm", "corp"),
          ], extra: "<Tags>one;two</Tags>", attachments: [("key.txt", 0)]),
        .entry("plain", [.init("UserName", "ann")]),
        .group(
          "office", [.entry("vpn", [.init("Password", "vpn-pw-1", protected: true)])]),
        .group("Recycle Bin", [], uuid: Fixture.bin),
      ], meta: Fixture.binMeta, binaries: [Array("attached".utf8)])
  }
}
