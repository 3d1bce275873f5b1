import ByteCoding
import Ciphers
import KDBX
import Secrets
import Vault

/// Vaults that tests make from a few lines.
enum Fixture {
  /// A field of an entry.
  struct Field {
    let key: String
    let value: String
    let isProtected: Bool

    init(_ key: String, _ value: String, protected isProtected: Bool = false) {
      self.key = key
      self.value = value
      self.isProtected = isProtected
    }
  }

  /// A group or an entry.
  indirect enum Node {
    case group(String, [Node], uuid: UInt64? = nil, created: Int64 = 0)
    case entry(
      String, [Field], uuid: UInt64? = nil, created: Int64 = 0, extra: String = "",
      history: [[Field]] = [], attachments: [(String, Int)] = [])
  }

  /// When everything was made and last changed, unless a test says otherwise: 2024-03-01T12:00:00Z.
  static let time: Int64 = 1_709_294_400
  static let bin: UInt64 = 0xB1

  static func empty() throws -> Vault { try vault([]) }

  /// A vault of 4.1 with these in its root; `meta` goes into Meta as it stands.
  static func vault(
    _ children: [Node], meta: String = "", binaries: [[UInt8]] = []
  ) throws -> Vault {
    var writer = Writer(stream: InnerStream(.chaCha20, key: [UInt8](repeating: 7, count: 64).span))
    writer.text += "<KeePassFile><Meta>\(meta)</Meta><Root>"
    writer.write(.group("Root", children, uuid: 1))
    writer.text += "</Root></KeePassFile>"
    let sealing = SealingKey()
    var buffer = WipedBuffer()
    var inner: [InnerBinary] = []
    for content in binaries {
      let start = buffer.count
      buffer.append(content.span)
      var all = buffer.mutableBytes
      var place = all._mutatingExtracting(start..<all.count)
      let nonce = sealing.sealInPlace(&place)
      inner.append(
        InnerBinary(flags: 1, content: start..<(start + content.count), nonce: nonce))
    }
    let start = buffer.count
    buffer.append(Array(writer.text.utf8).span)
    let end = buffer.count
    return Vault(
      try Document(
        source: DocumentSource(
          buffer: SharedBuffer(buffer), innerStream: writer.stream, sealingKey: sealing,
          binaries: inner),
        xml: start..<end, version: .kdbx41))
  }

  /// What Meta says of a recycle bin that is group ``bin``.
  static var binMeta: String {
    "<RecycleBinEnabled>True</RecycleBinEnabled><RecycleBinUUID>\(uuid(bin))</RecycleBinUUID>"
  }

  static func uuid(_ number: UInt64) -> String {
    String(decoding: VaultUUID(high: number << 32, low: 0).base64, as: UTF8.self)
  }

  private struct Writer {
    var text = ""
    let stream: InnerStream
    private var offset: UInt64 = 0
    private var nextUUID: UInt64 = 0x100

    init(stream: InnerStream) { self.stream = stream }

    mutating func write(_ node: Node) {
      switch node {
      case .group(let name, let children, let uuid, let created):
        text += "<Group><UUID>\(take(uuid))</UUID><Name>\(Self.escaped(name))</Name>"
        text += times(created)
        for case .entry in children { break }
        for child in children { write(child) }
        text += "</Group>"
      case .entry(let title, let fields, let uuid, let created, let extra, let history, let files):
        let uuid = take(uuid)
        text += "<Entry>"
        body(title, fields, uuid, created, extra, files)
        if !history.isEmpty {
          text += "<History>"
          for old in history {
            text += "<Entry>"
            body(title, old, uuid, created, "", [])
            text += "</Entry>"
          }
          text += "</History>"
        }
        text += "</Entry>"
      }
    }

    private mutating func body(
      _ title: String, _ fields: [Field], _ uuid: String, _ created: Int64, _ extra: String,
      _ files: [(String, Int)]
    ) {
      text += "<UUID>\(uuid)</UUID>\(extra)\(times(created))"
      write(Field("Title", title))
      for key in ["UserName", "Password", "URL", "Notes"]
      where !fields.contains(where: { $0.key == key }) {
        write(Field(key, "", protected: key == "Password"))
      }
      for field in fields { write(field) }
      for (name, number) in files {
        text += "<Binary><Key>\(Self.escaped(name))</Key><Value Ref=\"\(number)\"/></Binary>"
      }
    }

    private mutating func write(_ field: Field) {
      text += "<String><Key>\(Self.escaped(field.key))</Key>"
      if field.isProtected {
        var bytes = Array(field.value.utf8)
        let count = UInt64(bytes.count)
        var span = bytes.mutableSpan
        stream.apply(at: offset, to: &span)
        offset += count
        let base64 = String(decoding: Base64.encode(bytes.span), as: UTF8.self)
        text += "<Value Protected=\"True\">\(base64)</Value></String>"
      } else {
        text += "<Value>\(Self.escaped(field.value))</Value></String>"
      }
    }

    private mutating func take(_ uuid: UInt64?) -> String {
      nextUUID += 1
      return Fixture.uuid(uuid ?? nextUUID)
    }

    private func times(_ created: Int64) -> String {
      func text(_ seconds: Int64) -> String {
        String(decoding: VaultTime(unixSeconds: seconds).text(for: .kdbx41), as: UTF8.self)
      }
      let other = text(Fixture.time)
      return "<Times><CreationTime>\(text(created))</CreationTime>"
        + "<LastModificationTime>\(other)</LastModificationTime>"
        + "<LastAccessTime>\(other)</LastAccessTime><ExpiryTime>\(other)</ExpiryTime>"
        + "<Expires>False</Expires><UsageCount>3</UsageCount>"
        + "<LocationChanged>\(other)</LocationChanged></Times>"
    }

    private static func escaped(_ text: String) -> String {
      var result = ""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\r": result += "&#13;"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result
    }
  }
}
