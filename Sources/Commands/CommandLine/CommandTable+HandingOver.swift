import Platform

extension CommandSpec {
  /// The commands that hand values over to other programs.
  static let handingOver: [CommandSpec] = [
    command(
      "clip", .clip, "[--for TIME] [options] ENTRY[/FIELD]", 1...1,
      wants: "an entry, or a field of one",
      "Puts a field, or the password of an entry, on the clipboard of Wayland or X11, and empties that after a while (30s), unless it holds something else by then.",
      example: "kdbxfs clip ~/vault/Internet/GitHub",
      run: { (words, settings) throws(Complaint) in try ClipCommand.run(words[0], settings) }),
    command(
      "run", .run, "[--env NAME=ENTRY/FIELD]... [options] -- COMMAND [ARGUMENT...]",
      1...Int.max, wants: "a command",
      "Runs a command with fields in its environment, and ends as it does: with 126 or 127 where it can't be run, or isn't there.",
      example: "kdbxfs run --env PGPASSWORD=Work/db1/password -- psql -h db1",
      run: { (words, settings) throws(Complaint) in try RunCommand.run(words, settings) }),
    command(
      "inject", .inject, "[--output FILE] [options] TEMPLATE", 1...1, wants: "a template, or '-'",
      "Prints a template ('-': standard input) with fields in the place of {{ ENTRY/FIELD }}. Where one isn't there, nothing is written.",
      example: "kdbxfs inject --output ~/.pgpass pgpass.template",
      run: { (words, settings) throws(Complaint) in try InjectCommand.run(words[0], settings) }),
    command(
      "git-credential", .gitCredential, "[options] get | store | erase", 1...1,
      wants: "'get', 'store' or 'erase'",
      "Answers git, as gitcredentials(7) tells: from the entries for the site, best path first. What git stores are entries of its own, in the group Git; git erases no other.",
      example: "git config --global credential.helper '!kdbxfs git-credential'",
      run: { (words, settings) throws(Complaint) in
        try GitCredentialCommand.run(words[0], settings)
      }),
    command(
      "askpass", .askpass, "[--field ENTRY/FIELD] [options] QUESTION", 0...Int.max,
      wants: "a question",
      "Answers ssh (SSH_ASKPASS), sudo (SUDO_ASKPASS) and the like: ssh's questions from the entry with that user and URL ssh://HOST, or with the key's path as URL; any other for a password from the field that the option or KDBXFS_ASKPASS names.",
      example: "SUDO_ASKPASS=/usr/bin/kdbxfs-askpass KDBXFS_ASKPASS=Work/me sudo -A true",
      run: { (words, settings) throws(Complaint) in try AskpassCommand.run(words, settings) }),
  ]
}
