import Ciphers
import KDBX
import Secrets
import Vault

// The files `.json` and `.env` of an entry: all that it holds, for scripts.

extension TreeState {
  /// The content of `.json`: one object whose members are always the same, then a line feed.
  mutating func entryJSON(_ owner: UInt64) throws(TreeError) -> SealedBytes {
    let entry = try entry(owner)
    let times = entry.times
    let uuid = entry.uuid.hex(uppercase: false)
    let path = try path(of: owner)
    var json = JSONWriter()
    json.beginObject()
    json.write(uuid.span, as: "uuid")
    json.write(path.span, as: "path")
    try write(.field(FieldKey.title), owner, as: "title", to: &json)
    try write(.field(FieldKey.userName), owner, as: "username", to: &json)
    try write(.field(FieldKey.password), owner, as: "password", to: &json)
    try write(.field(FieldKey.url), owner, as: "url", to: &json)
    try write(.field(FieldKey.notes), owner, as: "notes", to: &json)
    json.beginObject("fields")
    for key in try customFields(owner) {
      var value = WipedBuffer()
      try open(.field(key), owner, into: &value)
      json.write(value.bytes, named: key)
    }
    json.endObject()
    for (key, name) in [(ItemKey.totp, "totp" as StaticString), (.hotp, "hotp")] {
      if try isShown(key, owner) {
        try write(key, owner, as: name, to: &json)
      } else {
        json.writeNull(as: name)
      }
    }
    json.beginList("tags")
    for tag in Tags.parse(entry.tags) { json.write(tag.span) }
    json.endList()
    try writeAttachments(owner, to: &json)
    write(time: times.expires ? times.expiry : nil, as: "expires", to: &json)
    write(time: times.creation, as: "created", to: &json)
    write(time: times.lastModification, as: "modified", to: &json)
    json.endObject()
    return sealing.seal(json.output.bytes)
  }

  /// The content of `.env`: a line `name='value'` for each field.
  mutating func entryVariables(_ owner: UInt64) throws(TreeError) -> SealedBytes {
    let standard = [FieldKey.title] + FieldNames.shownStandardKeys
    let custom = try customFields(owner)
    let names = VariableNames.names(
      for: [Array("title".utf8)]
        + FieldNames.shownStandardKeys.compactMap {
          FieldNames.standardFileName(of: $0)
        } + custom)
    var text = WipedBuffer()
    for (key, name) in zip(standard + custom, names) {
      var value = WipedBuffer()
      try open(.field(key), owner, into: &value)
      text.append(name.span)
      text.append("='")
      let bytes = value.bytes
      for i in bytes.indices {
        // Out of the quotes, a quote by itself, and into them again.
        if bytes[i] == UInt8(ascii: "'") { text.append("'\\''") } else { text.append(bytes[i]) }
      }
      text.append("'\n")
    }
    return sealing.seal(text.bytes)
  }

  /// The keys of the custom fields that the entry's directory shows, in its order.
  private mutating func customFields(_ owner: UInt64) throws(TreeError) -> [[UInt8]] {
    try shownItems(owner).compactMap { key in
      guard case .field(let field) = key, FieldNames.standardFileName(of: field) == nil else {
        return nil
      }
      return field
    }
  }

  /// Appends what reading a file gives.
  private mutating func open(
    _ key: ItemKey, _ owner: UInt64, into output: inout WipedBuffer
  ) throws(TreeError) {
    let value: RestingBytes
    if key == .field(FieldKey.title) {
      // It has no file: the directory is called by it, as it stands.
      value = .text(try entry(owner).string(FieldKey.title)?.value ?? .empty)
    } else {
      value = try shownValue(of: key, owner)
    }
    try value.open(in: vault.document, into: &output)
  }

  private mutating func write(
    _ key: ItemKey, _ owner: UInt64, as name: StaticString, to json: inout JSONWriter
  ) throws(TreeError) {
    var value = WipedBuffer()
    try open(key, owner, into: &value)
    json.write(value.bytes, as: name)
  }

  private mutating func writeAttachments(
    _ owner: UInt64, to json: inout JSONWriter
  ) throws(TreeError) {
    json.beginList("attachments")
    for key in try shownAttachments(owner) {
      guard case .attachment(let name) = key else { continue }
      json.beginObject()
      json.write(name.span, as: "name")
      json.write(try shownValue(of: key, owner).count(in: vault.document), as: "size")
      json.endObject()
    }
    json.endList()
  }

  private func write(time: VaultTime?, as name: StaticString, to json: inout JSONWriter) {
    guard let text = time?.isoBytes else { return json.writeNull(as: name) }
    json.write(text.span, as: name)
  }
}
