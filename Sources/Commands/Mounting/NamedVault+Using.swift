import Platform

// What a named vault stands for on a command line.

extension NamedVault {
  /// The command line that mounts it; options of the command line come last, and so prevail.
  func invocation(adding more: [[UInt8]]) throws(Complaint) -> Invocation {
    if let fault { throw fault }
    do throws(Errno) {
      _ = try Files.status(of: vault)
    } catch {
      throw Complaint(
        "the vault of '\(name)' can't be found: '\(vault)': \(error)",
        hints: ["if it was moved, \(file):\(vaultLine) names it"], exitCode: .vaultUnreadable)
    }
    return try parse(options(without: more) + more)
  }

  private func parse(_ options: [[UInt8]]) throws(Complaint) -> Invocation {
    try ArgumentParser.parse(options + [Array("--".utf8), vault.bytes, mountPoint.bytes])
  }

  /// The options of the file that none of a command line's take the place of.
  ///
  /// An option that is given several times, once a word, would else be continued; and a password has
  /// one source only.
  private func options(without more: [[UInt8]]) -> [[UInt8]] {
    let passwords: Set<[UInt8]> = Set(
      ["--passfile", "--extpass", "--no-password"].map { Array($0.utf8) })
    var given = Set(more.map { Self.optionName($0) })
    if !given.isDisjoint(with: passwords) { given.formUnion(passwords) }
    return options.filter { !given.contains(Self.optionName($0)) }
  }

  private static func optionName(_ option: [UInt8]) -> [UInt8] {
    Array(option.prefix { $0 != UInt8(ascii: "=") })
  }

  /// Where the key comes from by the file's own options.
  func keySources() throws(Complaint) -> KeySources {
    if let fault { throw fault }
    guard case .mount(_, _, let settings) = try parse(options) else { return KeySources() }
    return settings.keys
  }

  // MARK: - Names in the place of a mount point

  /// The vault that a word of a command means by its name; `nil` where it is a path, or a vault is
  /// mounted at a folder here that is called so.
  static func named(_ word: Path) throws(Complaint) -> NamedVault? {
    guard file(for: word.bytes) != nil else { return nil }
    if let place = try? MountPoint.resolve(word), let entry = try? MountTable.entry(at: place),
      entry.type == MountPoint.type
    {
      return nil
    }
    return try NamedVault(word.bytes)
  }

  /// The mount point that a word of a command means: a path, or the name of a vault.
  static func mountPoint(for word: Path) throws(Complaint) -> Path {
    try named(word)?.mountPoint ?? word
  }
}
