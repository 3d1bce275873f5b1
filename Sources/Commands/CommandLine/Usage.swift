/// The texts of `--help` and `--version`, made from the tables of commands and options.
package enum Usage {
  /// The version of this program, as the change log names it.
  package static let version = "kdbxfs 0.1.0"

  /// The columns that the whole text takes at most.
  private static let width = 92
  /// The column in which what an option does begins.
  private static let column = 24

  // MARK: - The whole

  /// What `--help` prints.
  package static var help: String {
    var text = "Usage: kdbxfs [options] VAULT MOUNTPOINT [-o option,option]\n"
    for command in CommandSpec.all {
      text += "       kdbxfs \(command.name) \(command.synopsis)\n"
    }
    text += """

      Mounts a KeePass vault (KDBX) as a directory tree: groups are directories, entries are
      directories of files, reading a file reveals one field, writing it edits the entry.
      'kdbxfs COMMAND --help' tells more of a command.
      ~/.config/kdbxfs/NAME.conf names a vault (see kdbxfs(1)); NAME stands for its mount point.


      """
    for group in OptionGroup.all {
      text += group.title + "\n"
      if group.title == OptionGroup.everywhere.title { text += ownOptions.first }
      for option in group.options { text += line(of: option, naming: true, width: width) }
      if let note = group.note { text += wrapped(note, indent: 2, width: width) }
      if group.title == OptionGroup.everywhere.title { text += ownOptions.last }
      text += "\n"
    }
    return text + ending
  }

  /// What the parser itself takes, before and behind the table's options that are for everything.
  private static let ownOptions = (
    first:
      "  -o option,option      long options as mount(8) has them, and words of mount(8) itself\n",
    last: """
      -h, --help            this text, or that of a command
      -V, --version         the version

    """
  )

  private static let ending = """
    Exit codes: 0 ok, 1 usage, 9 no password or key file could be read, 10 mount point,
    12 wrong password or key file, 15 interrupted, 19 FUSE, 20 no mount answers,
    22 an empty password that doesn't open the vault, 23 vault can't be opened,
    24 vault can't be written, 26 check found faults, 27 nothing was found, 28 no clipboard,
    29 the editor failed; run ends as its command does: 126 it can't be run, 127 it isn't there.

    Example:
      $ kdbxfs ~/passwords.kdbx ~/vault
      Password for passwords.kdbx:
      $ cat ~/vault/Internet/GitHub/password
      $ kdbxfs umount ~/vault

    """

  // MARK: - One command

  /// What `kdbxfs COMMAND --help` prints: at most 24 lines of 80 columns.
  static func help(for command: CommandSpec) -> String {
    let width = 80
    var text = "Usage: kdbxfs \(command.name) \(command.synopsis)\n\n"
    text += wrapped(command.summary, indent: 0, width: width)
    let groups = OptionGroup.all.filter { $0.title != OptionGroup.everywhere.title }
    let options = groups.filter { $0.title != OptionGroup.key.title }.flatMap(\.options)
      .filter { $0.commands.contains(command.set) }
    if !options.isEmpty { text += "\n" }
    if command.set == .mount {
      let names = options.map { "--\($0.name)" }.joined(separator: ", ")
      text += wrapped("Options: \(names).", indent: 0, width: width)
    }
    for option in options where command.set != .mount {
      text += line(of: option, naming: false, width: width)
    }
    if command.set.isSubset(of: [.onEither, .onMount]), let note = OptionGroup.which.note {
      text += wrapped(note, indent: 0, width: width)
    }
    let keys = OptionGroup.key.options.filter { $0.commands.contains(command.set) }
    if !keys.isEmpty {
      let names = keys.map { "--\($0.name)" }.joined(separator: ", ")
      text += "\n" + wrapped("For the key: \(names).", indent: 0, width: width)
    }
    text += "\n'kdbxfs --help' has all options, 'man kdbxfs' tells more.\n"
    return text + "\nExample:\n  $ \(command.example)\n"
  }

  // MARK: - Lines

  /// What an option is called and does; `naming` the commands that it is for, unless that is mounting.
  private static func line(of option: OptionSpec, naming: Bool, width: Int) -> String {
    var name = option.letter.map { "  -\(Character(Unicode.Scalar($0))), " } ?? "      "
    name += "--\(option.name)"
    if case .value(let placeholder, _) = option.effect { name += " \(placeholder)" }
    var help = option.help
    if naming, !option.commands.contains(.mount), !option.commands.contains(.onEither) {
      let names = CommandSpec.all.filter { option.commands.contains($0.set) }.map(\.name)
      if names.count <= CommandSpec.all.count / 2, option.commands != .merge {
        help = names.joined(separator: ", ") + ": " + help
      }
    }
    let lines = wrapped(help, indent: column, width: width)
    if name.utf8.count >= column { return name + "\n" + lines }
    let padding = String(repeating: " ", count: column - name.utf8.count)
    return name + padding + Substring(lines.utf8.dropFirst(column))
  }

  /// The text in lines of at most `width` columns, each `indent` columns in.
  ///
  /// By bytes, which are all ASCII: to find each character's end took most of the time of `--help`.
  private static func wrapped(_ text: String, indent: Int, width: Int) -> String {
    let space = UInt8(ascii: " ")
    let margin = repeatElement(space, count: indent)
    var lines = Array(margin)
    var lineStart = 0
    var lastSpace: Int?
    for byte in text.utf8 {
      if byte == space { lastSpace = lines.count }
      lines.append(byte)
      guard lines.count - lineStart > width, byte != space, let end = lastSpace else { continue }
      lines[end] = UInt8(ascii: "\n")
      lines.insert(contentsOf: margin, at: end + 1)
      lineStart = end + 1
      lastSpace = nil
    }
    return String(decoding: lines, as: UTF8.self) + "\n"
  }
}
