/// Why a key couldn't be derived.
package enum KDFError: Error, Hashable {
  /// There isn't as much memory as the derivation wants.
  case outOfMemory(kibibytes: UInt32)
  /// The library refuses the parameters, with this code of its own.
  case parameters(code: Int32)
}

/// Key derivation: makes guessing a password dear.
///
/// Costs are the caller's to limit *before* the call: they come from a file that nothing vouches for.
package enum KeyDerivation {}
