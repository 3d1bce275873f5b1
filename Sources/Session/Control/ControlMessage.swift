/// What a command asks of a mounted vault's process; one JSON object on one line.
package enum ControlRequest: Hashable, Sendable {
  case unmount(lazily: Bool)
  case save
  case status

  /// The most bytes that a line may have.
  static let longestLine = 4096

  /// Reads a request; `nil` when it says nothing that we know.
  init?(_ object: JSONObject) {
    switch object["command"] {
    case .string("umount"): self = .unmount(lazily: object["lazily"] == .boolean(true))
    case .string("save"): self = .save
    case .string("status"): self = .status
    default: return nil
    }
  }

  var object: JSONObject {
    switch self {
    case .unmount(let lazily): ["command": .string("umount"), "lazily": .boolean(lazily)]
    case .save: ["command": .string("save")]
    case .status: ["command": .string("status")]
    }
  }
}

extension SessionError.Kind: CaseIterable {
  package static let allCases: [SessionError.Kind] = [
    .unreadable, .mountedElsewhere, .wrongKey, .emptyPassword, .unwritable, .conflict, .busy,
    .refused,
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
