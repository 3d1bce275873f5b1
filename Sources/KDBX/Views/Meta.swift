/// Which standard fields the vault keeps enciphered.
package struct MemoryProtection: Hashable, Sendable {
  package var title = false
  package var userName = false
  package var password = true
  package var url = false
  package var notes = false

  package init() {}
}

/// A record that something was deleted for good.
package struct DeletedObject: Hashable, Sendable {
  package let uuid: VaultUUID
  /// `nil` where the file says none that can be read.
  package let deletionTime: VaultTime?

  package init(uuid: VaultUUID, deletionTime: VaultTime?) {
    self.uuid = uuid
    self.deletionTime = deletionTime
  }
}

/// The vault's own properties: a value, parsed from the document when it is asked for.
package struct Meta: Sendable {
  package var generator: [UInt8] { fatalError("not yet") }
  /// The hash of the outer header that KDBX 3 keeps here, decoded; `nil` where there is none.
  package var headerHash: [UInt8]? { fatalError("not yet") }
  package var databaseName: [UInt8] { fatalError("not yet") }
  package var databaseDescription: [UInt8] { fatalError("not yet") }
  /// True where the file doesn't say.
  package var recycleBinEnabled: Bool {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// Zero for none.
  package var recycleBinUUID: VaultUUID {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var recycleBinChanged: VaultTime? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// The most old versions an entry keeps; negative: any number; `nil`: the file doesn't say.
  package var historyMaxItems: Int? { fatalError("not yet") }
  /// The most bytes of old versions an entry keeps; negative: any number; `nil`: the file doesn't say.
  package var historyMaxSize: Int64? { fatalError("not yet") }
  package var memoryProtection: MemoryProtection { fatalError("not yet") }
}
