import Ciphers
package import KDBX
import Platform

/// A key derivation that takes about a second on this machine.
package struct Calibration: Sendable {
  /// The key derivations that a vault may have.
  package enum Function: String, CaseIterable, Sendable {
    case argon2id, argon2d
    /// AES-KDF, which guesses on graphics cards suffer little from.
    case aes

    /// The name that people know it by.
    package var title: String {
      switch self {
      case .argon2id: "Argon2id"
      case .argon2d: "Argon2d"
      case .aes: "AES-KDF"
      }
    }
  }

  package let function: Function
  package let parameters: KDFParameters
  /// How long a derivation takes here, in milliseconds.
  package let milliseconds: Int

  /// 64 MiB: what KeePass and KeePassXC use by themselves, and what phones can give.
  private static let memoryKiB: UInt32 = 64 << 10
  private static let mostLanes = 4
  /// What a derivation is to take, in milliseconds.
  private static let target = 1000.0

  /// Sets `function` to about a second; takes a good part of one.
  package static func measure(_ function: Function) throws(SessionError) -> Calibration {
    // A short one, whose time says how long another takes.
    let (few, least, most): (Double, Double, Double) =
      function == .aes ? (1_000_000, 100_000, 1_000_000_000) : (2, 2, 1000)
    let short = try time(parameters(function, rounds: few))
    let rounds = min(max((few * target / max(short, 1)).rounded(), least), most)
    return Calibration(
      function: function, parameters: parameters(function, rounds: rounds),
      milliseconds: Int(short * rounds / few))
  }

  private static func parameters(_ function: Function, rounds: Double) -> KDFParameters {
    let lanes = UInt32(min(Process.processorCount, mostLanes))
    return switch function {
    case .argon2id:
      .argon2(.id, memoryKiB: memoryKiB, iterations: UInt32(rounds), lanes: lanes)
    case .argon2d:
      .argon2(.d, memoryKiB: memoryKiB, iterations: UInt32(rounds), lanes: lanes)
    case .aes: .aes(rounds: UInt64(rounds))
    }
  }

  /// The milliseconds of one derivation.
  private static func time(_ parameters: KDFParameters) throws(SessionError) -> Double {
    let nothing = CompositeKey(Credentials(password: nil, keyFileKey: nil))
    let start = Clock.sinceBoot()
    do throws(KDBXError) {
      _ = try DerivedKey(from: nothing, with: parameters)
    } catch {
      throw SessionError(.unwritable, "this machine has not the memory to derive a key")
    }
    return Double(Clock.sinceBoot() - start) / 1_000_000
  }
}
