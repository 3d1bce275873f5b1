/// What can be wrong with a vault that opens.
///
/// The raw values are the words of `check --json`, and of the table in `docs/check.md`: add, never
/// rename.
package enum Fault: String, Hashable, Sendable, CaseIterable {
  // The file and its headers.
  case trailingBytes = "trailing-bytes"
  case newerVersion = "newer-version"
  case twofish = "twofish"
  case fieldOfVersion3 = "field-of-version-3"
  case unknownHeaderField = "unknown-header-field"
  case publicData = "public-data"
  case kdfIdentifier = "kdf-identifier"
  case kdfNumberType = "kdf-number-type"
  case kdfSecret = "kdf-secret"
  case saltLength = "salt-length"
  case innerStream = "inner-stream"
  case noInnerStream = "no-inner-stream"
  case unknownInnerField = "unknown-inner-field"
  case unusedAttachment = "unused-attachment"

  // The document.
  case headerHash = "header-hash"
  case controlCharacter = "control-character"
  case protectedSpelling = "protected-spelling"
  case protectedPlain = "protected-plain"
  case protectedUnknown = "protected-unknown"
  case unknownElement = "unknown-element"
  case elementOfVersion41 = "element-of-version-4.1"

  // Texts of the elements.
  case booleanSpelling = "boolean-spelling"
  case badBoolean = "bad-boolean"
  case badInteger = "bad-integer"
  case badUUID = "bad-uuid"
  case badColour = "bad-colour"
  case timeAsText = "time-as-text"
  case timeOutOfRange = "time-out-of-range"
  case badTime = "bad-time"
  case timeTakenForNow = "time-taken-for-now"
  case missingTimes = "missing-times"

  // What names a thing.
  case missingUUID = "missing-uuid"
  case repeatedEntryUUID = "repeated-entry-uuid"
  case repeatedGroupUUID = "repeated-group-uuid"
  case historyUUID = "history-uuid"
  case nestedHistory = "nested-history"
  case missingBin = "missing-recycle-bin"

  // Fields, attachments, icons, plug-in data.
  case incompleteField = "incomplete-field"
  case repeatedField = "repeated-field"
  case unnamedField = "unnamed-field"
  case blankValue = "blank-value"
  case badText = "bad-text"
  case incompleteAttachment = "incomplete-attachment"
  case repeatedAttachment = "repeated-attachment"
  case unnamedAttachment = "unnamed-attachment"
  case missingContent = "missing-content"
  case damagedContent = "damaged-content"
  case compressedInline = "compressed-inline"
  case poolNumber = "pool-number"
  case incompleteAssociation = "incomplete-association"
  case incompleteItem = "incomplete-item"
  case repeatedItem = "repeated-item"
  case incompleteIcon = "incomplete-icon"
  case repeatedIcon = "repeated-icon"
  case missingIcon = "missing-icon"
  case incompleteDeletion = "incomplete-deletion"
  case deletedAlive = "deleted-alive"
}
