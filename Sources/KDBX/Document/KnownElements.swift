/// The elements that KeePass and KeePassXC both know, each in its place (`docs/kdbx.md` 5).
enum KnownElements: Sendable {
  case file, meta, memoryProtection, customIcons, icon, binaries, customData, item
  case root, deletedObjects, deletedObject, group, entry, times, string, binary
  case autoType, association, history
  /// An element that holds text.
  case text

  /// What a child of that name is; `nil` if it isn't known there.
  func child(_ name: Span<UInt8>) -> KnownElements? {
    for (known, place) in containers
    where name.count == known.utf8CodeUnitCount && XMLText.isAt(0, in: name, known) {
      return place
    }
    for known in texts
    where name.count == known.utf8CodeUnitCount && XMLText.isAt(0, in: name, known) {
      return .text
    }
    return nil
  }

  private var containers: [(StaticString, KnownElements)] {
    switch self {
    case .file: [("Meta", .meta), ("Root", .root)]
    case .meta:
      [
        ("MemoryProtection", .memoryProtection), ("CustomIcons", .customIcons),
        ("Binaries", .binaries), ("CustomData", .customData),
      ]
    case .customIcons: [("Icon", .icon)]
    case .customData: [("Item", .item)]
    case .root: [("Group", .group), ("DeletedObjects", .deletedObjects)]
    case .deletedObjects: [("DeletedObject", .deletedObject)]
    case .group:
      [("Times", .times), ("CustomData", .customData), ("Entry", .entry), ("Group", .group)]
    case .entry:
      [
        ("String", .string), ("Binary", .binary), ("Times", .times), ("AutoType", .autoType),
        ("CustomData", .customData), ("History", .history),
      ]
    case .history: [("Entry", .entry)]
    case .autoType: [("Association", .association)]
    default: []
    }
  }

  private var texts: [StaticString] {
    switch self {
    case .meta:
      [
        "Generator", "HeaderHash", "SettingsChanged", "DatabaseName", "DatabaseNameChanged",
        "DatabaseDescription", "DatabaseDescriptionChanged", "DefaultUserName",
        "DefaultUserNameChanged", "MaintenanceHistoryDays", "Color", "MasterKeyChanged",
        "MasterKeyChangeRec", "MasterKeyChangeForce", "RecycleBinEnabled", "RecycleBinUUID",
        "RecycleBinChanged", "EntryTemplatesGroup", "EntryTemplatesGroupChanged",
        "HistoryMaxItems", "HistoryMaxSize", "LastSelectedGroup", "LastTopVisibleGroup",
      ]
    case .memoryProtection:
      ["ProtectTitle", "ProtectUserName", "ProtectPassword", "ProtectURL", "ProtectNotes"]
    case .icon: ["UUID", "Data", "Name", "LastModificationTime"]
    case .binaries: ["Binary"]
    case .item: ["Key", "Value", "LastModificationTime"]
    case .deletedObject: ["UUID", "DeletionTime"]
    case .group:
      [
        "UUID", "Name", "Notes", "Tags", "IconID", "CustomIconUUID", "IsExpanded",
        "DefaultAutoTypeSequence", "EnableAutoType", "EnableSearching", "LastTopVisibleEntry",
        "PreviousParentGroup",
      ]
    case .entry:
      [
        "UUID", "IconID", "CustomIconUUID", "ForegroundColor", "BackgroundColor", "OverrideURL",
        "QualityCheck", "Tags", "PreviousParentGroup",
      ]
    case .times:
      [
        "CreationTime", "LastModificationTime", "LastAccessTime", "ExpiryTime", "Expires",
        "UsageCount", "LocationChanged",
      ]
    case .string, .binary: ["Key", "Value"]
    case .autoType: ["Enabled", "DataTransferObfuscation", "DefaultSequence"]
    case .association: ["Window", "KeystrokeSequence"]
    default: []
    }
  }
}
