import Platform

/// The programs of a person's that a mount runs later: `--challenge-response`, `--unlock-with`.
enum HelperProgram {
  /// The same program also when the folder has changed, as it does once the mount answers.
  static func absolute(_ program: [[UInt8]]) throws(Complaint) -> [[UInt8]] {
    let path = Path(program[0])
    guard path.bytes.contains(UInt8(ascii: "/")), !path.isAbsolute else { return program }
    do throws(Errno) {
      return [try Files.currentDirectory().appending(path.bytes).bytes] + program.dropFirst()
    } catch {
      throw Complaint("the current folder can't be told: \(error)", exitCode: .noKeyMaterial)
    }
  }
}
