import KDBX

/// An entry that both sides have, while it is merged.
struct EntryMerge {
  /// A state that loses, and is kept in the history.
  enum Loser {
    case ours, theirs, base
  }

  let ours: Entry
  /// Of the other document.
  let theirs: Entry
  /// Of the base.
  let base: Entry?
  /// Ours, with what was taken from theirs so far.
  var merged: Entry
  /// Theirs, brought over, once it was needed.
  var adopted: Entry?
  var losers: [Loser] = []

  init(ours: Entry, theirs: Entry, base: Entry?) {
    self.ours = ours
    self.theirs = theirs
    self.base = base
    merged = ours
  }

  /// The fields whose protection only they changed.
  var changedProtection: [[UInt8]] {
    guard let base else { return [] }
    return ours.strings.compactMap { field in
      guard let there = theirs.string(field.key), let before = base.string(field.key),
        there.isProtected != field.isProtected, before.isProtected == field.isProtected
      else { return nil }
      return field.key
    }
  }
}
