import KDBX
import Vault

extension VaultTree {
  /// The value of an extended attribute.
  ///
  /// Names that aren't `user.kdbx.…` are foreign: ``TreeError/notSupported``.
  package func extendedAttribute(
    _ name: [UInt8], of node: NodeID, by origin: RequestOrigin? = nil
  ) throws(TreeError) -> [UInt8] {
    guard let attribute = NodeProperty(name) else { throw .notSupported }
    let reader = attribute.showsValue ? accessor(origin) : nil
    return try locked { (state) throws(TreeError) in
      guard let value = try state.value(of: attribute, state.meaning(of: node)) else {
        throw .noData
      }
      state.note(.read, state.subject(of: state.meaning(of: node)), by: reader)
      return value
    }
  }

  /// The names of the extended attributes that a node has.
  package func extendedAttributes(of node: NodeID) throws(TreeError) -> [[UInt8]] {
    try locked { (state) throws(TreeError) in
      let meaning = state.meaning(of: node)
      var names: [[UInt8]] = []
      for attribute in NodeProperty.allCases where attribute.isListed {
        if try state.value(of: attribute, meaning) != nil { names.append(attribute.name) }
      }
      return names
    }
  }

  /// Sets an extended attribute: only `user.kdbx.protected` of a field, to `0` or `1`.
  package func setExtendedAttribute(
    _ name: [UInt8], of node: NodeID, to value: [UInt8]
  ) throws(TreeError) {
    guard NodeProperty(name) == .protected else { throw .notSupported }
    let isProtected: Bool
    switch value {
    case [UInt8(ascii: "0")]: isProtected = false
    case [UInt8(ascii: "1")]: isProtected = true
    default: throw .invalid
    }
    try locked { (state) throws(TreeError) in
      let meaning = state.meaning(of: node)
      guard case .item(let owner, .field(let key)) = meaning else { throw .notSupported }
      try state.checkWritable()
      try state.protect(key, owner, isProtected)
    }
  }

  /// Removes an extended attribute: there is none that can be.
  package func removeExtendedAttribute(
    _ name: [UInt8], of node: NodeID
  ) throws(TreeError) {
    throw .notSupported
  }
}

/// What a node has beside its content: the extended attributes `user.kdbx.…`.
enum NodeProperty: CaseIterable {
  case uuid, protected, icon, created, remaining, error, raw
  /// The code that follows the present one.
  case next
  /// `1` for a temporary file, which no save takes along.
  case temporary

  var name: [UInt8] {
    switch self {
    case .uuid: Array("user.kdbx.uuid".utf8)
    case .protected: Array("user.kdbx.protected".utf8)
    case .icon: Array("user.kdbx.icon".utf8)
    case .created: Array("user.kdbx.created".utf8)
    case .remaining: Array("user.kdbx.totp.remaining".utf8)
    case .error: Array("user.kdbx.error".utf8)
    case .raw: Array("user.kdbx.raw".utf8)
    case .next: Array("user.kdbx.totp.next".utf8)
    case .temporary: Array("user.kdbx.temporary".utf8)
    }
  }

  /// Whether a listing has it: not what no copy of a file is to take along.
  var isListed: Bool { self != .next && self != .temporary }

  /// Whether it is a value of the vault, or made from one.
  var showsValue: Bool { self == .raw || self == .next }

  init?(_ name: [UInt8]) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

extension TreeState {
  /// The value of a property; nil where the node hasn't got it.
  fileprivate mutating func value(
    of property: NodeProperty, _ meaning: NodeMeaning
  ) throws(TreeError) -> [UInt8]? {
    switch meaning {
    case .folder(let owner):
      guard let group = groupID(owner).map({ vault.document.group($0) }) else { return nil }
      return switch property {
      case .uuid: group.uuid.hex(uppercase: false)
      case .icon: Array("\(group.iconID)".utf8)
      case .created: group.times.creation?.isoBytes
      case .protected, .remaining, .error, .raw, .next, .temporary: nil
      }
    case .entry(let owner):
      let entry = try entry(owner)
      return switch property {
      case .uuid: entry.uuid.hex(uppercase: false)
      case .icon: Array("\(entry.iconID)".utf8)
      case .created: entry.times.creation?.isoBytes
      case .remaining: try remaining(owner)
      case .error: try codes(owner).failure.map { Array($0.problem.summary.utf8) }
      case .next: try nextCode(owner)
      case .protected, .raw, .temporary: nil
      }
    case .item(let owner, let key): return try value(of: property, key, owner)
    case .scratch: return property == .temporary ? Self.digit(true) : nil
    case .groupNotes, .view, .link, .generated: return nil
    case .dead: throw .noEntry
    }
  }

  private mutating func value(
    of property: NodeProperty, _ key: ItemKey, _ owner: UInt64
  ) throws(TreeError) -> [UInt8]? {
    let view = try view(owner)
    switch (property, key) {
    case (.remaining, .totp): return try remaining(owner)
    case (.next, .totp): return try nextCode(owner)
    case (.protected, .inVersion(let name, .field(let field))):
      let isProtected = try version(named: name, owner)?.field(field)?.isProtected ?? false
      return Self.digit(isProtected)
    case (.protected, .field(let field)):
      return Self.digit(
        entries[owner]?.overlays[key]?.fresh?.isProtected ?? view.field(field)?.isProtected
          ?? vault.protectsNewField(field))
    case (.error, .field(let field)):
      guard let failure = try codes(owner).failure, failure.field == field else { return nil }
      return Array(failure.problem.summary.utf8)
    case (.raw, .field(let field)):
      guard shownField(field, in: view, owner: owner).isResolved, let stored = view.field(field)
      else { return nil }
      return vault.document.values.bytes(of: stored.value)
    default: return nil
    }
  }

  private static func digit(_ isSet: Bool) -> [UInt8] {
    [isSet ? UInt8(ascii: "1") : UInt8(ascii: "0")]
  }

  /// The seconds that the entry's code is still good.
  private mutating func remaining(_ owner: UInt64) throws(TreeError) -> [UInt8]? {
    guard case .code(let code) = code(.totp, of: try filledEntry(owner)),
      let seconds = code.secondsLeft
    else { return nil }
    return Array("\(seconds)".utf8)
  }

  /// The code that follows the present one.
  private mutating func nextCode(_ owner: UInt64) throws(TreeError) -> [UInt8]? {
    let entry = try filledEntry(owner)
    let time = now().seconds
    guard case .code(let code) = vault.oneTimeCode(of: entry, at: time),
      let left = code.secondsLeft,
      case .code(let next) = vault.oneTimeCode(of: entry, at: time + Int64(left))
    else { return nil }
    return next.text
  }

  /// Sets whether a field is enciphered in the file.
  fileprivate mutating func protect(
    _ field: [UInt8], _ owner: UInt64, _ isProtected: Bool
  ) throws(TreeError) {
    let key = ItemKey.field(field)
    if var fresh = entries[owner]?.overlays[key]?.fresh {
      fresh.isProtected = isProtected
      entries[owner]?.overlays[key] = .fresh(fresh)
      guard try !isNewName(key, owner) else { return }
    }
    let stored = try view(owner).field(field)
    guard stored?.isProtected != isProtected else { return }
    let value = stored?.value ?? .empty
    try edit(owner, .change, at: now()) { (entry) throws(TreeError) in
      entry.set(field, to: value, isProtected: isProtected)
    }
  }
}
