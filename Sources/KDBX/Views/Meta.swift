import ByteCoding

/// Which standard fields the vault keeps enciphered.
package struct MemoryProtection: Hashable, Sendable {
  package var title = false
  package var userName = false
  package var password = true
  package var url = false
  package var notes = false

  package init() {}
}

/// The vault's own properties: a value, parsed from the document when it is asked for.
///
/// Setting a property to what it is changes nothing in the file.
package struct Meta: Sendable, ElementView {
  static let order: [ElementKind] = [
    .generator, .headerHash, .settingsChanged, .databaseName, .databaseNameChanged,
    .databaseDescription, .databaseDescriptionChanged, .defaultUserName, .defaultUserNameChanged,
    .maintenanceHistoryDays, .color, .masterKeyChanged, .masterKeyChangeRec, .masterKeyChangeForce,
    .masterKeyChangeForceOnce, .memoryProtection, .customIcons,
    .recycleBinEnabled, .recycleBinUUID, .recycleBinChanged, .entryTemplatesGroup,
    .entryTemplatesGroupChanged, .historyMaxItems, .historyMaxSize, .lastSelectedGroup,
    .lastTopVisibleGroup, .binaries, .customData,
  ]

  var element: EditableElement
  let values: ValueSource?
  private let version: FormatVersion

  init(_ element: EditableElement, _ values: ValueSource?, _ version: FormatVersion) {
    self.element = element
    self.values = values
    self.version = version
  }

  package var generator: [UInt8] { bytes(.generator) ?? [] }
  /// The hash of the outer header that KDBX 3 keeps here, decoded; `nil` where there is none.
  package var headerHash: [UInt8]? {
    bytes(.headerHash).flatMap { text in try? Base64.decode(text.span) }
  }
  package var databaseName: [UInt8] { bytes(.databaseName) ?? [] }
  package var databaseDescription: [UInt8] { bytes(.databaseDescription) ?? [] }
  /// True where the file doesn't say.
  package var recycleBinEnabled: Bool {
    get { bool(.recycleBinEnabled) ?? true }
    set { if recycleBinEnabled != newValue { set(.recycleBinEnabled, to: newValue) } }
  }
  /// Zero for none.
  package var recycleBinUUID: VaultUUID {
    get { uuid(.recycleBinUUID) ?? .zero }
    set { if recycleBinUUID != newValue { set(.recycleBinUUID, to: newValue) } }
  }
  package var recycleBinChanged: VaultTime? {
    get { time(.recycleBinChanged) }
    set { set(.recycleBinChanged, to: newValue, for: version) }
  }
  /// Notes that the vault has got another key: programs that ask for a new one now and then, or were told
  /// to ask once, are satisfied.
  package mutating func noteNewKey(at now: VaultTime) {
    set(.masterKeyChanged, to: now, for: version)
    if bool(.masterKeyChangeForceOnce) == true { set(.masterKeyChangeForceOnce, to: false) }
  }

  /// The most old versions an entry keeps; negative: any number; `nil`: the file doesn't say.
  package var historyMaxItems: Int? { integer(.historyMaxItems).flatMap { Int(exactly: $0) } }
  /// The most bytes of old versions an entry keeps; negative: any number; `nil`: the file doesn't say.
  package var historyMaxSize: Int64? { integer(.historyMaxSize) }

  /// What the file doesn't say is as KeePass has it.
  package var memoryProtection: MemoryProtection {
    var protection = MemoryProtection()
    guard let index = element.lastIndex(of: .memoryProtection) else { return protection }
    let flags = Meta(element.children[index].expanded(in: values), values, version)
    protection.title = flags.bool(.protectTitle) ?? protection.title
    protection.userName = flags.bool(.protectUserName) ?? protection.userName
    protection.password = flags.bool(.protectPassword) ?? protection.password
    protection.url = flags.bool(.protectURL) ?? protection.url
    protection.notes = flags.bool(.protectNotes) ?? protection.notes
    return protection
  }
}
