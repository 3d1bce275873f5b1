/// What a command asks of a mounted vault's process; one JSON object on one line.
package enum ControlRequest: Hashable, Sendable {
  case unmount(lazily: Bool, rescuing: Bool = false)
  case save
  case status
  case lock
  /// Who read and wrote what: lists as ``VaultSession/accessLog`` has them.
  case log
  /// With the password and the key file's key, as far as there are any, of so many bytes: they follow
  /// the line, in this order.
  case unlock(passwordCount: Int?, keyCount: Int?)
  /// With the key that the mount remembers.
  case unlockAgain
  /// What a command asks of the entries.
  case entries(EntryQuery)

  /// The most bytes that a line may have.
  static let longestLine = 4096

  /// Reads a request; `nil` when it says nothing that we know.
  init?(_ object: JSONObject) {
    switch object["command"] {
    case .string("umount"):
      self = .unmount(
        lazily: object["lazily"] == .boolean(true), rescuing: object["rescue"] == .boolean(true))
    case .string("save"): self = .save
    case .string("status"): self = .status
    case .string("lock"): self = .lock
    case .string("log"): self = .log
    case .string("unlock-again"): self = .unlockAgain
    case .string("unlock"):
      guard let password = Self.count(object["password"]), let key = Self.count(object["key"])
      else { return nil }
      self = .unlock(passwordCount: password, keyCount: key)
    default:
      guard let query = EntryQuery(object) else { return nil }
      self = .entries(query)
    }
  }

  var object: JSONObject {
    switch self {
    case .unmount(let lazily, let rescuing):
      [
        "command": .string("umount"), "lazily": .boolean(lazily), "rescue": .boolean(rescuing),
      ]
    case .save: ["command": .string("save")]
    case .status: ["command": .string("status")]
    case .lock: ["command": .string("lock")]
    case .log: ["command": .string("log")]
    case .unlockAgain: ["command": .string("unlock-again")]
    case .entries(let query): query.object
    case .unlock(let password, let key):
      [
        "command": .string("unlock"), "password": Self.value(password), "key": Self.value(key),
      ]
    }
  }

  /// The most bytes of a secret.
  static let longestSecret = 1 << 20

  /// How many bytes of a secret follow; the inner `nil` is none, the outer one nonsense.
  private static func count(_ value: JSONValue?) -> Int?? {
    switch value {
    case nil, .null: .some(nil)
    case .integer(let count) where 0...Int64(longestSecret) ~= count: .some(Int(count))
    default: nil
    }
  }

  private static func value(_ count: Int?) -> JSONValue {
    count.map { .integer(Int64($0)) } ?? .null
  }
}

extension SessionError.Kind: CaseIterable {
  package static let allCases: [SessionError.Kind] = [
    .unreadable, .mountedElsewhere, .notLocked, .wrongKey, .noAnswer, .emptyPassword, .unwritable,
    .conflict, .locked, .busy, .absent, .refused,
  ]

  /// The word for it in a control line.
  var word: String { "\(self)" }
}

extension SessionError {
  /// The error as the answer to a request.
  var answer: JSONObject {
    [
      "ok": .boolean(false), "kind": .string(kind.word), "error": .string(message),
      "hints": .strings(hints), "errno": .integer(Int64(errnoValue)),
    ]
  }

  /// The error that an answer holds; `nil` when all went well.
  package init?(_ answer: JSONObject) {
    guard answer["ok"] != .boolean(true) else { return nil }
    guard case .string(let word) = answer["kind"], case .string(let message) = answer["error"],
      case .strings(let hints) = answer["hints"], case .integer(let errno) = answer["errno"],
      let kind = Kind.allCases.first(where: { $0.word == word })
    else {
      self.init(.refused, "the answer of the mount can't be understood")
      return
    }
    self.init(kind, message, hints: hints, errnoValue: CInt(truncatingIfNeeded: errno))
  }
}
