import ByteCoding
import KDBX
import Secrets
import Testing
import Vault

@Suite struct PlaceholderTests {
  static let context = PlaceholderContext(
    unixSeconds: 1_700_000_000, secondsEastOfUTC: 3600, vaultPath: Array("/vaults/my.kdbx".utf8))

  static func hex(_ number: UInt8) -> String {
    String(decoding: TestVault.uuid(number).hex(uppercase: true), as: UTF8.self)
  }

  static func vault(_ fields: [(String, String)]) throws -> Vault {
    try TestVault.make { root in
      root.entry(
        0xA1,
        [("Title", "source"), ("UserName", "sam"), ("*Password", "pw-source"), ("pin", "1234")])
      root.entry(0xA2, [("Title", "clone"), ("*Password", "{REF:P@I:\(hex(0xA1))}")])
      root.entry(0xA3, [("Title", "tick"), ("*Password", "{REF:P@I:\(hex(0xA4))}")])
      root.entry(0xA4, [("Title", "tock"), ("*Password", "{REF:P@I:\(hex(0xA3))}")])
      root.group(2, "Work") { work in
        work.group(3, "Servers") { servers in
          servers.entry(
            0x10,
            [
              ("Title", "here"), ("UserName", "me"), ("*Password", "p&w"),
              ("URL", "https://joe:s3@example.org:8443/a/b.php?q=e&s=t#top"),
              ("Notes", "line 1\nline 2"), ("Custom Field", "custom {USERNAME}"),
              ("*otp", OneTimeEntryTests.rfcKey),
            ] + fields)
        }
      }
    }
  }

  /// What `text` reads as in a field of the entry `here`.
  static func resolved(_ text: String) throws -> String {
    let vault = try vault([("field", text)])
    let id = try vault.entryID(0x10)
    var output = WipedBuffer()
    let hasResolved = vault.resolve(
      Array("field".utf8), of: vault.document.entry(id), in: vault.document.parent(of: .entry(id)),
      context, into: &output)
    let bytes = output.bytes.copied()
    #expect(hasResolved || bytes.isEmpty)
    return hasResolved ? String(decoding: bytes, as: UTF8.self) : text
  }

  static let replaced: [(String, String)] = [
    ("{REF:P@I:\(hex(0xA1))}", "pw-source"), ("{ref:p@i:\(hex(0xA1).lowercased())}", "pw-source"),
    ("dom\\{REF:U@I:\(hex(0xA1))}2", "dom\\sam2"), ("{REF:P@I:\(hex(0xA2))}", "pw-source"),
    ("{REF:U@T:source}", "sam"), ("{REF:T@U:sam}", "source"), ("{REF:T@P:pw-source}", "source"),
    ("{REF:I@T:source}", hex(0xA1)), ("{REF:U@O:1234}", "sam"), ("{REF:A@T:source}", ""),
    ("{TITLE}/{UserName}", "here/me"), ("{password}{NOTES}", "p&wline 1\nline 2"),
    ("{S:Custom Field}", "custom me"), ("{s:custom field}", "custom me"), ("{S:Password}", "p&w"),
    ("{UUID}", hex(0x10)), ("{GROUP}", "Servers"), ("{GROUP_PATH}", "Work.Servers"),
    ("{URL:SCM}", "https"), ("{URL:HOST}", "example.org"), ("{URL:PORT}", "8443"),
    ("{URL:PATH}", "/a/b.php"), ("{URL:QUERY}", "?q=e&s=t"), ("{URL:USERINFO}", "joe:s3"),
    ("{URL:USERNAME}", "joe"), ("{URL:PASSWORD}", "s3"), ("{URL:FRAGMENT}", "top"),
    ("{URL:RMVSCM}", "joe:s3@example.org:8443/a/b.php?q=e&s=t#top"),
    ("{URL:WITHOUTSCHEME}", "joe:s3@example.org:8443/a/b.php?q=e&s=t#top"),
    ("{DT_UTC_SIMPLE}", "20231114221320"), ("{DT_SIMPLE}", "20231114231320"),
    ("{DT_YEAR}-{DT_MONTH}-{DT_DAY}", "2023-11-14"),
    ("{DT_UTC_HOUR}:{DT_MINUTE}:{DT_SECOND}", "22:13:20"),
    ("{DB_PATH}", "/vaults/my.kdbx"), ("{DB_DIR}", "/vaults"), ("{DB_NAME}", "my.kdbx"),
    ("{DB_BASENAME}", "my"), ("{DB_EXT}", "kdbx"), ("{ENV_DIRSEP}", "/"), ("a{C:note}b", "ab"),
    ("{TOTP}", "921300"), ("{TIMEOTP}", "921300"), ("{{TITLE}}", "{here}"),
    ("{unknown}{TITLE}{", "{unknown}here{"), ("}{TITLE}{TITLE}", "}herehere"),
  ]

  @Test(arguments: replaced)
  func `a placeholder reads as what it stands for`(text: String, value: String) throws {
    #expect(try Self.resolved(text) == value)
  }

