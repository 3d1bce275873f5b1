import Platform

/// Finds the vault, and the place in it, that a command line means.
///
/// With `-v` or `-m` a word is a path from the root of that vault. Without, a word that leads into a
/// mount of ours is that, also a relative one and through links; any other is a path from the root of
/// the only vault that the user has mounted.
enum VaultFinder {
  /// What `word` names.
  static func address(_ word: [UInt8], _ settings: Settings) throws(Complaint) -> EntryAddress {
    // What a script's empty variable leaves is no way to say the root.
    guard !word.isEmpty else { throw .usage("a path is empty", hint: "'.' is the vault's top") }
    if settings.vaultFile == nil, settings.mount == nil {
      if let found = inside(Path(word), mounts) {
        return EntryAddress(vault: .mount(found.mount), path: try normalized(found.rest))
      }
      if Path(word).isAbsolute {
        throw Complaint(
          "'\(Path(word))' is in no mounted vault", hints: [otherwise], exitCode: .controlSocket)
      }
    }
    return EntryAddress(vault: try vault(settings), path: try normalized(word))
  }

  /// What several words name, which all must lie in one vault.
  static func addresses(
    _ words: [[UInt8]], _ settings: Settings
  ) throws(Complaint) -> (vault: VaultPlace, paths: [Path]) {
    var place: VaultPlace?
    var paths: [Path] = []
    for word in words {
      let address = try address(word, settings)
      guard place ?? address.vault == address.vault else {
        throw .usage("'\(Path(word))' lies in another vault than the words before it")
      }
      place = address.vault
      paths.append(address.path)
    }
    if let place { return (place, paths) }
    return (try vault(settings), [])
  }

  /// The vault of a command that names nothing in it.
  static func vault(_ settings: Settings) throws(Complaint) -> VaultPlace {
    if let file = settings.vaultFile { return .file(file) }
    if let name = settings.mount {
      let place = try NamedVault.mountPoint(for: Path(name))
      return .mount(try mount(named: place.bytes, among: mounts))
    }
    return .mount(try only(among: mounts))
  }

  // MARK: - Mounts

  /// The mounts of ours, of whatever user; none where the table can't be read.
  private static var mounts: [MountTable.Entry] {
    ((try? MountTable.entries()) ?? []).filter { $0.type == MountPoint.type }
  }

  private static let otherwise =
    "name a place in a mount, or say -m MOUNTPOINT, or -v VAULT for a vault's file"

  /// The only mount of this user.
  static func only(
    among mounts: [MountTable.Entry], of user: UInt32 = Process.user
  ) throws(Complaint) -> Path {
    let word = Array("user_id=\(user)".utf8)
    let own = mounts.filter { $0.superOptions.contains(word) }.map(\.mountPoint)
    guard let first = own.first else {
      throw Complaint(
        "no vault is mounted", hints: [otherwise], exitCode: .controlSocket)
    }
    guard own.count == 1 else {
      throw .usage(
        "\(own.count) vaults are mounted",
        hint: "say which: " + own.map { "-m \($0)" }.joined(separator: ", "))
    }
    return first
  }

  /// The mount at a path, or else that whose mount point or vault has this name.
  static func mount(
    named name: [UInt8], among mounts: [MountTable.Entry]
  ) throws(Complaint) -> Path {
    if let place = try? MountPoint.resolve(Path(name)),
      mounts.contains(where: { $0.mountPoint == place })
    {
      return place
    }
    let ending = Array(".kdbx".utf8)
    let found = mounts.filter { mount in
      let vault = Path(mount.source).lastComponent
      return [mount.mountPoint.lastComponent, vault].contains(name) || vault == name + ending
    }
    guard let first = found.first else {
      throw Complaint(
        "no vault is mounted at '\(Path(name))'", hints: ["'kdbxfs VAULT MOUNTPOINT' mounts one"],
        exitCode: .controlSocket)
    }
    guard found.count == 1 else {
      throw .usage(
        "\(found.count) mounted vaults are called '\(Path(name))'",
        hint: "say which: " + found.map { "-m \($0.mountPoint)" }.joined(separator: ", "))
    }
    return first.mountPoint
  }

  /// The mount that a path leads into, and how the path goes on in it.
  ///
  /// Nothing inside the mount is looked at.
  static func inside(
    _ path: Path, _ mounts: [MountTable.Entry]
  ) -> (mount: Path, rest: [UInt8])? {
    guard !mounts.isEmpty else { return nil }
    var absolute = path
    if !path.isAbsolute {
      guard let folder = try? Files.currentDirectory() else { return nil }
      absolute = folder.appending(path.bytes)
    }
    let slash = UInt8(ascii: "/")
    let names = absolute.bytes.split(separator: slash)
    for count in 0...names.count {
      let start = Path([slash] + names.prefix(count).joined(separator: [slash]))
      guard let place = try? MountPoint.resolve(start) else { return nil }
      if mounts.contains(where: { $0.mountPoint == place }) {
        return (place, Array(names.dropFirst(count).joined(separator: [slash])))
      }
    }
    return nil
  }

  // MARK: - Paths

  /// A path without empty names, `.` and `..`.
  static func normalized(_ path: [UInt8]) throws(Complaint) -> Path {
    let slash = UInt8(ascii: "/")
    var names: [[UInt8]] = []
    for name in path.split(separator: slash) {
      switch Array(name) {
      case [UInt8(ascii: ".")]: continue
      case [UInt8(ascii: "."), UInt8(ascii: ".")]:
        guard names.popLast() != nil else {
          throw .usage("'\(Path(path))' leads out of the vault")
        }
      case let name: names.append(name)
      }
    }
    return Path(Array(names.joined(separator: [slash])))
  }
}
