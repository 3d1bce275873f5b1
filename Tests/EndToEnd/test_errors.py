"""The errors of the tree, one row of docs/tree.md's table after the other, as a process sees them."""

import errno
import os
import socket
import stat

import pytest
from support import programs


def write(path, value):
    with open(path, "wb", buffering=0) as file:
        file.write(value)


def bind(path):
    with socket.socket(socket.AF_UNIX) as made:
        # By a short relative path: a socket's may have 107 bytes.
        here = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.chdir(path.parent)
            made.bind(path.name)
        finally:
            os.fchdir(here)
            os.close(here)


def remove_twice(entry):
    """Removes an entry, and then what lies in the bin of it."""
    trash = entry.parents[1] / "Recycle Bin"
    before = set(os.listdir(trash))
    for name in ("username", "password", "url", "notes"):
        (entry / name).unlink()
    entry.rmdir()
    (name,) = set(os.listdir(trash)) - before
    os.rmdir(trash / name)


# What is done to the entry GitHub (with something of everything), Mail, and a%2Fb (with nothing).
ROWS = {
    "no such entry": ("ENOENT", lambda g: os.stat(g.parent / "absent")),
    "no such field": ("ENOENT", lambda g: open(g / "absent")),
    "no such tag": ("ENOENT", lambda g: os.stat(g.parents[1] / ".kdbxfs" / "by-tag" / "absent")),
    "a value with a control character": ("EINVAL", lambda g: write(g / "url", b"a\1")),
    "a name that would be shown otherwise": ("EINVAL", lambda g: os.mkdir(g.parent / "x%41")),
    "a field that is shown under another name": ("EINVAL", lambda g: write(g / "Password", b"x")),
    "a name with a control character": ("EINVAL", lambda g: os.mkdir(g.parent / "x\ty")),
    "a tag with a separator": ("EINVAL", lambda g: write(g / "tags", b"a,b\n")),
    "a move into itself": (
        "EINVAL", lambda g: os.rename(g.parents[1] / "Work", g.parents[1] / "Work" / "Servers" / "x")),
    "a code where there is no secret": (
        "EINVAL", lambda g: write(g.parent / "a%2Fb" / "totp", b"123456\n")),
    "a value that is no text": ("EILSEQ", lambda g: write(g / "url", b"a\xffb")),
    "a value cut in a character": ("EILSEQ", lambda g: write(g / "url", b"a\xc3")),
    "a name that is no text": ("EILSEQ", lambda g: os.mkdir(os.fsencode(g.parent) + b"/x\xff")),
    "a write into a view": ("EACCES", lambda g: write(g / ".json", b"{}")),
    "a new name in a view": ("EACCES", lambda g: os.mkdir(g.parents[1] / ".kdbxfs" / "new")),
    "a write into an old version": (
        "EACCES", lambda g: write(next((g / ".history").iterdir()) / "password", b"x")),
    "the removal of an old version": (
        "EACCES", lambda g: os.unlink(next((g / ".history").iterdir()) / "password")),
    "another owner": ("EPERM", lambda g: os.chown(g / "url", os.getuid() + 1, -1)),
    "a file in a group": ("EPERM", lambda g: write(g.parent / "file", b"x")),
    "a link in a group": ("EPERM", lambda g: os.symlink("GitHub", g.parent / "link")),
    "a link in an entry": ("EPERM", lambda g: os.symlink("url", g / "link")),
    "a hard link to a field": ("EPERM", lambda g: os.link(g / "url", g / "other")),
    "an entry in an entry": ("EPERM", lambda g: os.rename(g.parent / "Mail", g / "Mail")),
    "a directory in an entry": ("EPERM", lambda g: os.mkdir(g / "directory")),
    "a pipe": ("EPERM", lambda g: os.mkfifo(g / "pipe")),
    "a socket": ("EPERM", lambda g: bind(g / "socket")),
    "removing for good what was removed": ("EPERM", lambda g: remove_twice(g.parent / "a%2Fb")),
    "a trash at the top": ("EPERM", lambda g: os.mkdir(g.parents[1] / ".Trash")),
    "a name over 255 bytes": ("ENAMETOOLONG", lambda g: write(g / ("n" * 256), b"x")),
    "a field over 16 MiB": ("EFBIG", lambda g: os.truncate(g / "url", (16 << 20) + 2)),
    "an attachment over 256 MiB": (
        "EFBIG", lambda g: os.truncate(g / "attachments" / "notes.txt", (256 << 20) + 1)),
    "a size at the end of all sizes": ("EFBIG", lambda g: os.truncate(g / "url", (1 << 63) - 1)),
    "more than scratch holds": ("ENOSPC", lambda g: fill(g)),
    "a foreign attribute": ("EOPNOTSUPP", lambda g: os.setxattr(g / "url", "user.mine", b"x")),
    "reading a foreign attribute": ("EOPNOTSUPP", lambda g: os.getxattr(g / "url", "user.mine")),
    "an attribute that can't be set": (
        "EOPNOTSUPP", lambda g: os.setxattr(g, "user.kdbx.uuid", b"0" * 32)),
    "onto another entry": ("ENOTEMPTY", lambda g: os.rename(g, g.parent / "Mail")),
    "a directory that is there": ("EEXIST", lambda g: os.mkdir(g.parent / "Mail")),
    "a directory that isn't empty": ("ENOTEMPTY", lambda g: os.rmdir(g)),
    "a path through a file": ("ENOTDIR", lambda g: os.stat(g / "url" / "x")),
    "a directory opened for writing": ("EISDIR", lambda g: os.open(g, os.O_WRONLY)),
}


