import Secrets

extension Document {
  /// The document of a new vault, as KeePass makes one: a root group, a recycle bin that is made when
  /// it is needed, ten old versions and 6 MiB of them an entry.
  ///
  /// `name` is that of the vault and of its root group; what XML can't hold is left out.
  package static func new(name: [UInt8], at now: VaultTime) -> Document {
    ofOurs(NewDocument(name: name, now: now).xml)
  }
}

/// The text of a new document.
private struct NewDocument {
  private let name: String
  private let now: String
  private let zero = String(decoding: VaultUUID.zero.base64, as: UTF8.self)
  private let root = String(decoding: VaultUUID.random().base64, as: UTF8.self)

  init(name: [UInt8], now: VaultTime) {
    var escaped = WipedBuffer()
    if XMLText.canHold(name.span) { XMLText.appendEscaped(name.span, to: &escaped) }
    self.name = String(decoding: [UInt8](copying: escaped.bytes), as: UTF8.self)
    self.now = String(decoding: now.text(for: .newest), as: UTF8.self)
  }

  var xml: String {
    """
    <?xml version="1.0" encoding="utf-8" standalone="yes"?>
    <KeePassFile>
    \(meta)
    \t<Root>
    \(group)
    \t\t<DeletedObjects/>
    \t</Root>
    </KeePassFile>
    """
  }

  private var meta: String {
    """
    \t<Meta>
    \t\t<Generator>kdbxfs</Generator>
    \t\t<SettingsChanged>\(now)</SettingsChanged>
    \t\t<DatabaseName>\(name)</DatabaseName>
    \t\t<DatabaseNameChanged>\(now)</DatabaseNameChanged>
    \t\t<DatabaseDescription/>
    \t\t<DatabaseDescriptionChanged>\(now)</DatabaseDescriptionChanged>
    \t\t<DefaultUserName/>
    \t\t<DefaultUserNameChanged>\(now)</DefaultUserNameChanged>
    \t\t<MaintenanceHistoryDays>365</MaintenanceHistoryDays>
    \t\t<Color/>
    \t\t<MasterKeyChanged>\(now)</MasterKeyChanged>
    \t\t<MasterKeyChangeRec>-1</MasterKeyChangeRec>
    \t\t<MasterKeyChangeForce>-1</MasterKeyChangeForce>
    \t\t<MemoryProtection>
    \t\t\t<ProtectTitle>False</ProtectTitle>
    \t\t\t<ProtectUserName>False</ProtectUserName>
    \t\t\t<ProtectPassword>True</ProtectPassword>
    \t\t\t<ProtectURL>False</ProtectURL>
    \t\t\t<ProtectNotes>False</ProtectNotes>
    \t\t</MemoryProtection>
    \t\t<CustomIcons/>
    \t\t<RecycleBinEnabled>True</RecycleBinEnabled>
    \t\t<RecycleBinUUID>\(zero)</RecycleBinUUID>
    \t\t<RecycleBinChanged>\(now)</RecycleBinChanged>
    \t\t<EntryTemplatesGroup>\(zero)</EntryTemplatesGroup>
    \t\t<EntryTemplatesGroupChanged>\(now)</EntryTemplatesGroupChanged>
    \t\t<HistoryMaxItems>10</HistoryMaxItems>
    \t\t<HistoryMaxSize>6291456</HistoryMaxSize>
    \t\t<LastSelectedGroup>\(zero)</LastSelectedGroup>
    \t\t<LastTopVisibleGroup>\(zero)</LastTopVisibleGroup>
    \t\t<CustomData/>
    \t</Meta>
    """
  }

  private var group: String {
    """
    \t\t<Group>
    \t\t\t<UUID>\(root)</UUID>
    \t\t\t<Name>\(name)</Name>
    \t\t\t<Notes/>
    \t\t\t<IconID>48</IconID>
    \t\t\t<Times>
    \t\t\t\t<CreationTime>\(now)</CreationTime>
    \t\t\t\t<LastModificationTime>\(now)</LastModificationTime>
    \t\t\t\t<LastAccessTime>\(now)</LastAccessTime>
    \t\t\t\t<ExpiryTime>\(now)</ExpiryTime>
    \t\t\t\t<Expires>False</Expires>
    \t\t\t\t<UsageCount>0</UsageCount>
    \t\t\t\t<LocationChanged>\(now)</LocationChanged>
    \t\t\t</Times>
    \t\t\t<IsExpanded>True</IsExpanded>
    \t\t\t<DefaultAutoTypeSequence/>
    \t\t\t<EnableAutoType>null</EnableAutoType>
    \t\t\t<EnableSearching>null</EnableSearching>
    \t\t\t<LastTopVisibleEntry>\(zero)</LastTopVisibleEntry>
    \t\t</Group>
    """
  }
}
