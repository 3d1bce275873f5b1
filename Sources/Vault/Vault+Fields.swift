import KDBX

/// Why bytes can't be a field.
package enum FieldProblem: Error, Hashable {
  /// No text: not UTF-8.
  case notUTF8
  /// A character that a vault can't hold.
  case forbiddenCharacter
  /// More bytes than a field may have.
  case tooLong(limit: Int)

  package init(_ problem: TextProblem) {
    self =
      switch problem {
      case .notUTF8: .notUTF8
      case .forbiddenCharacter: .forbiddenCharacter
      }
  }
}

extension Vault {
  /// The most bytes that a field may have: 16 MiB.
  package static let fieldLimit = 16 << 20

  /// Why `value` can't be the value of a field called `key`; nil when it can.
  ///
  /// The rule is the same for protected and unprotected fields (``TextCheck``).
  package func checkField(key: [UInt8], value: Span<UInt8>) -> FieldProblem? {
    if value.count > Self.fieldLimit { return .tooLong(limit: Self.fieldLimit) }
    if let problem = TextCheck.firstProblem(in: key.span) { return FieldProblem(problem) }
    return TextCheck.firstProblem(in: value).map { FieldProblem($0) }
  }

  /// Whether a new field of this name is kept enciphered in the file.
  ///
  /// The five standard fields as the vault's MemoryProtection says, all others always.
  package func protectsNewField(_ key: [UInt8]) -> Bool {
    let protection = document.meta.memoryProtection
    return switch key {
    case FieldKey.title: protection.title
    case FieldKey.userName: protection.userName
    case FieldKey.password: protection.password
    case FieldKey.url: protection.url
    case FieldKey.notes: protection.notes
    default: true
    }
  }
}
