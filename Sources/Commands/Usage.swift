/// The texts of `--help` and `--version`.
package enum Usage {
  /// The version of this program, as the change log names it.
  package static let version = "kdbxfs 0.1.0"

  /// What `--help` prints; a test holds it against the table of options.
  package static let help = """
    Usage: kdbxfs [options] VAULT MOUNTPOINT [-o option,option]
           kdbxfs umount [--lazy] MOUNTPOINT
           kdbxfs save MOUNTPOINT
           kdbxfs status [--json] MOUNTPOINT
           kdbxfs ls [options] VAULT [PATH]
           kdbxfs cat [options] VAULT PATH...
           kdbxfs info VAULT

    Mounts a KeePass vault (KDBX) as a directory tree: groups are directories, entries are
    directories of files, reading a file reveals one field, writing it edits the entry.

    The key:
          --passfile FILE   the password is what FILE holds
          --extpass CMD     the password is what CMD prints; each further --extpass is an
                            argument of CMD, and no shell is asked
          --keyfile FILE    the vault needs this key file
          --no-password     the vault has no password (which differs from an empty one)
      Without these the password comes from standard input if that is a pipe or a file, else
      from the terminal. One line end after it is dropped.

    The mount:
          --ro              read-only
          --autosave TIME   save this long after the last change (5s); 0: only at fsync,
                            'kdbxfs save' and the end
          --exact           what is written is the value, a final line feed too
          --show-hidden     list .history, .json and other names that are only reachable
          --purge           let what this mount removed be removed from the recycle bin
          --allow-other     let root, and users the file modes admit, look in
          --fsname NAME     the source that the mount table shows
          --nonempty        mount over a directory that holds files
          --notifypid PID   send SIGUSR1 to PID when the mount answers
      -f, --foreground      stay in front

    Ending and asking:
          --lazy            umount: also when something uses the mount
          --json            status: print the answer as it came, a JSON object

    Everywhere:
      -o option,option      long options as mount(8) has them, and words of mount(8) itself
      -q, --quiet           no warnings
      -d, --debug           say what is done, but never a secret
      -h, --help            this text
      -V, --version         the version

    Exit codes: 0 ok, 1 usage, 9 no password or key file could be read, 10 mount point,
    12 wrong password or key file, 15 interrupted, 19 FUSE, 20 no mount answers,
    22 an empty password that doesn't open the vault, 23 vault can't be opened,
    24 vault can't be written.

    Example:
      $ kdbxfs ~/passwords.kdbx ~/vault
      Password for passwords.kdbx:
      $ cat ~/vault/Internet/GitHub/password
      $ kdbxfs umount ~/vault

    """
}
