package import KDBX
import Secrets

/// What a code is for: the file `totp` or the file `hotp`.
package enum OneTimeKind: Hashable, Sendable {
  /// A code of the time, Steam's too.
  case time
  /// A code of a counter.
  case counter
}

/// Why an entry's secret gives no code, and which of its fields is to blame.
package struct OneTimeFailure: Error, Hashable {
  package let problem: OneTimeProblem
  package let field: [UInt8]

  package init(_ problem: OneTimeProblem, in field: [UInt8]) {
    self.problem = problem
    self.field = field
  }
}

/// The answer to a question for a code.
package enum OneTimeCodeResult: Hashable, Sendable {
  /// The entry has no secret of that kind.
  case absent
  case code(OneTimeCode)
  case failure(OneTimeFailure)
}

extension Vault {
  /// The code of time that an entry's secret gives, in whatever form the entry keeps it
  /// (`docs/kdbx.md` 8).
  ///
  /// Programs disagree about which form counts when an entry has several. Here `otp` comes first,
  /// because its code stands beside it, then KeePass' own `TimeOtp-…`, then KeeTrayTOTP's. A form
  /// that gives no code makes way for the next one; when none gives a code, the first is to blame.
  package func oneTimeCode(of entry: Entry, at unixSeconds: Int64) -> OneTimeCodeResult {
    code(of: entry, kind: .time, at: unixSeconds)
  }

  /// The code of the counter that an entry's secret stands at; asking doesn't count it up.
  package func counterCode(of entry: Entry) -> OneTimeCodeResult {
    code(of: entry, kind: .counter, at: 0)
  }

  /// Whether a field of that name may hold a secret of one-time codes, in whatever form.
  package static func mayHoldOneTimeSecret(_ key: [UInt8]) -> Bool {
    key == FieldKey.otp || key == FieldKey.totpSeed || key.starts(with: Self.timeOtpPrefix)
      || key.starts(with: Self.hmacOtpPrefix)
  }

  private static let timeOtpPrefix = Array("TimeOtp-Secret".utf8)
  private static let hmacOtpPrefix = Array("HmacOtp-Secret".utf8)

  private func code(of entry: Entry, kind: OneTimeKind, at time: Int64) -> OneTimeCodeResult {
    var failure: OneTimeFailure?
    for form in OneTimeForm.allCases where form.isPresent(in: entry, values: document.values) {
      do throws(OneTimeFailure) {
        let password = try form.read(from: entry, values: document.values)
        if password.kind == kind { return .code(password.code(at: time)) }
      } catch {
        // What can't be read is taken for a secret of time, but for the form that has only counters.
        if (form == .hmacOtp) == (kind == .counter) { failure = failure ?? error }
      }
    }
    return failure.map { .failure($0) } ?? .absent
  }
}

extension OneTimePassword {
  /// The kind of its codes.
  package var kind: OneTimeKind {
    if case .counter = moment { .counter } else { .time }
  }
}
