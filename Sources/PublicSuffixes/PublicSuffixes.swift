import CPublicSuffix

/// Where sites begin and end in host names: Debian's list of public suffixes, through libpsl, which is
/// loaded when it is there.
///
/// For one thread at a time.
package enum PublicSuffixes {
  /// Loads the list, if it isn't yet; says whether there is one.
  package static func load() -> Bool { public_suffix_load() == 1 }

  /// The part of a host name that somebody can register, `example.co.uk` of `www.example.co.uk`; `nil`
  /// for a suffix itself, and where there is no list.
  ///
  /// `host` is in small letters, as UTF-8 or `xn--…`.
  package static func registrableDomain(of host: [UInt8]) -> [UInt8]? {
    guard !host.contains(0) else { return nil }
    var text = host.map { CChar(bitPattern: $0) }
    text.append(0)
    return unsafe text.withUnsafeBufferPointer { text in
      // SAFETY: the text ends in a NUL, and what is answered points into it.
      guard let base = text.baseAddress,
        let domain = unsafe public_suffix_registrable(base)
      else { return nil }
      let start = unsafe domain - base
      return Array(host[start...])
    }
  }
}
