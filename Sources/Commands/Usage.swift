/// The texts of `--help` and `--version`.
package enum Usage {
  /// The version of this program, as the change log names it.
  package static let version = "kdbxfs 0.1.0"

  /// What `--help` prints; a test holds it against the table of options.
  package static let help = """
    Usage: kdbxfs [options] VAULT MOUNTPOINT [-o option,option]
           kdbxfs mount [options] NAME
           kdbxfs umount [--lazy] MOUNTPOINT
           kdbxfs lock MOUNTPOINT
           kdbxfs unlock [options] MOUNTPOINT
           kdbxfs save MOUNTPOINT
           kdbxfs status [--json] MOUNTPOINT
           kdbxfs ls [options] VAULT [PATH]
           kdbxfs cat [options] VAULT PATH...
           kdbxfs info VAULT
           kdbxfs check [--repair] [--json] VAULT
           kdbxfs merge [options] VAULT OTHER
           kdbxfs create [options] VAULT
           kdbxfs passwd [options] VAULT
           kdbxfs generate [options] [LENGTH | words [COUNT]]

    Mounts a KeePass vault (KDBX) as a directory tree: groups are directories, entries are
    directories of files, reading a file reveals one field, writing it edits the entry.
    ~/.config/kdbxfs/NAME.conf names a vault (see kdbxfs(1)); NAME stands for its mount point.

    The key:
          --passfile FILE   the password is what FILE holds
          --extpass CMD     the password is what CMD prints; each further --extpass is an
                            argument of CMD, and no shell is asked
          --keyfile FILE    the vault needs this key file
          --no-password     the vault has no password (which differs from an empty one)
          --challenge-response CMD
                            a hardware key has a part in the key, and CMD answers for it:
                            it reads the challenge as hex and prints the answer as hex;
                            each further one is an argument of CMD, and no shell is asked
          --max-memory SIZE refuse a vault whose key or content takes more (2G)
      Without these the password comes from a systemd credential, from standard input if that is
      a pipe or a file, from the terminal, or from pinentry. One line end after it is dropped.

    The mount:
          --ro              read-only
          --autosave TIME   save this long after the last change (5s); 0: only at fsync,
                            'kdbxfs save' and the end
          --idle TIME       lock when nothing has used the vault this long (15m); 0: never
          --on-idle ACTION  what happens then: lock, or unmount
          --lock-after TIME lock this long after each unlock, used or not (0: never)
          --remember TIME   after a lock, unlock without the key this long: the kernel keeps
                            what opens the vault, never the password (0: never)
          --unlock-with CMD when something in the locked vault is looked at, unlock it with
                            the password that CMD prints; each further one is an argument
                            of CMD. Without it the answer is "Required key not available"
          --unlock-within TIME  how long CMD may take (60s)
          --keep-on-suspend, --keep-on-screenlock, --keep-on-logout
                            don't lock when the machine sleeps, when the screen is locked, when
                            the session ends
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
          --json            status, check, merge: print the answer as JSON
          --repair          check: mend what another program refuses or loses data by,
                            and keep the old file beside the vault

    Merging takes what OTHER, another file of the same vault, has more into VAULT:
          --base FILE       the state that both come from: what only one side changed is
                            taken from it, field by field
      -n, --dry-run         print what would change, by entry and field, and write nothing
          --other-passfile FILE  holds the password of OTHER and the base, if it is another
          --force           merge vaults whose root groups differ

    New keys: create makes an empty vault, and passwd gives a vault another key. The key options
    above are those of the new vault, or the old key. A password is asked for twice.
          --make-keyfile    make the key file, which must not be there yet
          --kdf KIND        argon2id (create's own), argon2d or aes, set to about a second here
          --new-passfile FILE  passwd: the new password is what FILE holds
          --keep-password   passwd: only change something else
          --drop-password   passwd: no password from now on
          --new-keyfile FILE   passwd: another key file
          --drop-keyfile    passwd: no key file from now on

    A new password: so many characters (24) of each class, or words (6):
          --classes LIST    of lower, upper, digits, symbols: with commas between them
          --no-lookalikes   without what looks like something else: 0O1Il|8B6G5S2Z
          --separator TEXT  between words (a dash)
          --wordlist FILE   words of your own, one a line

    Everywhere:
      -o option,option      long options as mount(8) has them, and words of mount(8) itself
      -q, --quiet           no warnings
      -d, --debug           say what is done, with -f also each request and the names in
                            it, but never what is in a file
      -h, --help            this text
      -V, --version         the version

    Exit codes: 0 ok, 1 usage, 9 no password or key file could be read, 10 mount point,
    12 wrong password or key file, 15 interrupted, 19 FUSE, 20 no mount answers,
    22 an empty password that doesn't open the vault, 23 vault can't be opened,
    24 vault can't be written, 26 check found faults.

    Example:
      $ kdbxfs ~/passwords.kdbx ~/vault
      Password for passwords.kdbx:
      $ cat ~/vault/Internet/GitHub/password
      $ kdbxfs umount ~/vault

    """
}
