package import KDBX
package import Secrets

/// What placeholders may need that is not in the vault.
package struct PlaceholderContext: Hashable, Sendable {
  /// The time, for `{DT_…}` and `{TOTP}`; nil leaves these as they are.
  package var unixSeconds: Int64?
  /// What local time is ahead of UTC, for `{DT_…}`.
  package var secondsEastOfUTC: Int64
  /// The vault's file, for `{DB_…}`; nil leaves these as they are.
  package var vaultPath: [UInt8]?

  package init(
    unixSeconds: Int64? = nil, secondsEastOfUTC: Int64 = 0, vaultPath: [UInt8]? = nil
  ) {
    self.unixSeconds = unixSeconds
    self.secondsEastOfUTC = secondsEastOfUTC
    self.vaultPath = vaultPath
  }
}

extension Vault {
  /// Whether a value may hold a placeholder: a quick look that never misses one.
  package static func mayHavePlaceholders(_ text: Span<UInt8>) -> Bool {
    guard let open = text.firstIndex(of: UInt8(ascii: "{"), in: text.indices) else { return false }
    return text.firstIndex(of: UInt8(ascii: "}"), in: open..<text.count) != nil
  }

  /// Appends the value of a field with references and placeholders resolved.
  ///
  /// The rules (`docs/kdbx.md` 9): what isn't known, isn't found or leads back to itself stays as
  /// text. Nothing is ever executed, looked up outside the vault, or taken from the environment or
  /// a clipboard. Work and size are bounded; past the bound, placeholders stay as text.
  ///
  /// - Parameters:
  ///   - key: the field; its raw value is read from `entry`.
  ///   - entry: the entry, or an old version of it.
  ///   - group: the group that it lies in, for `{GROUP}` and friends.
  ///   - context: what is not in the vault.
  ///   - output: what the value is appended to.
  /// - Returns: false, and nothing is appended, when the value reads as it is stored.
  package func resolve(
    _ key: [UInt8], of entry: Entry, in group: GroupID?, _ context: PlaceholderContext,
    into output: inout WipedBuffer
  ) -> Bool {
    guard let field = entry.string(key) else { return false }
    var raw = WipedBuffer()
    document.values.open(field.value, into: &raw)
    guard Self.mayHavePlaceholders(raw.bytes) else { return false }
    var resolver = PlaceholderResolver(vault: self, context: context)
    let start = output.count
    resolver.append(
      raw.bytes, in: .init(entry: entry, group: group), path: [.init(entry.uuid, key)],
      into: &output)
    if resolver.hasResolved { return true }
    output.truncate(to: start)
    return false
  }
}
