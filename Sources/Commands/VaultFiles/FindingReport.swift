import KDBX
import Platform
import Session
import Vault
import VaultTree

/// Where findings are, in the words of the tree.
struct FindingPlaces {
  private let paths: [ChildID: [UInt8]]

  init(of findings: [Finding], in vault: Vault) {
    paths = NodePaths.paths(of: Set(findings.compactMap(\.child)), in: vault)
  }

  /// The place of a finding: a path of the tree, or a part of the file in parentheses.
  func place(of finding: Finding) -> [UInt8] {
    switch finding.place {
    case .file: Array("(file)".utf8)
    case .header: Array("(header)".utf8)
    case .innerHeader: Array("(inner header)".utf8)
    case .document: Array("(document)".utf8)
    case .meta: Array("(settings)".utf8)
    case .deletedObjects: Array("(deletions)".utf8)
    case .group, .entry: path(finding)
    case .version(_, let number): path(finding) + Array("/.history (\(number))".utf8)
    }
  }

  private func path(_ finding: Finding) -> [UInt8] {
    Array("/".utf8) + (finding.child.flatMap { paths[$0] } ?? [])
  }
}

extension Finding {
  /// The group or entry that it is about.
  fileprivate var child: ChildID? {
    switch place {
    case .group(let id): .group(id)
    case .entry(let id), .version(let id, _): .entry(id)
    case .file, .header, .innerHeader, .document, .meta, .deletedObjects: nil
    }
  }
}

/// One finding as it is printed.
struct FindingReport {
  private let finding: Finding
  private let place: [UInt8]
  private let isMended: Bool

  init(_ finding: Finding, at place: [UInt8], isMended: Bool) {
    self.finding = finding
    self.place = place
    self.isMended = isMended
  }

  /// One line for people: `fault: /Mail: Times/CreationTime: a time …: KeePass refuses the vault`.
  var line: [UInt8] {
    var line = Array("\(isMended ? "mended" : finding.fault.level.rawValue): ".utf8) + place
    let name = finding.name.map { Array(" '".utf8) + Self.printable($0) + Array("'".utf8) } ?? []
    if !finding.element.isEmpty || !name.isEmpty {
      line += Array(": ".utf8) + Self.printable(Array(finding.element.utf8)) + name
    }
    line += Array(": \(finding.fault.explanation)".utf8)
    if finding.count > 1 { line += Array(" (\(finding.count) times)".utf8) }
    let programs = finding.fault.consequences.map { "\($0.program.rawValue) \($0.effect)" }
    if !programs.isEmpty { line += Array(": \(programs.joined(separator: ", "))".utf8) }
    return line + [0x0A]
  }

  /// Its members are described in `docs/check.md`.
  var json: JSONObject {
    var object: JSONObject = [
      "level": .string(finding.fault.level.rawValue), "fault": .string(finding.fault.rawValue),
      "place": .string(Path(place).description), "element": .string(finding.element),
    ]
    object.append("name", finding.name.map { .string(Path($0).description) } ?? .null)
    object.append("count", .integer(Int64(finding.count)))
    object.append("explanation", .string(finding.fault.explanation))
    object.append(
      "programs", .strings(finding.fault.consequences.map(\.program.rawValue)))
    object.append("effects", .strings(finding.fault.consequences.map(\.effect)))
    object.append("mendable", .boolean(finding.isMendable))
    object.append("mended", .boolean(isMended))
    return object
  }

  /// What a terminal can't take for a command: control characters as `%XX`, as in the tree.
  private static func printable(_ bytes: [UInt8]) -> [UInt8] {
    var printable: [UInt8] = []
    for byte in bytes {
      if byte >= 0x20, byte != 0x7F {
        printable.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        printable += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return printable
  }
}
