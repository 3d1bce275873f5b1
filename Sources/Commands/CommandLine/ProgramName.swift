import Platform

/// The names under which other programs look for one of our commands.
package enum ProgramName {
  /// The arguments that the program goes by, of all that it was started with, its name first.
  ///
  /// git runs `git-credential-NAME` for a helper called NAME; ssh and sudo take no arguments for the
  /// program that asks, and all that they give it is the question.
  package static func arguments(of all: [[UInt8]]) -> [[UInt8]] {
    let given = Array(all.dropFirst())
    return switch Path(all.first ?? []).lastComponent {
    case Array("git-credential-kdbxfs".utf8): [Array("git-credential".utf8)] + given
    case Array("kdbxfs-askpass".utf8): ["askpass", "--"].map { Array($0.utf8) } + given
    default: given
    }
  }
}
