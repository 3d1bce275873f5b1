/// The times of an entry or group.
///
/// Setting one changes only its own element: the others keep their text, whatever their spelling.
package struct Times: Sendable {
  package var creation: VaultTime? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var lastModification: VaultTime? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var lastAccess: VaultTime? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// When it expires, if ``expires``; kept also if not.
  package var expiry: VaultTime? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var locationChanged: VaultTime? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var expires: Bool {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var usageCount: Int {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
}
