/// Something about a vault that isn't as it should be, and where.
package struct Finding: Hashable, Sendable {
  /// What it was found in.
  package enum Place: Hashable, Sendable {
    /// What stands before and behind the encrypted part.
    case file
    case header
    case innerHeader
    /// The XML as a whole.
    case document
    /// The vault's settings.
    case meta
    case deletedObjects
    case group(GroupID)
    case entry(EntryID)
    /// An old version of an entry, counted from 1, the oldest.
    case version(EntryID, number: Int)
  }

  package let place: Place
  package let fault: Fault
  /// The way to the element in that place, `Times/CreationTime`; empty where there is none.
  package let element: String
  /// The key of a field, the name of an attachment, whatever tells one from another; nil for none.
  package let name: [UInt8]?
  /// How often; more than one only where telling each would help nobody.
  package internal(set) var count = 1
  /// Whether `check --repair` mends it.
  package let isMendable: Bool

  init(
    _ fault: Fault, in place: Place, element: String = "", name: [UInt8]? = nil, count: Int = 1,
    isMendable: Bool? = nil
  ) {
    self.fault = fault
    self.place = place
    self.element = element
    self.name = name
    self.count = count
    self.isMendable = isMendable ?? fault.isMendable
  }
}

/// The programs that a fault is trouble for.
package enum KeePassProgram: String, Hashable, Sendable, CaseIterable {
  case keePass = "KeePass"
  case keePassXC = "KeePassXC"
  case keePassDX = "KeePassDX"
  case keePassium = "KeePassium"
  case keeWeb = "KeeWeb"
  case pykeepass = "pykeepass"
}

extension Fault {
  /// How bad it is.
  package enum Level: String, Hashable, Sendable {
    /// The vault contradicts its format, or a program refuses it or loses something by it.
    case fault
    /// It is allowed, and worth knowing: what some program can't do, or drops at its next save.
    case note
  }

  /// What a program does about it.
  package struct Consequence: Hashable, Sendable {
    package let program: KeePassProgram
    /// What follows the program's name in a sentence.
    package let effect: String

    init(_ program: KeePassProgram, _ effect: String) {
      self.program = program
      self.effect = effect
    }
  }

  package var level: Level { facts.level }
  /// What is wrong, as a clause.
  package var explanation: String { facts.explanation }
  package var consequences: [Consequence] { facts.consequences }
  /// Whether there is a way to mend it that loses nothing.
  package var isMendable: Bool { facts.isMendable }
}
