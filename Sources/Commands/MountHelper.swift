/// The command line of `mount.kdbxfs`, which mount(8) runs for `mount -t kdbxfs` and for fstab, as ours.
///
/// `mount.kdbxfs VAULT MOUNTPOINT [-sfnv] [-N namespace] [-o options] [-t type]`: `-f` means "only
/// pretend", `-s` "drop what isn't known"; `-n`, `-v`, `-N` and `-t` concern mount(8) itself.
package enum MountHelper {
  /// What a helper's command line means.
  package struct Request: Hashable, Sendable {
    /// The same as a command line of `kdbxfs`, without the program's name.
    package var arguments: [[UInt8]] = []
    /// Whether nothing is to be done.
    package var pretends = false
  }

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
      request.arguments.append(Array("-o".utf8))
      request.arguments.append(isSloppy ? known(list) : list)
    }
    return request
  }

  /// The options of a list that we know; escapes stay as they are.
  private static func known(_ list: [UInt8]) -> [UInt8] {
    let items = ArgumentParser.items(of: list, keepingEscapes: true).filter { item in
      let name = String(decoding: item.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      return OptionSpec.named(name) != nil || OptionSpec.isGeneric(name)
    }
    return Array(items.joined(separator: [UInt8(ascii: ",")]))
  }
}
