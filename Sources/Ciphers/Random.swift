package import Secrets

/// Random bytes for what becomes public: seeds, IVs, identifiers.
package func randomBytes(_ count: Int) -> [UInt8] { fatalError("not yet") }

extension SecretBytes {
  /// Random bytes for keys.
  package static func random(_ count: Int) -> SecretBytes { fatalError("not yet") }
}
