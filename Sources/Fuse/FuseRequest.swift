package import Platform

/// One request of the kernel's, as a person may see it: what it is about, never what is in a file.
package struct FuseRequest: Hashable, Sendable {
  /// The calls of the kernel's interface that are answered, by their names there.
  package enum Call: String, CaseIterable, Sendable {
    case lookup = "LOOKUP"
    case getAttributes = "GETATTR"
    case setAttributes = "SETATTR"
    case readLink = "READLINK"
    case statistics = "STATFS"
    case makeNode = "MKNOD"
    case makeDirectory = "MKDIR"
    case symbolicLink = "SYMLINK"
    case link = "LINK"
    case unlink = "UNLINK"
    case removeDirectory = "RMDIR"
    case rename = "RENAME"
    case create = "CREATE"
    case open = "OPEN"
    case read = "READ"
    case write = "WRITE"
    case flush = "FLUSH"
    case release = "RELEASE"
    case synchronize = "FSYNC"
    case openDirectory = "OPENDIR"
    case readDirectory = "READDIR"
    case readDirectoryPlus = "READDIRPLUS"
    case releaseDirectory = "RELEASEDIR"
    case synchronizeDirectory = "FSYNCDIR"
    case getExtendedAttribute = "GETXATTR"
    case listExtendedAttributes = "LISTXATTR"
    case setExtendedAttribute = "SETXATTR"
    case removeExtendedAttribute = "REMOVEXATTR"

    /// Whether the call may change what others see.
    package var mayChange: Bool {
      switch self {
      case .setAttributes, .makeNode, .makeDirectory, .symbolicLink, .link, .unlink,
        .removeDirectory, .rename, .create, .open, .write, .flush, .release,
        .setExtendedAttribute, .removeExtendedAttribute:
        true
      default: false
      }
    }
  }

  /// A running number of the mount's; the answer has it too.
  package let number: UInt64
  package let call: Call
  package let inode: InodeNumber
  /// The names in it: the file's, and the new one of a rename or link.
  package let names: [[UInt8]]
  /// Sizes, offsets and flags, where it has any.
  package let detail: String

  package init(
    number: UInt64, call: Call, inode: InodeNumber, names: [[UInt8]] = [], detail: String = ""
  ) {
    self.number = number
    self.call = call
    self.inode = inode
    self.names = names
    self.detail = detail
  }
}

extension FuseRequest: CustomStringConvertible {
  /// `17 RENAME 5 'url' 'url~'`: one line, whatever is in the names.
  package var description: String {
    let words = ["\(number)", call.rawValue, "\(inode.rawValue)"] + names.map(Self.quoted)
    return (detail.isEmpty ? words : words + [detail]).joined(separator: " ")
  }

  /// A name in quotes; bytes that would end the line or the quotes, or are no text, as `\xNN`.
  private static func quoted(_ name: [UInt8]) -> String {
    let isText = String(validating: name, as: UTF8.self) != nil
    var bytes: [UInt8] = []
    for byte in name {
      let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x27 && byte != 0x5C
      if isPlain || (isText && byte >= 0x80) {
        bytes.append(byte)
      } else {
        let digits = Array("0123456789abcdef".utf8)
        bytes += [0x5C, 0x78, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return "'" + String(decoding: bytes, as: UTF8.self) + "'"
  }
}

/// Who is told of each request and each answer: a log, or a test.
///
/// Both are called on the threads that serve, `begins` before the file system sees the request, `ends`
/// before the kernel gets the answer (`nil`: it went well).
package struct RequestObserver: Sendable {
  package let begins: @Sendable (FuseRequest) -> Void
  package let ends: @Sendable (_ number: UInt64, Errno?) -> Void

  package init(
    begins: @escaping @Sendable (FuseRequest) -> Void,
    ends: @escaping @Sendable (_ number: UInt64, Errno?) -> Void
  ) {
    self.begins = begins
    self.ends = ends
  }
}
