/// How a file system is mounted.
///
/// Always `nodev,nosuid,noexec`, for a vault has none of these.
package struct MountOptions: Hashable, Sendable {
  /// What the mount table shows as the source.
  package var source: String
  /// What the mount table shows as the type, after `fuse.`.
  package var subtype: String
  /// Whether other users get in, as far as the modes let them: the kernel then checks these.
  package var allowsOthers = false
  /// Whether the kernel refuses every change by itself.
  package var isReadOnly = false

  package init(source: String, subtype: String) {
    self.source = source
    self.subtype = subtype
  }

  /// The options as one word for `-o`.
  var word: String {
    var words = ["nodev", "nosuid", "noexec"]
    words.append("fsname=" + Self.escaped(source))
    words.append("subtype=" + Self.escaped(subtype))
    words.append(isReadOnly ? "ro" : "rw")
    if allowsOthers { words += ["allow_other", "default_permissions"] }
    return words.joined(separator: ",")
  }

  /// A text that a comma doesn't end; a line feed in the mount table is the kernel's to escape.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      if scalar == "," || scalar == "\\" { escaped += "\\" }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }
}
