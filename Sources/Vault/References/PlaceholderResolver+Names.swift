import ByteCoding
import KDBX
import Secrets

extension PlaceholderResolver {
  /// What the placeholder `{name}` stands for in `place`.
  mutating func answer(_ name: Span<UInt8>, in place: Place) -> Answer {
    if name.hasPrefixIgnoringCase("REF:") {
      return reference(name.extracting(4..<name.count))
    }
    if name.hasPrefixIgnoringCase("S:") {
      return customField(name.extracting(2..<name.count), in: place)
    }
    if name.hasPrefixIgnoringCase("URL:") {
      return AddressPart(named: name.extracting(4..<name.count)).map { .addressPart($0) } ?? .none
    }
    if name.hasPrefixIgnoringCase("C:") { return .plain([]) }
    if let key = Self.standardField(name) { return .field(key, of: place) }
    if name.equalsIgnoringCase("UUID") { return .plain(place.entry.uuid.hex(uppercase: true)) }
    if name.equalsIgnoringCase("ENV_DIRSEP") { return .plain([UInt8(ascii: "/")]) }
    if name.hasPrefixIgnoringCase("GROUP") { return group(name, in: place) }
    if name.hasPrefixIgnoringCase("DB_") { return file(name) }
    if name.hasPrefixIgnoringCase("DT_") { return time(name) }
    return code(name, in: place)
  }

  private static func standardField(_ name: Span<UInt8>) -> [UInt8]? {
    if name.equalsIgnoringCase("TITLE") { return FieldKey.title }
    if name.equalsIgnoringCase("USERNAME") { return FieldKey.userName }
    if name.equalsIgnoringCase("PASSWORD") { return FieldKey.password }
    if name.equalsIgnoringCase("URL") { return FieldKey.url }
    if name.equalsIgnoringCase("NOTES") { return FieldKey.notes }
    return nil
  }

  /// `{S:Name}`: the field of that name; small and capital letters count as one where none has the
  /// name as it is written.
  private func customField(_ name: Span<UInt8>, in place: Place) -> Answer {
    let key = name.copied()
    if place.entry.string(key) != nil { return .field(key, of: place) }
    let similar = place.entry.strings.last { field in
      field.key.count == key.count
        && zip(field.key, key).allSatisfy { lowercased($0) == lowercased($1) }
    }
    return similar.map { .field($0.key, of: place) } ?? .none
  }

  private func group(_ name: Span<UInt8>, in place: Place) -> Answer {
    guard let id = place.group else { return .none }
    let document = vault.document
    if name.equalsIgnoringCase("GROUP") { return .plain(document.group(id).name) }
    if name.equalsIgnoringCase("GROUP_NOTES") {
      guard let notes = document.group(id).notes else { return .plain([]) }
      return .plain(document.values.bytes(of: notes))
    }
    guard name.equalsIgnoringCase("GROUP_PATH") else { return .none }
    // As KeePass writes it: the names below the root with points between them.
    var names: [[UInt8]] = []
    var next: GroupID? = id
    while let group = next, group != document.root {
      names.append(document.group(group).name)
      next = document.parent(of: .group(group))
    }
    return .plain(Array(names.reversed().joined(separator: [UInt8(ascii: ".")])))
  }

  private func file(_ name: Span<UInt8>) -> Answer {
    guard let path = context.vaultPath else { return .none }
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let file = Array(path[(slash.map { $0 + 1 } ?? 0)...])
    let point = file.lastIndex(of: UInt8(ascii: "."))
    if name.equalsIgnoringCase("DB_PATH") { return .plain(path) }
    if name.equalsIgnoringCase("DB_DIR") { return .plain(Array(path[..<(slash ?? 0)])) }
    if name.equalsIgnoringCase("DB_NAME") { return .plain(file) }
    if name.equalsIgnoringCase("DB_BASENAME") {
      return .plain(Array(file[..<(point ?? file.count)]))
    }
    guard name.equalsIgnoringCase("DB_EXT") else { return .none }
    return .plain(point.map { Array(file[($0 + 1)...]) } ?? [])
  }

  private func time(_ name: Span<UInt8>) -> Answer {
    guard let now = context.unixSeconds else { return .none }
    let isUTC = name.hasPrefixIgnoringCase("DT_UTC_")
    let (local, overflow) = now.addingReportingOverflow(isUTC ? 0 : context.secondsEastOfUTC)
    // `yyyy-mm-ddThh:mm:ssZ`
    let iso = VaultTime(unixSeconds: local).isoBytes
    guard !overflow, iso.count == 20 else { return .none }
    let part = name.extracting((isUTC ? 7 : 3)..<name.count)
    if part.equalsIgnoringCase("SIMPLE") {
      return .plain(iso.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    }
    if part.equalsIgnoringCase("YEAR") { return .plain(Array(iso[0..<4])) }
    if part.equalsIgnoringCase("MONTH") { return .plain(Array(iso[5..<7])) }
    if part.equalsIgnoringCase("DAY") { return .plain(Array(iso[8..<10])) }
    if part.equalsIgnoringCase("HOUR") { return .plain(Array(iso[11..<13])) }
    if part.equalsIgnoringCase("MINUTE") { return .plain(Array(iso[14..<16])) }
    if part.equalsIgnoringCase("SECOND") { return .plain(Array(iso[17..<19])) }
    return .none
  }

  private func code(_ name: Span<UInt8>, in place: Place) -> Answer {
    guard let now = context.unixSeconds else { return .none }
    let result: OneTimeCodeResult
    if name.equalsIgnoringCase("TOTP") || name.equalsIgnoringCase("TIMEOTP") {
      result = vault.oneTimeCode(of: place.entry, at: now)
    } else if name.equalsIgnoringCase("HMACOTP") {
      // Unlike in KeePass, asking doesn't count up: reading a file changes nothing.
      result = vault.counterCode(of: place.entry)
    } else {
      return .none
    }
    guard case .code(let code) = result else { return .none }
    return .plain(code.text)
  }
}
