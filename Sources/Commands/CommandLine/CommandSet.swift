/// Commands, as an option says which it means something to.
struct CommandSet: OptionSet, Sendable {
  let rawValue: UInt64

  static let mount = CommandSet(rawValue: 1)
  static let unmount = CommandSet(rawValue: 1 << 1)
  static let save = CommandSet(rawValue: 1 << 2)
  static let status = CommandSet(rawValue: 1 << 3)
  static let list = CommandSet(rawValue: 1 << 4)
  static let concatenate = CommandSet(rawValue: 1 << 5)
  static let information = CommandSet(rawValue: 1 << 6)
  static let lock = CommandSet(rawValue: 1 << 7)
  static let unlock = CommandSet(rawValue: 1 << 8)
  static let check = CommandSet(rawValue: 1 << 9)
  static let merge = CommandSet(rawValue: 1 << 10)
  static let create = CommandSet(rawValue: 1 << 40)
  static let changeKey = CommandSet(rawValue: 1 << 41)
  static let generate = CommandSet(rawValue: 1 << 42)
  static let log = CommandSet(rawValue: 1 << 43)
  static let totp = CommandSet(rawValue: 1 << 11)
  static let find = CommandSet(rawValue: 1 << 12)
  static let match = CommandSet(rawValue: 1 << 13)
  static let set = CommandSet(rawValue: 1 << 14)
  static let new = CommandSet(rawValue: 1 << 15)
  static let remove = CommandSet(rawValue: 1 << 16)
  static let move = CommandSet(rawValue: 1 << 17)
  static let restore = CommandSet(rawValue: 1 << 18)
  static let purge = CommandSet(rawValue: 1 << 19)
  static let edit = CommandSet(rawValue: 1 << 20)
  static let difference = CommandSet(rawValue: 1 << 21)
  static let revert = CommandSet(rawValue: 1 << 22)

  static let clip = CommandSet(rawValue: 1 << 30)
  static let run = CommandSet(rawValue: 1 << 31)
  static let inject = CommandSet(rawValue: 1 << 32)
  static let gitCredential = CommandSet(rawValue: 1 << 33)
  static let askpass = CommandSet(rawValue: 1 << 34)

  /// Those that hand values over to other programs.
  static let handingOver: CommandSet = [.clip, .run, .inject, .gitCredential, .askpass]

  /// Those that work on a mounted vault, or on a vault's file with `-v`.
  static let onEither: CommandSet = [
    .totp, .find, .match, .set, .new, .remove, .move, .restore, .purge, .edit, .handingOver,
  ]

  /// Those that work on a mounted vault, named as for ``onEither``.
  static let onMount: CommandSet = [.difference, .revert]

  /// Those that open a vault.
  static let opening: CommandSet = [
    .mount, .list, .concatenate, .check, .unlock, .merge, .changeKey, .onEither,
  ]
  /// Those that are given a key.
  static let keyed: CommandSet = [opening, .create]
  static let every = CommandSet(rawValue: .max)
}
