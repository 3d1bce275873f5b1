import KDBX

/// Which parts of an entry or a group are taken from theirs.
struct MergeDecision {
  /// What only they changed.
  var taken: [ElementPart] = []
  /// What both changed, each otherwise.
  var conflicts: [ElementPart] = []
  /// Whether theirs wins where both changed something.
  var isTheirsLater: Bool

  var allTaken: [ElementPart] { isTheirsLater ? taken + conflicts : taken }
}

extension Merger {
  func isLater(_ left: Times, _ right: Times) -> Bool {
    (left.lastModification ?? .earliest) > (right.lastModification ?? .earliest)
  }

  /// Decides part by part, with a base, or by time alone.
  func decide(
    _ mine: ElementParts, _ other: ElementParts, base: ElementParts?, isTheirsLater: Bool
  ) -> MergeDecision {
    var decision = MergeDecision(isTheirsLater: isTheirsLater)
    for part in mine.parts(with: other) where !mine.isSame(part, as: other) {
      if Self.saysNothing(part, in: other) { continue }
      if Self.saysNothing(part, in: mine) {
        decision.taken.append(part)
      } else if let base {
        if other.isSame(part, as: base) { continue }
        if mine.isSame(part, as: base) {
          decision.taken.append(part)
        } else {
          decision.conflicts.append(part)
        }
      } else if isTheirsLater {
        decision.taken.append(part)
      }
    }
    return decision
  }

  /// Whether a part that a side lacks isn't to be taken for removed: programs drop what they don't
  /// know.
  ///
  /// Fields and attachments are known to all; so is custom data to a program that kept another item
  /// of it.
  static func saysNothing(_ part: ElementPart, in parts: ElementParts) -> Bool {
    guard !parts.has(part) else { return false }
    return switch part {
    case .string, .attachment, .icon, .expiry: false
    case .element, .item(.customIcons, _): true
    case .item(.customData, _): !parts.hasCustomData
    }
  }

  /// Whether nothing of either is lost in a state that has all that one of them says and the other
  /// may have dropped.
  static func agree(_ left: ElementParts, _ right: ElementParts) -> Bool {
    left.parts(with: right).allSatisfy { part in
      left.isSame(part, as: right) || saysNothing(part, in: left) || saysNothing(part, in: right)
    }
  }

  /// Whether `whole` says all that `part` does, and no more than what `part` may have dropped.
  static func covers(_ whole: ElementParts, _ part: ElementParts) -> Bool {
    whole.parts(with: part).allSatisfy { name in
      whole.isSame(name, as: part) || saysNothing(name, in: part)
    }
  }
}

extension Times {
  /// Takes the times of a merged state: those of the side that it says the same as, else later ones
  /// than either has, because other programs drop one of two states with one time.
  mutating func stamp(mergedWith theirs: Times, isAsTheirs: Bool, at now: VaultTime) {
    let later = max(lastModification ?? .earliest, theirs.lastModification ?? .earliest)
    if isAsTheirs {
      lastModification = theirs.lastModification
    } else {
      lastModification = max(
        now, later < .latest ? VaultTime(unixSeconds: later.unixSeconds + 1) : later)
    }
    if let access = theirs.lastAccess { lastAccess = max(lastAccess ?? .earliest, access) }
    usageCount = max(usageCount, theirs.usageCount)
  }
}
