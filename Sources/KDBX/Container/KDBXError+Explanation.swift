import ByteCoding

extension KDBXError {
  /// What exactly is wrong, and where: a clause for those who look for the fault; nil if ``kind`` and
  /// ``part`` say all there is.
  package var explanation: String? {
    switch cause {
    case .text(let text): text
    case .document(let error): error.explanation
    case .bytes(let error): error.explanation
    case nil: offset.map { "at its byte \($0)" }
    }
  }

  /// Whether the fault was found after the key had proved to be the right one.
  package var keyIsRight: Bool {
    switch (kind, part) {
    case (.wrongKey, _), (_, .signature), (_, .header), (_, .headerHash), (_, .keyDerivation),
      (_, .keyFile):
      false
    // A file that ends inside a block is found before any key is tried.
    case (.truncated, .blocks), (.truncated, .closingBlock): false
    case (_, .blocks), (_, .closingBlock), (_, .compressedData), (_, .innerHeader), (_, .document):
      true
    }
  }
}

extension ByteError {
  fileprivate var explanation: String {
    switch problem {
    case .truncated(let needed, let left):
      "\(needed) bytes should follow at byte \(offset), and \(left) do"
    case .tooLong, .negativeLength, .unexpected: "a number at byte \(offset) can't be right"
    }
  }
}

extension DocumentError {
  fileprivate var explanation: String {
    let place = offset.map { " at byte \($0) of the XML" } ?? ""
    return switch kind {
    case .malformed(let problem): problem.explanation + place
    case .notADocument(.rootElement): "it is not a KeePass document"
    case .notADocument(.rootGroup): "it has no group that holds all others"
    case .notADocument(.secondRootGroup): "it has two groups that hold all others" + place
    case .badProtectedValue: "a protected value can't be decoded" + place
    case .missingBinary: "an attachment is missing"
    case .badBinary: "an attachment can't be decoded" + place
    case .tooLarge(let limit): "an attachment has more than \(limit >> 20) MiB"
    }
  }
}

extension XMLError.Problem {
  /// Names no byte of the document but one that no document may hold.
  fileprivate var explanation: String {
    switch self {
    case .truncated: "the XML ends too early"
    case .unexpected: "something stands where it can't"
    case .forbiddenCharacter(let scalar):
      "there is a character that XML can't hold (0x\(Self.hexadecimal(scalar)))"
    case .notUTF8: "there are bytes that aren't UTF-8"
    case .cdataEndInText: "there is a ']]>' in text"
    case .badComment: "there is a comment that isn't well-formed"
    case .badInstruction: "there is an instruction that isn't well-formed"
    case .badReference: "there is a reference to no character"
    case .tagMismatch: "two tags don't match"
    case .repeatedAttribute: "a tag has an attribute twice"
    case .badDeclaration: "there is an XML declaration that can't be right"
    case .documentType: "there is a document type, which KeePass files don't have"
    case .tooDeep(let limit): "there are more than \(limit) elements in each other"
    case .tooLarge: "there is more than can be counted"
    }
  }

  private static func hexadecimal(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return digits.count < 2 ? "0" + digits : digits
  }
}
