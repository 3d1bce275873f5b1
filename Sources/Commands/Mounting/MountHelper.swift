import Platform

/// The command lines of the helpers that mount(8) and umount(8) run, as ours.
///
/// `mount.kdbxfs` (for `-t kdbxfs`, and for fstab), and `mount.fuse.kdbxfs` (for `-t fuse.kdbxfs`, as a
/// mount shows itself): `VAULT MOUNTPOINT [-sfnv] [-N namespace] [-o options] [-t type]`, where `-f`
/// means "only pretend", `-s` "drop what isn't known", and `-n`, `-v`, `-N` and `-t` concern mount(8)
/// itself. `umount.fuse.kdbxfs`: `MOUNTPOINT [-flnrv] [-N namespace] [-t type]`.
package enum MountHelper {
  /// What a helper's command line means.
  package struct Request: Hashable, Sendable {
    /// The same as a command line of `kdbxfs`, without the program's name.
    package var arguments: [[UInt8]] = []
    /// Whether nothing is to be done.
    package var pretends = false
    /// The user to become first: `setuid=`, else `uid=`.
    package var user: [UInt8]?
    /// The group to become: `gid=`.
    package var group: [UInt8]?
  }

  /// Runs a helper whose name and arguments these are; gives the number to end with.
  ///
  /// Call it first thing in `main`: it becomes the user for whom root mounts before it reads anything.
  package static func run(_ words: [[UInt8]]) -> Int32 {
    let name = words.first.map { Path($0).lastComponent } ?? []
    let arguments = Array(words.dropFirst())
    if name.starts(with: "umount".utf8) { return Kdbxfs.run(translateUnmount(arguments)) }
    let request = translate(arguments)
    if request.pretends { return ExitCode.success.rawValue }
    let code = Kdbxfs.saying { () throws(Complaint) in
      try become(request)
      return .success
    }
    return code == .success ? Kdbxfs.run(request.arguments) : code.rawValue
  }

  // MARK: - Mounting

  /// Translates the arguments, the program's name left out; what isn't understood is left for
  /// `kdbxfs` to refuse.
  package static func translate(_ arguments: [[UInt8]]) -> Request {
    var request = Request()
    var lists: [[UInt8]] = []
    var isSloppy = false
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.count > 1, argument[0] == UInt8(ascii: "-"), argument[1] != argument[0] else {
        request.arguments.append(argument)
        continue
      }
      for letter in argument.dropFirst() {
        switch letter {
        case UInt8(ascii: "f"): request.pretends = true
        case UInt8(ascii: "s"): isSloppy = true
        case UInt8(ascii: "n"), UInt8(ascii: "v"): break
        case UInt8(ascii: "o"): if let list = rest.popFirst() { lists.append(list) }
        case UInt8(ascii: "N"), UInt8(ascii: "t"): _ = rest.popFirst()
        default: request.arguments.append([UInt8(ascii: "-"), letter])
        }
      }
    }
    for list in lists {
      let ours = takeUser(from: list, into: &request)
      request.arguments.append(Array("-o".utf8))
      request.arguments.append(isSloppy ? known(ours) : ours)
    }
    return request
  }

  /// Takes the words that say for whom to mount out of a list of options.
  private static func takeUser(from list: [UInt8], into request: inout Request) -> [UInt8] {
    var rest: [[UInt8]] = []
    var number: [UInt8]?
    for item in ArgumentParser.items(of: list, keepingEscapes: true) {
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      let value = Array(item[equals...].dropFirst())
      switch String(decoding: item[..<equals], as: UTF8.self) {
      case "setuid": request.user = value
      case "uid": number = value
      case "gid": request.group = value
      default: rest.append(item)
      }
    }
    request.user = request.user ?? number
    return Array(rest.joined(separator: [UInt8(ascii: ",")]))
  }

  /// The options of a list that we know; escapes stay as they are.
  private static func known(_ list: [UInt8]) -> [UInt8] {
    let items = ArgumentParser.items(of: list, keepingEscapes: true).filter { item in
      let name = String(decoding: item.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      return OptionSpec.named(name) != nil || OptionSpec.isGeneric(name)
    }
    return Array(items.joined(separator: [UInt8(ascii: ",")]))
  }

  /// Becomes the user for whom is mounted.
  private static func become(_ request: Request) throws(Complaint) {
    guard request.user != nil || request.group != nil else { return }
    let user = request.user ?? Array("\(Process.user)".utf8)
    var group: UInt32?
    if let text = request.group {
      group = UInt32(decimal: text)
      guard group != nil else { throw .usage("'gid' wants a number, not '\(Path(text))'") }
    }
    do throws(UserSwitch.Failure) {
      try UserSwitch(to: user, group: group).become()
    } catch {
      switch error {
      case .unknownUser: throw .usage("there is no user '\(Path(user))'")
      case .notRoot:
        throw Complaint("only root can mount for user '\(Path(user))'", exitCode: .mountPoint)
      case .system(let errno):
        throw Complaint("user '\(Path(user))' can't be become: \(errno)", exitCode: .mountPoint)
      }
    }
  }

  // MARK: - Unmounting

  /// Translates the arguments of umount(8)'s helper.
  package static func translateUnmount(_ arguments: [[UInt8]]) -> [[UInt8]] {
    var translated = [Array("umount".utf8)]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.count > 1, argument[0] == UInt8(ascii: "-"), argument[1] != argument[0] else {
        translated.append(argument)
        continue
      }
      for letter in argument.dropFirst() {
        switch letter {
        case UInt8(ascii: "l"): translated.append(Array("--lazy".utf8))
        // What can't be reached, read-only instead, and what concerns umount(8) itself.
        case UInt8(ascii: "f"), UInt8(ascii: "r"), UInt8(ascii: "n"), UInt8(ascii: "v"): break
        case UInt8(ascii: "N"), UInt8(ascii: "t"): _ = rest.popFirst()
        default: translated.append([UInt8(ascii: "-"), letter])
        }
      }
    }
    return translated
  }
}
