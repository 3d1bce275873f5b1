import Platform
import Secrets

/// `kdbxfs inject`: fills a template's fields in; writes all of it, or nothing.
enum InjectCommand {
  /// The most bytes of a template.
  private static let limit = 64 << 20

  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    try checkOutput(settings)
    let isStream = word.elementsEqual("-".utf8)
    let name = isStream ? "standard input" : Path(word).description
    let template = try read(word, isStream: isStream, named: name)
    let output = try filled(template.bytes, named: name, settings)
    try write(output.bytes, settings)
  }

  private static func read(
    _ word: [UInt8], isStream: Bool, named name: String
  ) throws(Complaint) -> WipedBuffer {
    do throws(Errno) {
      if isStream { return try Files.readWhole(StandardStream.input.duplicate(), limit: limit) }
      return try Files.readWhole(Path(word), limit: limit)
    } catch {
      throw Complaint("the template '\(name)' can't be read: \(error)", exitCode: .usage)
    }
  }

  private static func filled(
    _ template: Span<UInt8>, named name: String, _ settings: Settings
  ) throws(Complaint) -> WipedBuffer {
    let reader = FieldReader(settings)
    var output = WipedBuffer(capacity: template.count)
    for piece in try pieces(of: template, named: name) {
      switch piece {
      case .text(let range): output.append(template.extracting(range))
      case .field(let field, let line):
        do throws(Complaint) {
          let value = try reader.read(field)
          output.append(value.bytes)
        } catch {
          throw Complaint(
            "\(name):\(line): \(error.message)", hints: error.hints, exitCode: error.exitCode)
        }
      }
    }
    return output
  }

  private static func pieces(
    of template: Span<UInt8>, named name: String
  ) throws(Complaint) -> [Template.Piece] {
    do throws(Template.Failure) {
      return try Template(template).pieces
    } catch {
      switch error {
      case .unended(let line):
        throw .usage(
          "\(name):\(line): '{{' without '}}' in its line", hint: "'\\{{' is '{{' itself")
      case .empty(let line):
        throw .usage(
          "\(name):\(line): '{{ }}' names no field", hint: "write {{ ENTRY/FIELD }}")
      }
    }
  }

  // MARK: - The output

  /// Refuses what isn't replaced by a file, and isn't open already: a folder, a device, a pipe.
  private static func checkOutput(_ settings: Settings) throws(Complaint) {
    guard let file = settings.outputFile, Files.openDescriptor(at: file) == nil,
      let status = try? Files.status(of: file)
    else { return }
    guard status.kind == .regular else {
      throw .usage(
        "'\(file)' is no file", hint: "without --output all goes to standard output")
    }
  }

  private static func write(_ bytes: Span<UInt8>, _ settings: Settings) throws(Complaint) {
    guard let file = settings.outputFile else { return try VaultCommands.write(bytes) }
    if let number = Files.openDescriptor(at: file) {
      do throws(Errno) { return try Descriptor.duplicate(of: number).writeAll(bytes) } catch {
        throw Complaint("'\(file)' can't be written: \(error)", exitCode: .usage)
      }
    }
    do throws(ReplacementError) {
      // A new file is its owner's alone, an old one keeps its mode.
      _ = try AtomicReplacement.replace(file, with: bytes, verify: { _ in true })
    } catch {
      throw Complaint("'\(file)' can't be written: \(error.errno)", exitCode: .usage)
    }
  }
}
