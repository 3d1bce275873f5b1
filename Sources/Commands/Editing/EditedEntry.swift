import Platform
import Secrets
import Vault
import VaultTree

/// An entry whose fields are edited as one text: it is changed whole, or not at all.
struct EditedEntry {
  private let path: Path
  private let access: any EntryAccess

  init(_ path: Path, _ access: any EntryAccess) {
    self.path = path
    self.access = access
  }

  /// The codes, which are no fields: the secret is one.
  private static let codes = ["totp", "hotp"].map { Array($0.utf8) }
  private static let usual = ["username", "password", "url", "notes"].map { Array($0.utf8) }

  /// The fields in the order of the listing, the usual ones first.
  func fields() throws(Complaint) -> [EntryText.Field] {
    let listed = try access.names(in: path)
      .filter { !Self.usual.contains($0) && !Self.codes.contains($0) }
    var fields: [EntryText.Field] = []
    for name in Self.usual + listed {
      let file = path.appending(name)
      guard try access.kind(of: file) == .file else { continue }
      fields.append(
        EntryText.Field(
          name, isProtected: try isProtected(file) == true, try access.read(file)))
    }
    return fields
  }

  /// Writes what differs between two texts; where something of it is refused, the entry is as it was.
  func change(
    _ before: [EntryText.Field], to after: [EntryText.Field]
  ) throws(Complaint) {
    let found = try fields()
    var renamed: [Renaming] = []
    do throws(Complaint) {
      for renaming in Self.renamings(from: before, to: after) {
        try rename(renaming)
        renamed.append(renaming)
      }
      // What goes is first: a field and the code that is made of it may change places.
      for old in before where !after.contains(where: { $0.name == old.name }) {
        let file = path.appending(old.name)
        if try access.kind(of: file) != nil { try access.remove(file) }
      }
      for field in after {
        let oldName = renamed.first { $0.new.name == field.name }?.old.name ?? field.name
        try write(field, over: before.first { $0.name == oldName })
      }
    } catch {
      try restore(found, renamed, after: error)
    }
  }

  // MARK: - Names

  private struct Renaming {
    let old: EntryText.Field
    let new: EntryText.Field
  }

  /// The fields that have another name and the same value: they are renamed, so that what isn't seen of a
  /// value, such as what it refers to, goes with it.
  private static func renamings(
    from before: [EntryText.Field], to after: [EntryText.Field]
  ) -> [Renaming] {
    var new = after.filter { field in !before.contains { $0.name == field.name } }
    var found: [Renaming] = []
    for old in before where !usual.contains(old.name) {
      guard !after.contains(where: { $0.name == old.name }),
        let place = new.firstIndex(where: { $0.hasValue(of: old) && !codes.contains($0.name) })
      else { continue }
      found.append(Renaming(old: old, new: new.remove(at: place)))
    }
    return found
  }

  private func rename(_ renaming: Renaming) throws(Complaint) {
    let (file, target) = (path.appending(renaming.old.name), path.appending(renaming.new.name))
    do throws(Complaint) {
      try access.rename(file, to: target)
      guard try access.isTemporary(target) else { return }
      try access.rename(target, to: file)
      throw .temporaryName(target)
    } catch {
      throw error.at(line: renaming.new.line)
    }
  }

  // MARK: - Values

  /// Writes a field where it differs from `old`: what others do to the rest meanwhile is theirs.
  private func write(
    _ field: EntryText.Field, over old: EntryText.Field?
  ) throws(Complaint) {
    let hasOldValue = old.map { $0.hasValue(of: field) } ?? false
    if hasOldValue, old?.isProtected == field.isProtected { return }
    let file = path.appending(field.name)
    do throws(Complaint) {
      if !hasOldValue {
        let value = field.value
        try access.writeKept(value.bytes, to: file)
      }
      if try access.kind(of: file) != nil, let mark = try isProtected(file),
        mark != field.isProtected
      {
        try access.setAttribute(
          "protected", of: file, to: Array((field.isProtected ? "1" : "0").utf8))
      }
    } catch {
      throw error.at(line: field.line)
    }
  }

  /// Gives every field the value back that it had, takes away what is new, and throws `fault`.
  private func restore(
    _ found: [EntryText.Field], _ renamed: [Renaming], after fault: Complaint
  ) throws(Complaint) {
    do throws(Complaint) {
      for renaming in renamed.reversed() {
        let file = path.appending(renaming.new.name)
        if try access.kind(of: file) == nil { continue }
        try access.rename(file, to: path.appending(renaming.old.name))
      }
      let left = try fields()
      for new in left where !found.contains(where: { $0.name == new.name }) {
        try access.remove(path.appending(new.name))
      }
      for old in found {
        try write(old, over: left.first { $0.name == old.name })
      }
    } catch {
      throw Complaint(
        fault.message,
        hints: ["a part of the text is in the entry, and couldn't be taken back: \(error.message)"],
        exitCode: fault.exitCode)
    }
    throw Complaint(
      fault.message, hints: fault.hints + ["nothing was changed"], exitCode: fault.exitCode)
  }

  /// Whether a field is protected; `nil` for what can't be.
  private func isProtected(_ file: Path) throws(Complaint) -> Bool? {
    try access.attribute("protected", of: file).map { $0 == [UInt8(ascii: "1")] }
  }
}

extension EntryText {
  /// Reads what an editor left of the text of `before`, and refuses what no entry can hold.
  static func checked(
    _ text: borrowing WipedBuffer, over before: [Field]
  ) throws(Complaint) -> [Field] {
    do throws(Fault) {
      let fields = try read(text.bytes)
      guard !fields.isEmpty else {
        throw Fault(line: 0, reason: "the text has no field any more")
      }
      for field in fields {
        let isNew = !before.contains { $0.name == field.name }
        if let reason = problem(of: field, isNew: isNew) {
          throw Fault(line: field.line, reason: reason)
        }
      }
      return fields
    } catch {
      throw Complaint(error.reason, hints: ["nothing was changed"], exitCode: .editor)
        .at(line: error.line)
    }
  }

  private static func problem(of field: Field, isNew: Bool) -> String? {
    if field.name.contains(UInt8(ascii: "/")) {
      return "a field whose name has a '/': its file can't be called so"
    }
    if isNew, String(decoding: field.name, as: UTF8.self).lowercased() == "title" {
      return "the title is what the entry is called: 'kdbxfs mv' changes it"
    }
    let value = field.value
    if TextCheck.firstProblem(in: value.bytes) == nil { return nil }
    return "a value holds what a vault can't: no UTF-8, or a control character"
  }
}

extension Complaint {
  /// The same, with the line of the text that it is about; 0 for none.
  fileprivate func at(line: Int) -> Complaint {
    guard line > 0 else { return self }
    return Complaint("line \(line) of the text: \(message)", hints: hints, exitCode: exitCode)
  }
}
