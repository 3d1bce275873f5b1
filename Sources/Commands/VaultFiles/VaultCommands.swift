import Ciphers
import KDBX
import Platform
import Secrets
import Session
import VaultTree

/// The commands that need no mount: `ls`, `cat`, `info`.
enum VaultCommands {
  /// How many bytes of a field or attachment are opened at a time.
  private static let pieceSize = 1 << 17

  // MARK: - info

  /// Prints what a vault's header says; needs no key, and nothing vouches for it.
  static func information(_ vault: Path, asJSON: Bool) throws(Complaint) {
    let header = try candidate(vault).header
    let kind = header.isKeePass1 ? "KDB (KeePass 1)" : "KDBX"
    let facts: [(name: String, value: String)] =
      [
        (name: "file", value: vault.description),
        (name: "format", value: "\(kind) \(header.version)"),
        (name: "cipher", value: header.cipher.title),
        (name: "compression", value: header.compression == .gzip ? "gzip" : "none"),
      ] + header.kdf.facts.map { (name: $0.key, value: $0.value) }
    guard asJSON else {
      return try write(facts.flatMap { Array("\($0.name): \($0.value)\n".utf8) })
    }
    var object = JSONObject()
    for (name, value) in facts {
      let name = String(name.map { $0 == " " ? "_" : $0 })
      let number = name == "file" ? nil : Int64(value)
      object.append(name, number.map { .integer($0) } ?? .string(value))
    }
    try write(object.bytes + [0x0A])
  }

  // MARK: - ls

  /// Prints the names in a directory of the tree, one a line or as JSON, or the path of a file.
  static func list(_ vault: Path, path: [UInt8], _ settings: Settings) throws(Complaint) {
    let tree = try open(vault, settings)
    let listed = try treeCall(path) { () throws(TreeError) -> [(name: [UInt8], kind: NodeKind)] in
      let node = try tree.resolve(path: path)
      let kind = try tree.attributes(of: node).kind
      guard kind == .directory else { return [(name: path, kind: kind)] }
      let handle = try tree.openDirectory(node)
      defer { tree.releaseDirectory(handle) }
      return try tree.list(handle).map { (name: $0.name, kind: $0.kind) }
    }
    guard settings.printsJSON else { return try write(listed.flatMap { $0.name + [0x0A] }) }
    try FoundEntries.write(
      listed.map {
        ["name": .string(String(decoding: $0.name, as: UTF8.self)), "kind": .string($0.kind.word)]
      }, asJSON: true)
  }

  // MARK: - cat

  /// Prints the bytes of files of the tree, one after another; all are looked up before the first is
  /// printed.
  static func concatenate(
    _ vault: Path, paths: [[UInt8]], _ settings: Settings
  ) throws(Complaint) {
    let tree = try open(vault, settings)
    var handles: [HandleID] = []
    for path in paths {
      handles.append(
        try treeCall(path) { () throws(TreeError) in
          try tree.open(try tree.resolve(path: path), .read)
        })
    }
    for (path, handle) in zip(paths, handles) { try copy(handle, of: tree, path: path) }
  }

  private static func copy(
    _ handle: HandleID, of tree: VaultTree, path: [UInt8]
  ) throws(Complaint) {
    defer { tree.release(handle) }
    var offset = 0
    while true {
      var piece = WipedBuffer(capacity: pieceSize)
      do throws(TreeError) {
        try tree.read(handle, at: offset, count: pieceSize, into: &piece)
      } catch {
        throw Complaint(error, path: path)
      }
      if piece.count == 0 { return }
      try write(piece.bytes)
      offset += piece.count
    }
  }

  // MARK: - The vault

  static func candidate(
    _ vault: Path, _ settings: Settings = Settings()
  ) throws(Complaint) -> VaultCandidate {
    do throws(SessionError) {
      var candidate = try VaultCandidate(vault)
      if let bytes = settings.memoryLimit {
        candidate.limits = Limits.standard.withMemory(atMost: bytes)
      }
      return candidate
    } catch {
      throw Complaint(error)
    }
  }

  static func open(
    _ candidate: consuming VaultCandidate, with keys: consuming KeyMaterial
  ) throws(Complaint) -> OpenedVault {
    let responder = keys.responder
    do throws(SessionError) {
      return try candidate.open(
        password: keys.password.take(), keyFileKey: keys.keyFileKey.take(), responder: responder)
    } catch {
      throw Complaint(error)
    }
  }

  /// Opens a vault to be read only.
  static func open(
    _ vault: Path, _ settings: Settings, leavingInput: Bool = false
  ) throws(Complaint) -> VaultTree {
    let candidate = try candidate(vault, settings)
    let keys = try KeyReader.read(
      settings.keys, for: vault, candidate.header, leavingInput: leavingInput)
    let opened = try open(candidate, with: keys)
    RescuedEdits.name(
      of: opened, in: RescueFile.usualFolder, SessionLog(isQuiet: settings.isQuiet))
    var options = SessionOptions()
    options.showsHidden = settings.showsHidden
    return VaultTree(opened, options: options, isReadOnly: true)
  }

  private static func treeCall<R>(
    _ path: [UInt8], _ body: () throws(TreeError) -> R
  ) throws(Complaint) -> R {
    do throws(TreeError) { return try body() } catch { throw Complaint(error, path: path) }
  }

  /// Writes to standard output, as below.
  static func write(_ bytes: [UInt8]) throws(Complaint) {
    try write(bytes.span)
  }

  /// Writes to standard output; a reader who has left is no error, and ends the program.
  static func write(_ bytes: Span<UInt8>) throws(Complaint) {
    do throws(Errno) {
      try StandardStream.output.writeAll(bytes)
    } catch .brokenPipe {
      throw Complaint("", exitCode: .success)
    } catch {
      throw Complaint("standard output can't be written: \(error)", exitCode: .usage)
    }
  }
}

extension NodeKind {
  /// The word for it in JSON.
  fileprivate var word: String {
    switch self {
    case .directory: "directory"
    case .file: "file"
    case .symbolicLink: "link"
    }
  }
}

extension OuterCipher {
  /// The name that people know it by.
  fileprivate var title: String {
    switch self {
    case .aes256CBC: "AES-256-CBC"
    case .chaCha20: "ChaCha20"
    case .twofish256CBC: "Twofish-256-CBC"
    }
  }
}

extension KDFParameters {
  /// What it costs to make the key from a password, as lines for a person.
  fileprivate var facts: KeyValuePairs<String, String> {
    switch algorithm {
    case .aes(let rounds): ["key derivation": "AES-KDF", "rounds": "\(rounds)"]
    case .argon2(let argon2):
      [
        "key derivation": argon2.variant == .d ? "Argon2d" : "Argon2id",
        "memory": "\(argon2.memoryKiB) KiB", "passes": "\(argon2.iterations)",
        "lanes": "\(argon2.lanes)",
      ]
    }
  }
}