  static let kept = [
    "", "plain", "{", "}", "{}", "}{", "{REF:not a reference",
    "{REF:P@I:00112233445566778899AABBCCDDEEFF}",
    "{REF:P@I:xyz}", "{REF:X@I:\(hex(0xA1))}", "{REF:P@X:a}", "{REF:P@T:}", "{REF:P@T:Source}",
    "{REF:P@T:sour}", "{REF}", "{S:missing}", "{S:}", "{URL:NOTHING}", "{CMD:/id/}", "{CLIPBOARD}",
    "%PATH%", "{ENV_HOME}", "{T-CONV:/x/Upper/}", "{PICKCHARS}", "{NEWPASSWORD}", "{DT_X}",
    "{HMACOTP}",
    "{S:field}", "{GROUPS}", "cmd://id",
  ]

  @Test(arguments: kept)
  func `what isn't known or leads nowhere stays as text`(text: String) throws {
    #expect(try Self.resolved(text) == text)
  }

  @Test func `loops end, and read as their own text`() throws {
    #expect(try Self.resolved("{REF:P@I:\(Self.hex(0xA3))}") == "{REF:P@I:\(Self.hex(0xA3))}")
    let vault = try TestVault.make { root in
      root.entry(0x10, [("Title", "self"), ("*Password", "{REF:P@I:\(Self.hex(0x10))}")])
    }
    var output = WipedBuffer()
    let entry = vault.document.entry(try vault.entryID(0x10))
    let hasResolved = vault.resolve(
      FieldKey.password, of: entry, in: nil, Self.context, into: &output)
    #expect(!hasResolved)
    #expect(output.count == 0)
  }

  @Test func `a value whose references fan out is bounded`() throws {
    let vault = try TestVault.make { root in
      for i in UInt8(0x10)..<0x18 {
        let reference = "{REF:N@I:\(Self.hex(i + 1))}"
        root.entry(i, [("Title", "x"), ("Notes", String(repeating: reference, count: 9))])
      }
      root.entry(0x18, [("Title", "end"), ("Notes", "x")])
    }
    var output = WipedBuffer()
    let entry = vault.document.entry(try vault.entryID(0x10))
    let hasResolved = vault.resolve(FieldKey.notes, of: entry, in: nil, Self.context, into: &output)
    #expect(hasResolved)
    #expect(output.count < 1 << 20)
  }

  @Test func `braces without end take time by their number only`() throws {
    let text = String(repeating: "{", count: 1 << 16) + "}"
    #expect(try Self.resolved(text) == text)
    let searches = String(repeating: "{REF:P@T:none}", count: 10_000)
    #expect(try Self.resolved(searches) == searches)
  }

  @Test func `without a time or a file, what needs them stays as text`() throws {
    let vault = try Self.vault([("field", "{DT_YEAR}{DB_NAME}{TOTP}")])
    var output = WipedBuffer()
    let entry = vault.document.entry(try vault.entryID(0x10))
    let hasResolved = vault.resolve(
      Array("field".utf8), of: entry, in: nil, PlaceholderContext(), into: &output)
    #expect(!hasResolved)
  }

  /// Parts of addresses that aren't as tidy as the one above.
  static let addresses: [(String, [String: String])] = [
    (
      "example.org",
      ["HOST": "example.org", "SCM": "", "PORT": "", "PATH": "", "RMVSCM": "example.org"]
    ),
    ("example.org:8080/x", ["HOST": "example.org", "PORT": "8080", "PATH": "/x"]),
    ("https://example.org", ["PORT": "443", "PATH": "", "QUERY": "", "FRAGMENT": ""]),
    ("http://[::1]:81/", ["HOST": "[::1]", "PORT": "81"]),
    ("ssh://[fe80::1]", ["HOST": "[fe80::1]", "PORT": ""]),
    ("mailto:sam@example.org", ["SCM": "mailto", "HOST": "", "PATH": "sam@example.org"]),
    ("ftp://a@b@c/", ["USERINFO": "a@b", "HOST": "c", "PORT": "21", "PASSWORD": ""]),
    ("", ["HOST": "", "SCM": "", "PORT": "", "RMVSCM": ""]),
    ("://", ["SCM": "", "HOST": "", "PATH": "//"]),
  ]

  @Test(arguments: addresses.indices)
  func `parts of untidy addresses`(index: Int) throws {
    let (address, parts) = Self.addresses[index]
    let vault = try TestVault.make { root in
      root.entry(0x10, [("URL", address)] + parts.map { ($0.key, "{URL:\($0.key)}") })
    }
    let entry = vault.document.entry(try vault.entryID(0x10))
    for (name, value) in parts {
      var output = WipedBuffer()
      let hasResolved = vault.resolve(
        Array(name.utf8), of: entry, in: nil, Self.context, into: &output)
      let text = String(decoding: output.bytes.copied(), as: UTF8.self)
      #expect(hasResolved)
      #expect(text == value, "\(name) of \(address)")
    }
  }
}