def fill(entry):
    write(entry / "url~", b"a temporary file")
    os.truncate(entry / "url~", (64 << 20) + 1)


@pytest.mark.parametrize("what", ROWS)
def test_error(what, mounted, github):
    name, action = ROWS[what]
    attachments = sorted(os.listdir(github / "attachments"))
    if "attachment" in what and "notes.txt" not in attachments:
        action = lambda g: os.truncate(g / "attachments" / attachments[0], (256 << 20) + 1)  # noqa: E731
    with pytest.raises(OSError) as refused:
        action(github)
    assert errno.errorcode[refused.value.errno] in {name, "ENOTSUP" if name == "EOPNOTSUPP" else name}
    # The mount answers as before, and nothing of it stays.
    assert stat.S_ISDIR(os.stat(github).st_mode)
    assert (github / "url").read_text() == "https://github.com/login"
    assert sorted(os.listdir(github / "attachments")) == attachments


READ_ONLY = {
    "write": lambda g: write(g / "url", b"x"),
    "make": lambda g: write(g / "new", b"x"),
    "mkdir": lambda g: os.mkdir(g.parent / "new"),
    "unlink": lambda g: os.unlink(g / "url"),
    "rmdir": lambda g: os.rmdir(g.parents[1] / "Work" / "Empty"),
    "rename": lambda g: os.rename(g, g.parent / "new"),
    "truncate": lambda g: os.truncate(g / "url", 0),
    "chmod": lambda g: os.chmod(g / "url", 0o600),
    "utime": lambda g: os.utime(g / "url"),
    "symlink": lambda g: os.symlink("x", g / ".#url"),
    "setxattr": lambda g: os.setxattr(g / "url", "user.kdbx.protected", b"1"),
}


def test_a_read_only_mount_refuses_every_change(vault, before, place):
    mount = programs.mount(vault, place, "--ro", password="fixture")
    github = mount / "Internet" / "GitHub"
    for what, action in READ_ONLY.items():
        with pytest.raises(OSError) as refused:
            action(github)
        assert errno.errorcode[refused.value.errno] == "EROFS", what
    mount.unmount()
    before.expect_untouched()
