import ByteCoding
import Secrets

extension OneTimePassword {
  /// Which form the text of a field `otp` has.
  enum AddressForm {
    /// `otpauth://TYPE/LABEL?QUERY`
    case address
    /// `key=…&step=…`
    case query
    /// A base32 key and nothing else.
    case key
  }

  /// The form of the text of a field `otp`; what is neither of the other two is to be a key.
  static func form(of text: Span<UInt8>) -> AddressForm {
    let text = text.extracting(text.trimmedRange)
    if text.hasPrefixIgnoringCase("otpauth://") { return .address }
    let parameters = QueryParameters(text)
    return parameters.range(of: "key") == nil ? .key : .query
  }

  /// Reads the text of a field `otp`: an otpauth URI, KeeOtp's query, or a bare base32 key.
  package static func parse(_ text: Span<UInt8>) throws(OneTimeProblem) -> OneTimePassword {
    switch form(of: text) {
    case .address: return try parse(address: text)
    case .query: return try parse(query: text)
    case .key:
      do throws(OneTimeProblem) {
        return OneTimePassword(key: try OneTimeParameters.bareKey(text))
      } catch {
        throw error == .malformedSecret ? .unknownForm : error
      }
    }
  }

  /// Reads an otpauth URI.
  ///
  /// The type `steam` and the parameter `encoder=steam` both mean Steam's codes. The label is not
  /// needed and not looked at. A line feed around the text doesn't matter.
  package static func parse(address: Span<UInt8>) throws(OneTimeProblem) -> OneTimePassword {
    let text = address.extracting(address.trimmedRange)
    guard text.hasPrefixIgnoringCase("otpauth://") else { throw .unknownForm }
    let rest = text.extracting(10..<text.count)
    let end = rest.firstIndex(of: UInt8(ascii: "#"), in: rest.indices) ?? rest.count
    let mark = rest.firstIndex(of: UInt8(ascii: "?"), in: 0..<end) ?? end
    let slash = rest.firstIndex(of: UInt8(ascii: "/"), in: 0..<mark) ?? mark
    let parameters = QueryParameters(rest.extracting(min(mark + 1, end)..<end))
    return try parse(
      type: rest.extracting(0..<slash),
      secret: try OneTimeParameters.base32(
        parameters.value(of: "secret").bytes),
      period: parameters.value(of: "period").bytes, digits: parameters.value(of: "digits").bytes,
      algorithm: parameters.value(of: "algorithm").bytes, parameters)
  }

  /// Reads KeeOtp's and KeeOtp2's query.
  static func parse(query: Span<UInt8>) throws(OneTimeProblem) -> OneTimePassword {
    let parameters = QueryParameters(query.extracting(query.trimmedRange))
    return try parse(
      type: parameters.value(of: "type").bytes, secret: try key(of: parameters),
      period: parameters.value(of: "step").bytes, digits: parameters.value(of: "size").bytes,
      algorithm: parameters.value(of: "otpHashMode").bytes, parameters)
  }

  private static func parse(
    type: Span<UInt8>, secret: consuming WipedBuffer, period: Span<UInt8>, digits: Span<UInt8>,
    algorithm: Span<UInt8>, _ parameters: borrowing QueryParameters
  ) throws(OneTimeProblem) -> OneTimePassword {
    let isSteam =
      type.equalsIgnoringCase("steam")
      || parameters.value(of: "encoder").bytes.equalsIgnoringCase("steam")
    let moment: Moment
    if type.equalsIgnoringCase("hotp") {
      moment = .counter(
        try OneTimeParameters.counter(parameters.value(of: "counter").bytes))
    } else if type.equalsIgnoringCase("totp") || type.isEmpty || isSteam {
      moment = .time(period: try OneTimeParameters.period(period))
    } else {
      throw .unknownType
    }
    return OneTimePassword(
      key: secret, moment: moment,
      style: isSteam ? .steam : .decimal(digits: try OneTimeParameters.digits(digits)),
      algorithm: try OneTimeParameters.algorithm(algorithm))
  }

  /// The key of KeeOtp's query, in the encoding that KeeOtp2 may name.
  private static func key(
    of parameters: borrowing QueryParameters
  ) throws(OneTimeProblem) -> WipedBuffer {
    let encoding = parameters.value(of: "encoding")
    let text = parameters.value(of: "key")
    return try OneTimeEncoding(named: encoding.bytes).decode(text.bytes)
  }
}
