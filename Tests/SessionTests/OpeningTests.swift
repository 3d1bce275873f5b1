import Ciphers
import KDBX
import Platform
import Secrets
import Testing
import VaultTree

@testable import Session

@Suite struct OpeningTests {
  /// A fixture and what opens it: a password (`nil` for none) and the name of a key file.
  struct Case: Sendable, CustomTestStringConvertible {
    var vault: String
    var password: String?
    var keyFile: String?
    var testDescription: String { vault }
  }

  static let cases = [
    Case(vault: "kdbx3.1-aeskdf-aes-gzip-password.kdbx", password: "fixture"),
    Case(vault: "kdbx3.1-aeskdf-aes-plain-raw32.kdbx", keyFile: "key-raw32.key"),
    Case(vault: "kdbx4.0-aeskdf-chacha20-gzip-emptypassword.kdbx", password: ""),
    Case(
      vault: "kdbx4.0-argon2d-aes-plain-password-xml1.kdbx", password: "fixture",
      keyFile: "key-xml1.key"),
    Case(vault: "kdbx4.0-argon2id-aes-gzip-hashed.kdbx", keyFile: "key-hashed.key"),
    // With a key file an empty password is tried as none.
    Case(vault: "kdbx4.0-argon2id-aes-gzip-hashed.kdbx", password: "", keyFile: "key-hashed.key"),
  ]

  static func open(_ test: Case) throws -> OpenedVault {
    var key: SecretBytes?
    if let name = test.keyFile {
      let file = try Files.readWhole(Fixture.path(name))
      key = try KeyFile.key(from: file.bytes)
    }
    return try VaultCandidate(Fixture.path(test.vault)).open(
      password: test.password.map { secret($0) }, keyFileKey: key)
  }

  @Test(arguments: cases)
  func `a vault opens with its key and shows its entries`(test: Case) throws {
    let vault = try Self.open(test)
    let tree = VaultTree(vault, options: SessionOptions(), isReadOnly: true)
    #expect(try tree.text("Internet/GitHub/username") == "alice")
  }

  @Test(arguments: [
    (Case(vault: Fixture.name, password: "wrong"), SessionError.Kind.wrongKey),
    (Case(vault: Fixture.name), .wrongKey),
    (Case(vault: Fixture.name, password: ""), .emptyPassword),
    (Case(vault: Fixture.name, password: "", keyFile: "key-hashed.key"), .emptyPassword),
    (Case(vault: Fixture.name, password: "fixture", keyFile: "key-hashed.key"), .wrongKey),
    (Case(vault: "kdbx4.0-argon2id-aes-gzip-hashed.kdbx", password: "x"), .wrongKey),
  ])
  func `another key doesn't`(test: Case, kind: SessionError.Kind) throws {
    let error = #expect(throws: SessionError.self) { try Self.open(test) }
    #expect(error?.kind == kind)
  }

  @Test(arguments: [
    [], Array("hello, world".utf8), [0x03, 0xD9, 0xA2, 0x9A],
    [0x03, 0xD9, 0xA2, 0x9A, 0x65, 0xFB, 0x4B, 0xB5, 0, 0, 0, 0],
    [0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5, 0, 0, 5, 0],
  ])
  func `what is no vault is refused before a key is asked for`(bytes: [UInt8]) throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("some.kdbx")
    try folder.write(bytes.span, to: path)
    do throws(SessionError) {
      _ = try VaultCandidate(path)
      Issue.record("it was taken")
    } catch {
      #expect(error.kind == .unreadable)
      #expect(error.message.contains("'some.kdbx'"))
    }
  }

  @Test func `a file that is none is refused`() throws {
    let folder = try TemporaryFolder()
    for path in [folder.path, folder.path.appending("none.kdbx"), "/dev/null"] {
      do throws(SessionError) {
        _ = try VaultCandidate(path)
        Issue.record("\(path) was taken")
      } catch {
        #expect(error.kind == .unreadable)
      }
    }
  }

  @Test func `a vault that changes while a person types is read again`() throws {
    let folder = try TemporaryFolder()
    let vault = try folder.vault("kdbx4.0-aeskdf-chacha20-gzip-emptypassword.kdbx")
    let candidate = try VaultCandidate(vault)
    let newer = try contents(Fixture.path(Fixture.name))
    try folder.write(newer.span, to: vault)
    let opened = try candidate.open(password: secret(Fixture.password), keyFileKey: nil)
    #expect(opened.header.cipher == .aes256CBC)
  }

  @Test func `a vault has one writer, and any number of readers`() throws {
    let folder = try TemporaryFolder()
    let vault = try folder.vault()
    let log = SessionLog(isQuiet: true)
    let candidate = try VaultCandidate(vault)
    var first = try VaultAccess(to: candidate, mountPoint: "/first", readOnly: false, log: log)
    let firstWrites = !first.isReadOnly
    #expect(firstWrites)
    do throws(SessionError) {
      _ = try VaultAccess(to: candidate, mountPoint: "/second", readOnly: false, log: log)
      Issue.record("there are two writers")
    } catch {
      #expect(error.kind == .mountedElsewhere)
      #expect(error.message.contains("'/first'"))
    }
    let reader = try VaultAccess(to: candidate, mountPoint: "/second", readOnly: true, log: log)
    let readerReads = reader.isReadOnly
    #expect(readerReads)
    _ = first.takeLock()
    let next = try VaultAccess(to: candidate, mountPoint: "/second", readOnly: false, log: log)
    let nextWrites = !next.isReadOnly
    #expect(nextWrites)
  }

  @Test func `more hard links are said, for a save parts them`() throws {
    let folder = try TemporaryFolder()
    let vault = try folder.vault()
    try makeHardLink(vault, folder.path.appending("other.kdbx"))
    let log = SessionLog(isQuiet: true)
    let candidate = try VaultCandidate(vault)
    _ = try VaultAccess(to: candidate, mountPoint: "/m", readOnly: false, log: log)
    #expect(log.warnings == ["'vault.kdbx' has 1 more hard links: a save parts it from them"])
  }
}
