import Secrets
import Testing

@testable import Commands

@Suite struct PasswordStrengthTests {
  static func bits(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    return PasswordStrength.bits(of: SecretBytes(copying: bytes.span))
  }

  /// What zxcvbn is for: a password that looks strong and is known, and one that is random.
  @Test func `words with the usual changes are weak, random characters are strong`() throws {
    let known = try #require(Self.bits("P@ssw0rd2024"), "scripts/install-deps brings libzxcvbn0")
    let random = try #require(Self.bits("xQ7#mZ2v!Lp9"))
    #expect(known < 35)
    #expect(random > 65)
    #expect(Self.bits("") == 0)
  }

  @Test func `a long one is looked at as far as it helps`() throws {
    let long = String(repeating: "correct horse battery staple ", count: 4000)
    #expect(try #require(Self.bits(long)) > 75)
  }

  @Test func `the words are those of KeePassXC`() {
    #expect(
      [39, 40, 74, 75, 99, 100].map { PasswordStrength.word(for: $0) }
        == ["poor", "weak", "weak", "good", "good", "excellent"])
  }
}
