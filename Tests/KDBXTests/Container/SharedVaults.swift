import Secrets
import TestSupport
import Testing

@testable import KDBX

/// The real vaults of other programs, used where they are; they aren't a part of this package.
enum SharedVaults {
  /// The bytes of a file in the folder.
  static func file(_ path: String) -> [UInt8] { SharedFolder.bytes("vaults/" + path) ?? [] }

  static let manifest: JSON = (try? JSON(parsing: file("manifest.json"))) ?? .null

  /// A vault, how to open it, and what must come of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let id: String
    let file: String
    let password: String?
    let keyFile: String?
    let expect: String
    let expected: String?
    let features: [String]
    let hasChallenge: Bool

    var testDescription: String { id }

    init?(_ json: JSON) {
      guard let id = json["id"]?.string, let file = json["file"]?.string,
        let expect = json["expect"]?.string, let credentials = json["credentials"]
      else { return nil }
      self.id = id
      self.file = file
      self.expect = expect
      password = credentials["password"]?.string
      keyFile = credentials["keyfile"]?.string
      expected = json["expected"]?.string
      features = json["features"]?.array.compactMap(\.string) ?? []
      hasChallenge =
        credentials["challenge_response_secret"]?.string != nil
        || credentials["challenge_responses"] != nil
    }

    var bytes: [UInt8] { SharedVaults.file(file) }

    /// The composite key of the case's credentials.
    func compositeKey() throws(KDBXError) -> CompositeKey {
      var passwordBytes: SecretBytes?
      var keyFileKey: SecretBytes?
      if let password {
        let bytes = [UInt8](password.utf8)
        passwordBytes = SecretBytes(copying: bytes.span)
      }
      if let keyFile {
        let bytes = SharedVaults.file(keyFile)
        keyFileKey =
          expect == "legacy"
          ? KeyFile.keePass1Key(from: bytes.span) : try KeyFile.key(from: bytes.span)
      }
      return CompositeKey(Credentials(password: passwordBytes, keyFileKey: keyFileKey))
    }
  }

  static let cases: [Case] = manifest["cases"]?.array.compactMap(Case.init) ?? []

  /// A key file that stands alone.
  struct LoneKeyFile: Sendable, CustomTestStringConvertible {
    let file: String
    /// nil: to be refused.
    let key: [UInt8]?

    var testDescription: String { file }
  }

  static let keyFiles: [LoneKeyFile] = (manifest["key_files"]?.array ?? []).compactMap { json in
    json["file"]?.string.map { LoneKeyFile(file: $0, key: json["key"]?.string.map(hex)) }
  }
}
