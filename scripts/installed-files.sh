# What scripts/install puts below its prefix; meant to be sourced after `prefix` is known.

# Each file: its mode, where it comes from (BUILT: the folder of the release programs), its place.
installed_files() {
  cat <<'FILES'
755 BUILT/kdbxfs bin/kdbxfs
755 BUILT/mount.kdbxfs sbin/mount.kdbxfs
644 mount-helper/kdbxfs@.service lib/systemd/user/kdbxfs@.service
644 docs/man/kdbxfs.1 share/man/man1/kdbxfs.1
644 docs/man/kdbxfs.7 share/man/man7/kdbxfs.7
644 docs/man/mount.kdbxfs.8 share/man/man8/mount.kdbxfs.8
644 docs/completions/kdbxfs.bash share/bash-completion/completions/kdbxfs
644 docs/completions/kdbxfs.zsh share/zsh/vendor-completions/_kdbxfs
644 docs/completions/kdbxfs.fish share/fish/vendor_completions.d/kdbxfs.fish
644 Sources/CWordList/LICENSE.txt share/doc/kdbxfs/wordlist-license.txt
644 README.md share/doc/kdbxfs/README.md
644 docs/tree.md share/doc/kdbxfs/docs/tree.md
644 docs/editing.md share/doc/kdbxfs/docs/editing.md
644 docs/command-line.md share/doc/kdbxfs/docs/command-line.md
FILES
}

# Links beside those: the place, and the file in the same folder that it leads to.
installed_links() {
  cat <<'LINKS'
bin/git-credential-kdbxfs kdbxfs
bin/kdbxfs-askpass kdbxfs
sbin/mount.fuse.kdbxfs mount.kdbxfs
sbin/umount.fuse.kdbxfs mount.kdbxfs
share/man/man8/mount.fuse.kdbxfs.8.gz mount.kdbxfs.8.gz
share/man/man8/umount.fuse.kdbxfs.8.gz mount.kdbxfs.8.gz
LINKS
}

# Where mount(8) and umount(8) look for helpers.
helpers=(mount.kdbxfs mount.fuse.kdbxfs umount.fuse.kdbxfs)

helpers_need_links() { [ -z "${DESTDIR:-}" ] && [ "$(id -u)" -eq 0 ] && [ "$prefix" != /usr ]; }
