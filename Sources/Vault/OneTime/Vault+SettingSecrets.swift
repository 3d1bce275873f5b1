import Ciphers
package import KDBX
import Secrets

extension Vault {
  /// Whether an entry has a secret for codes of this kind, also one that gives none.
  package func hasOneTimeSecret(_ kind: OneTimeKind, in entry: Entry) -> Bool {
    OneTimeForm.allCases.contains {
      $0.isPresent(in: entry, values: document.values) && holds($0, kind, in: entry)
    }
  }

  /// Sets an entry's secret from an otpauth URI or a base32 key.
  ///
  /// The forms that the entry has are kept, and all of them are set: another program may read
  /// another one. A key changes the secret alone; a URI its parameters too. An entry without a secret
  /// of this kind gets a protected `otp`. When it throws, the entry is as it was. Gives the keys of the
  /// fields that it set.
  ///
  /// - Throws: a problem where `text` is no secret, or where a form that the entry has can't hold it
  ///   (Steam in KeePass' own fields, SHA-256 in KeeTrayTOTP's).
  @discardableResult
  package func setOneTimeSecret(
    _ text: Span<UInt8>, kind: OneTimeKind, in entry: inout Entry
  ) throws(OneTimeProblem) -> Set<[UInt8]> {
    let text = text.extracting(text.trimmedRange)
    let isAddress = text.hasPrefixIgnoringCase("otpauth://")
    let password =
      try isAddress
      ? OneTimePassword.parse(address: text)
      : OneTimePassword(key: OneTimeParameters.bareKey(text))
    var writer = OneTimeWriter(
      entry: entry, values: document.values, text: text, isAddress: isAddress)
    let written = isAddress ? password.kind : kind
    let forms = OneTimeForm.allCases.filter {
      $0.isPresent(in: entry, values: document.values) && holds($0, written, in: entry)
    }
    if forms.isEmpty { writer.create(password, kind: written) }
    for form in forms { try writer.write(password, as: form) }
    let keys: Set<[UInt8]>
    (entry, keys) = writer.finish()
    return keys
  }

  /// Whether the secret in `form` gives codes of `kind`; one that can't be read counts as one of time.
  private func holds(_ form: OneTimeForm, _ kind: OneTimeKind, in entry: Entry) -> Bool {
    do throws(OneTimeFailure) {
      let password = try form.read(from: entry, values: document.values)
      return password.kind == kind
    } catch {
      return (form == .hmacOtp) == (kind == .counter)
    }
  }
}
