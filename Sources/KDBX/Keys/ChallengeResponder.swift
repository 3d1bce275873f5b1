import Ciphers
package import Secrets

/// Something that answers challenges: a hardware key with an HMAC-SHA1 secret, through a program
/// (`docs/kdbx.md` 3.3).
///
/// Its answer is a part of a vault's key. What it answers is the same for the same challenge.
package struct ChallengeResponder: Sendable {
  /// What an answer is wanted for.
  package enum Purpose: Hashable, Sendable {
    /// A vault is opened: a person is there, and may take their time to touch the key.
    case opening
    /// A vault is saved under a new challenge; without an answer the old one does.
    case saving
  }

  /// Gives the answer to a challenge; may block.
  ///
  /// Throws `noAnswer`.
  package let answer:
    @Sendable (_ challenge: [UInt8], _ purpose: Purpose) throws(KDBXError) -> SecretBytes

  package init(
    answer:
      @escaping @Sendable (_ challenge: [UInt8], _ purpose: Purpose) throws(KDBXError) ->
      SecretBytes
  ) {
    self.answer = answer
  }

  /// What goes into a key: the SHA-256 of the answer.
  func part(for challenge: [UInt8], _ purpose: Purpose) throws(KDBXError) -> SecretBytes {
    let answer = try answer(challenge, purpose)
    return answer.withBytes { SHA256.secretHash($0) }
  }
}

/// The answer to a KDBX 3 file's master seed: its key depends on it beside the derivation.
final class SeedAnswer: Sendable {
  /// What was asked.
  let seed: [UInt8]
  /// The SHA-256 of what was answered.
  let part: SecretBytes

  init(_ responder: ChallengeResponder, to seed: [UInt8], _ purpose: ChallengeResponder.Purpose)
    throws(KDBXError)
  {
    self.seed = seed
    part = try responder.part(for: seed, purpose)
  }
}
