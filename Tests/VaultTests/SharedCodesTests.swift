import KDBX
import TestSupport
import Testing
import Vault

/// The codes of the shared cases and vaults, which other programs worked out.
@Suite(.enabled(if: SharedFolder.isThere, "\(SharedFolder.hint)"))
struct SharedCodesTests {
  /// Fields with names that end on an entry of the test's vault.
  private static func fields(_ entry: JSON, _ isList: Bool) -> [(String, String)] {
    if isList {
      return (entry["strings"]?.array ?? []).compactMap { field in
        guard let key = field["key"]?.string, let value = field["value"]?.string else { return nil }
        return ("*" + key, value)
      }
    }
    return (entry["strings"]?.members ?? []).compactMap { member in
      member.value.string.map { ("*" + member.key, $0) }
    }
  }

  @Test(arguments: ["035-totp-where-it-is-kept", "036-totp-untidy-secrets", "037-totp-algorithms"])
  func `every entry of a case gives its codes`(name: String) throws {
    let facts = try #require(try SharedFolder.json("cases/\(name)/expect.json"))
    let codes = try #require(facts["totp_at_unix_time"])
    let entries = facts["vaults"]?["vault.kdbx"]?["entries"]?.array ?? []
    #expect(!entries.isEmpty)
    var checked = 0
    for facts in entries {
      let title = try #require(facts["strings"]?["Title"]?.string)
      let (vault, entry) = try OneTimeEntryTests.vault(Self.fields(facts, false))
      let wanted = try #require(codes[title])
      guard wanted != .null else {
        #expect(vault.oneTimeCode(of: entry, at: 59) == .absent)
        continue
      }
      for (time, code) in wanted.members {
        let time = try #require(Int64(time))
        guard case .code(let made) = vault.oneTimeCode(of: entry, at: time) else {
          Issue.record("\(title) gives no code")
          continue
        }
        #expect(made.text == code.bytes)
        checked += 1
      }
    }
    #expect(checked >= entries.count)
  }

  @Test func `every entry of the vaults gives its codes`() throws {
    var checked = 0
    var forms: Set<String> = []
    for file in SharedFolder.list("vaults/expected") {
      guard let contents = try SharedFolder.json("vaults/expected/\(file)") else { continue }
      for facts in contents["entries"]?.array ?? [] {
        guard let secrets = facts["otp"]?.array, !secrets.isEmpty else { continue }
        let (vault, entry) = try OneTimeEntryTests.vault(Self.fields(facts, true))
        for kind in ["totp", "hotp"] {
          // Where an entry has several forms of a kind, the first in our order counts.
          guard let secret = secrets.first(where: { ($0["type"]?.string ?? "totp") == kind }) else {
            continue
          }
          forms.insert(secret["format"]?.string ?? "")
          for (moment, code) in secret["codes"]?.members ?? [] {
            let result =
              kind == "totp"
              ? vault.oneTimeCode(of: entry, at: try #require(Int64(moment)))
              : vault.counterCode(of: entry)
            guard case .code(let made) = result else {
              Issue.record("\(file): \(result) instead of a code")
              continue
            }
            #expect(made.text == code.bytes, "\(file)")
            checked += 1
          }
        }
      }
    }
    #expect(checked > 60)
    #expect(forms.count >= 5)
  }
}
