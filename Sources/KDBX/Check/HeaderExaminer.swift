import Ciphers

extension OuterHeader {
  /// What is unusual about the header, and about the inner header of a vault of KDBX 4.
  ///
  /// Needs no key; what a save mends by itself is among it, as the file has it until then.
  func examine() -> [Finding] {
    var findings: [Finding] = []
    func note(_ fault: Fault, in place: Finding.Place = .header, _ element: String = "") {
      findings.append(Finding(fault, in: place, element: element))
    }
    if version > .newest || (version.major == 3 && version > .kdbx31) { note(.newerVersion) }
    if cipher == .twofish256CBC { note(.twofish) }
    for field in fields {
      switch FieldID(rawValue: field.id) {
      case nil: note(.unknownHeaderField, "field \(field.id)")
      case let id? where version.major >= 4 && FieldID.beforeVersion4.contains(id):
        note(.fieldOfVersion3, "field \(field.id)")
      default: break
      }
    }
    if !field(.publicCustomData).isEmpty, publicCustomData == nil { note(.publicData) }
    for fault in kdf.faults { note(fault.fault, fault.element) }
    for field in unknownInnerFields {
      note(.unknownInnerField, in: .innerHeader, "field \(field.id)")
    }
    return findings
  }
}

extension KDFParameters {
  /// The widths that KeePass asks of the numbers.
  private static let numberTypes: [(StaticString, VariantDictionary.ItemType)] = [
    ("R", .uint64), ("M", .uint64), ("I", .uint64), ("P", .uint32), ("V", .uint32),
  ]

  /// What programs refuse, with the name of the parameter.
  fileprivate var faults: [(fault: Fault, element: String)] {
    var faults: [(fault: Fault, element: String)] = []
    if dictionary?.bytes("$UUID") == Self.alternativeAESIdentifier {
      faults.append((.kdfIdentifier, "$UUID"))
    }
    for (name, type) in Self.numberTypes {
      guard let item = dictionary?.item(name), item.type != type else { continue }
      faults.append((.kdfNumberType, "\(name)"))
    }
    if !hasUsualSalt { faults.append((.saltLength, dictionary == nil ? "TransformSeed" : "S")) }
    if case .argon2(let argon2) = algorithm,
      !argon2.secret.isEmpty || !argon2.associatedData.isEmpty
    {
      faults.append((.kdfSecret, argon2.secret.isEmpty ? "A" : "K"))
    }
    return faults
  }

  /// Whether KeePassXC takes the length of the salt.
  private var hasUsualSalt: Bool {
    switch algorithm {
    case .aes: salt.count == 32
    case .argon2: (8...32).contains(salt.count)
    }
  }

  /// The same costs in a form that all programs take, with a fresh salt.
  package func mended() -> KDFParameters {
    withNumberTypes(Self.numberTypes).withFreshSalt(count: hasUsualSalt ? nil : 32)
  }
}
