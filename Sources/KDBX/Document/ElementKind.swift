/// The elements that the typed views read and write, by name.
enum ElementKind: UInt8, Sendable {
  case key, uuid, name, tags, notes, times, value, entry, group
  case iconID, string, binary, history, expires, usageCount, isExpanded, expiryTime, lastAccessTime
  case creationTime, lastModificationTime, locationChanged, customIconUUID, previousParentGroup
  case enableAutoType, enableSearching, lastTopVisibleEntry, defaultAutoTypeSequence
  case foregroundColor, backgroundColor, overrideURL, qualityCheck, autoType, customData
  case meta, generator, headerHash, settingsChanged, databaseName, databaseNameChanged
  case databaseDescription, databaseDescriptionChanged, memoryProtection, customIcons
  case recycleBinEnabled, recycleBinUUID, recycleBinChanged, entryTemplatesGroup
  case entryTemplatesGroupChanged, historyMaxItems, historyMaxSize, lastSelectedGroup
  case lastTopVisibleGroup, binaries, deletedObjects, deletedObject, deletionTime
  case enabled, dataTransferObfuscation
  case protectTitle, protectUserName, protectPassword, protectURL, protectNotes
  case defaultUserName, defaultUserNameChanged, maintenanceHistoryDays, color, masterKeyChanged
  case masterKeyChangeRec, masterKeyChangeForce, masterKeyChangeForceOnce
  case icon, data, item, defaultSequence, association, window, keystrokeSequence
  /// Anything else.
  case other

  /// Tells an element by its name.
  init(_ name: Span<UInt8>) {
    self = .other
    for candidate in Self.candidates(ofCount: name.count)
    where XMLText.isAt(0, in: name, candidate.elementName) {
      self = candidate
      return
    }
  }

  private static func candidates(ofCount count: Int) -> [ElementKind] {
    count < byCount.count ? byCount[count] : []
  }

  private static let byCount: [[ElementKind]] = {
    var byCount = [[ElementKind]](repeating: [], count: 32)
    for raw in 0..<ElementKind.other.rawValue {
      guard let kind = ElementKind(rawValue: raw) else { continue }
      byCount[kind.elementName.utf8CodeUnitCount].append(kind)
    }
    return byCount
  }()

  /// The name in the XML.
  var elementName: StaticString {
    switch self {
    case .key: "Key"
    case .uuid: "UUID"
    case .name: "Name"
    case .tags: "Tags"
    case .notes: "Notes"
    case .times: "Times"
    case .value: "Value"
    case .entry: "Entry"
    case .group: "Group"
    case .iconID: "IconID"
    case .string: "String"
    case .binary: "Binary"
    case .history: "History"
    case .expires: "Expires"
    case .usageCount: "UsageCount"
    case .isExpanded: "IsExpanded"
    case .expiryTime: "ExpiryTime"
    case .lastAccessTime: "LastAccessTime"
    case .creationTime: "CreationTime"
    case .lastModificationTime: "LastModificationTime"
    case .locationChanged: "LocationChanged"
    case .customIconUUID: "CustomIconUUID"
    case .previousParentGroup: "PreviousParentGroup"
    case .enableAutoType: "EnableAutoType"
    case .enableSearching: "EnableSearching"
    case .lastTopVisibleEntry: "LastTopVisibleEntry"
    case .defaultAutoTypeSequence: "DefaultAutoTypeSequence"
    case .foregroundColor: "ForegroundColor"
    case .backgroundColor: "BackgroundColor"
    case .overrideURL: "OverrideURL"
    case .qualityCheck: "QualityCheck"
    case .autoType: "AutoType"
    case .customData: "CustomData"
    case .meta: "Meta"
    case .generator: "Generator"
    case .headerHash: "HeaderHash"
    case .settingsChanged: "SettingsChanged"
    case .databaseName: "DatabaseName"
    case .databaseNameChanged: "DatabaseNameChanged"
    case .databaseDescription: "DatabaseDescription"
    case .databaseDescriptionChanged: "DatabaseDescriptionChanged"
    case .memoryProtection: "MemoryProtection"
    case .customIcons: "CustomIcons"
    case .recycleBinEnabled: "RecycleBinEnabled"
    case .recycleBinUUID: "RecycleBinUUID"
    case .recycleBinChanged: "RecycleBinChanged"
    case .entryTemplatesGroup: "EntryTemplatesGroup"
    case .entryTemplatesGroupChanged: "EntryTemplatesGroupChanged"
    case .historyMaxItems: "HistoryMaxItems"
    case .historyMaxSize: "HistoryMaxSize"
    case .lastSelectedGroup: "LastSelectedGroup"
    case .lastTopVisibleGroup: "LastTopVisibleGroup"
    case .binaries: "Binaries"
    case .deletedObjects: "DeletedObjects"
    case .deletedObject: "DeletedObject"
    case .deletionTime: "DeletionTime"
    case .enabled: "Enabled"
    case .dataTransferObfuscation: "DataTransferObfuscation"
    case .protectTitle: "ProtectTitle"
    case .protectUserName: "ProtectUserName"
    case .protectPassword: "ProtectPassword"
    case .protectURL: "ProtectURL"
    case .protectNotes: "ProtectNotes"
    case .defaultUserName: "DefaultUserName"
    case .defaultUserNameChanged: "DefaultUserNameChanged"
    case .maintenanceHistoryDays: "MaintenanceHistoryDays"
    case .color: "Color"
    case .masterKeyChanged: "MasterKeyChanged"
    case .masterKeyChangeRec: "MasterKeyChangeRec"
    case .masterKeyChangeForce: "MasterKeyChangeForce"
    case .masterKeyChangeForceOnce: "MasterKeyChangeForceOnce"
    case .icon: "Icon"
    case .data: "Data"
    case .item: "Item"
    case .defaultSequence: "DefaultSequence"
    case .association: "Association"
    case .window: "Window"
    case .keystrokeSequence: "KeystrokeSequence"
    case .other: ""
    }
  }
}

extension ElementKind {
  /// Whether the element holds a time, which KDBX 3 and KDBX 4 spell differently (`docs/formats.md`).
  var isTime: Bool {
    switch self {
    case .creationTime, .lastModificationTime, .lastAccessTime, .expiryTime, .locationChanged,
      .deletionTime, .settingsChanged, .databaseNameChanged, .databaseDescriptionChanged,
      .defaultUserNameChanged, .masterKeyChanged, .recycleBinChanged, .entryTemplatesGroupChanged:
      true
    default: false
    }
  }
}
