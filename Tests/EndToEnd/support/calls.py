"""Every call of the kernel's FUSE interface, the system calls that lead to it, and what must come of it."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import select
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
FIBMAP, FS_IOC_GETFLAGS = 1, 0x80086601
NO_REPLACE, EXCHANGE, WHITEOUT = 1, 2, 4


def outcome(attempt) -> str:
    """`done`, or the name of the errno."""
    try:
        attempt()
    except OSError as error:
        # Linux has one number for both names.
        return errno.errorcode[error.errno].replace("ENOTSUP", "EOPNOTSUPP")
    return "done"


def call(name: str, *arguments):
    """A function of the C library that Python doesn't have."""
    function = getattr(LIBC, name)
    if function(*arguments) != 0:
        raise OSError(ctypes.get_errno(), name)


def renameat2(old, new, flags):
    call("renameat2", AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags)


class Opened:
    """A descriptor for a moment."""

    def __init__(self, path, flags=os.O_RDONLY):
        self.number = os.open(path, flags, 0o600)

    def __enter__(self) -> int:
        return self.number

    def __exit__(self, *_):
        os.close(self.number)


@dataclass
class Call:
    name: str
    answer: str
    """In words, as the page has it."""
    why: str
    tries: Callable[[Path], list[tuple[str, str]]]
    """Does in an entry what leads to the call; gives what came of it and what must."""
    seen: bool = True
    """Whether the call itself must show in the log of requests."""


def on(path, action, flags=os.O_RDONLY):
    with Opened(path, flags) as file:
        return outcome(lambda: action(file))


def link(entry: Path):
    os.symlink("somewhere", entry / ".#url")
    assert os.readlink(entry / ".#url") == "somewhere"
    os.unlink(entry / ".#url")


def hard_link(entry: Path):
    (entry / "url.bak").write_text("x")
    os.link(entry / "url.bak", entry / "url~")
    assert os.stat(entry / "url~").st_nlink == 2
    os.unlink(entry / "url.bak")
    os.unlink(entry / "url~")


def interrupted_fsync(entry: Path):
    """A signal ends a process whatever it waits for."""
    child = subprocess.Popen(["/usr/bin/python3", "-c", """
import os
file = os.open('password', os.O_WRONLY)
print('', flush=True)
while True:
    os.pwrite(file, os.urandom(4).hex().encode(), 0)
    os.fsync(file)
"""], cwd=entry, stdout=subprocess.PIPE)
    child.stdout.readline()
    child.terminate()
    child.communicate(timeout=60)


def copy_range(entry: Path):
    with Opened(entry / "username") as source, Opened(entry / "notes", os.O_WRONLY) as target:
        assert os.copy_file_range(source, target, 5) == 5
    assert (entry / "notes").read_bytes()[:5] == (entry / "username").read_bytes()[:5]


def locks(entry: Path, action):
    with Opened(entry / "url", os.O_RDWR) as file:
        return outcome(lambda: action(file))


def maps(entry: Path, kind: int):
    with Opened(entry / "url", os.O_RDWR) as file:
        mmap.mmap(file, 0, kind, mmap.PROT_READ).close()


def polls(entry: Path):
    with Opened(entry / "url") as file:
        poll = select.poll()
        poll.register(file, select.POLLIN)
        assert poll.poll(0) == [(file, select.POLLIN)]


def seeks(entry: Path):
    with Opened(entry / "url") as file:
        size = os.fstat(file).st_size
        assert os.lseek(file, 0, os.SEEK_END) == size
        assert os.lseek(file, 0, os.SEEK_DATA) == 0
        assert os.lseek(file, 0, os.SEEK_HOLE) == size


def a_socket(entry: Path):
    with socket.socket(socket.AF_UNIX) as made:
        # By a short path: an address has 108 bytes.
        before = os.getcwd()
        os.chdir(entry)
        try:
            made.bind("socket")
        finally:
            os.chdir(before)


def lists(entry: Path):
    with os.scandir(entry) as names:
        return [name.name for name in names]


def syncs(entry: Path):
    with Opened(entry) as directory:
        call("syncfs", directory)


def mapped_only(_):
    return []


def counted(entry: Path):
    for name in os.listdir(entry):
        os.stat(entry / name)
    return []


CALLS = [
    Call("LOOKUP", "supported", "", lambda e: [(outcome(lambda: os.stat(e / "nothing")), "ENOENT")]),
    Call("FORGET", "supported", "counted; `FuseTests` see all references given back", counted, False),
    Call("GETATTR", "supported", "sizes are exact",
         lambda e: [(outcome(lambda: os.stat(e / "totp")), "done")]),
    Call("SETATTR", "supported; another owner `EPERM`",
         "modes and times are taken without effect, a size is an edit",
         lambda e: [(outcome(lambda: os.chmod(e / "url", 0o644)), "done"),
                    (outcome(lambda: os.utime(e / "url", (1, 1))), "done"),
                    (outcome(lambda: os.truncate(e / "url", 3)), "done"),
                    (outcome(lambda: os.chown(e / "url", os.getuid(), os.getgid())), "done"),
                    (outcome(lambda: os.chown(e / "url", os.getuid() + 1, -1)), "EPERM")]),
    Call("READLINK", "supported", "temporary links, and those of `.kdbxfs`",
         lambda e: [(outcome(lambda: link(e)), "done")]),
    Call("SYMLINK", "temporary names only; else `EPERM`", "a vault holds no links",
         lambda e: [(outcome(lambda: link(e)), "done"),
                    (outcome(lambda: os.symlink("x", e / "link")), "EPERM")]),
    Call("MKNOD", "`EPERM`", "a vault holds no devices, pipes and sockets",
         lambda e: [(outcome(lambda: os.mkfifo(e / "pipe")), "EPERM"),
                    (outcome(lambda: a_socket(e)), "EPERM")]),
    Call("MKDIR", "supported; in an entry only `attachments`", "an entry holds no entries",
         lambda e: [(outcome(lambda: os.mkdir(e.parent / "made")), "done"),
                    (outcome(lambda: os.mkdir(e / "made")), "EPERM")]),
    Call("UNLINK", "supported", "", lambda e: [(outcome(lambda: os.unlink(e / "url")), "done")]),
    Call("RMDIR", "supported", "a group or entry goes to the recycle bin",
         lambda e: [(outcome(lambda: os.rmdir(e)), "ENOTEMPTY"),
                    (outcome(lambda: (os.mkdir(e.parent / "m2"), os.rmdir(e.parent / "m2"))), "done")]),
    Call("RENAME", "supported", "onto another entry `EEXIST` or `ENOTEMPTY`",
         lambda e: [(outcome(lambda: os.rename(e / "Codes", e / "Numbers")), "done")]),
    Call("RENAME2", "`RENAME_NOREPLACE` and `RENAME_EXCHANGE` supported, `RENAME_WHITEOUT` `EINVAL`",
         "shows as RENAME: libfuse has one function for both",
         lambda e: [(outcome(lambda: renameat2(e / "notes", e / "url", NO_REPLACE)), "EEXIST"),
                    (outcome(lambda: renameat2(e / "notes", e / "url", EXCHANGE)), "done"),
                    (outcome(lambda: renameat2(e / "notes", e / "url", WHITEOUT)), "EINVAL")], False),
    Call("LINK", "temporary names only; else `EPERM`", "a value has one name",
         lambda e: [(outcome(lambda: hard_link(e)), "done"),
                    (outcome(lambda: os.link(e / "url", e / "second")), "EPERM")]),
    Call("OPEN", "supported", "with `O_TRUNC` in it; everything is direct I/O",
         lambda e: [(on(e / "url", lambda f: None, os.O_RDWR), "done")]),
    Call("READ", "supported", "", lambda e: [(on(e / "url", lambda f: os.read(f, 9)), "done")]),
    Call("WRITE", "supported", "up to 1 MiB at a time",
         lambda e: [(outcome(lambda: (e / "url").write_text("x" * 3_000_000)), "done")]),
    Call("STATFS", "supported", "the room for temporary files and attachments",
         lambda e: [(outcome(lambda: os.statvfs(e)), "done")]),
    Call("RELEASE", "supported", "", lambda e: [(on(e / "url", lambda f: None), "done")]),
    Call("FSYNC", "supported", "answered when the vault is saved",
         lambda e: [(on(e / "url", os.fsync), "done"), (on(e / "url", os.fdatasync), "done")]),
    Call("SETXATTR", "`user.kdbx.protected`; else `EOPNOTSUPP`", "programs take that for none there",
         lambda e: [(outcome(lambda: os.setxattr(e / "url", "user.kdbx.protected", b"1")), "done"),
                    (outcome(lambda: os.setxattr(e / "url", "user.x", b"1")), "EOPNOTSUPP"),
                    (outcome(lambda: os.setxattr(e / "url", "system.posix_acl_access", b"\2\0\0\0")),
                     "EOPNOTSUPP")]),
    Call("GETXATTR", "supported", "foreign names `EOPNOTSUPP`",
         lambda e: [(outcome(lambda: os.getxattr(e, "user.kdbx.uuid")), "done"),
                    (outcome(lambda: os.getxattr(e, "user.x")), "EOPNOTSUPP")]),
    Call("LISTXATTR", "supported", "", lambda e: [(outcome(lambda: os.listxattr(e)), "done")]),
    Call("REMOVEXATTR", "`EOPNOTSUPP`", "none can be removed",
         lambda e: [(outcome(lambda: os.removexattr(e / "url", "user.kdbx.protected")),
                     "EOPNOTSUPP")]),
    Call("FLUSH", "supported", "settles what was written, and says what is refused; none comes for a reader",
         lambda e: [(on(e / "url", lambda f: os.close(os.dup(f)), os.O_WRONLY), "done")]),
    Call("INIT", "supported", "", mapped_only, False),
    Call("OPENDIR", "supported", "", lambda e: [(outcome(lambda: lists(e)), "done")]),
    Call("READDIR", "supported", "", lambda e: [(outcome(lambda: lists(e)), "done")], False),
    Call("RELEASEDIR", "supported", "", lambda e: [(outcome(lambda: lists(e)), "done")]),
    Call("FSYNCDIR", "supported", "answered when the vault is saved",
         lambda e: [(on(e, os.fsync), "done")]),
    Call("GETLK", "the kernel's own", "one machine, one mount: the kernel keeps the locks",
         lambda e: [(locks(e, lambda f: fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)), "done")], False),
    Call("SETLK", "the kernel's own", "as above",
         lambda e: [(locks(e, lambda f: fcntl.lockf(f, fcntl.LOCK_SH | fcntl.LOCK_NB)), "done")], False),
    Call("SETLKW", "the kernel's own", "as above; `flock` too",
         lambda e: [(locks(e, lambda f: fcntl.flock(f, fcntl.LOCK_EX)), "done")], False),
    Call("ACCESS", "the kernel's own", "only who mounted gets in; the modes say the rest",
         lambda e: [(outcome(lambda: os.access(e / "url", os.R_OK) or 1 / 0), "done")], False),
    Call("CREATE", "supported", "",
         lambda e: [(outcome(lambda: (e / "PIN").write_text("1")), "done")]),
    Call("INTERRUPT", "supported", "a waiting `fsync` answers `EINTR`",
         lambda e: [(outcome(lambda: interrupted_fsync(e)), "done")], False),
    Call("BMAP", "the kernel's own", "no block device, so no blocks; only root may ask",
         lambda e: [(on(e / "url", lambda f: fcntl.ioctl(f, FIBMAP, b"\0\0\0\0")),
                     "EPERM" if os.getuid() else "done")], False),
    Call("DESTROY", "supported", "saves what the unmount left", mapped_only, False),
    Call("IOCTL", "`ENOTTY`", "there is nothing to control",
         lambda e: [(on(e / "url", lambda f: fcntl.ioctl(f, FS_IOC_GETFLAGS, b"\0" * 8)), "ENOTTY")],
         False),
    Call("POLL", "the kernel's own", "a file is always ready",
         lambda e: [(outcome(lambda: polls(e)), "done")], False),
    Call("NOTIFY_REPLY", "not used", "nothing is asked of the kernel's cache", mapped_only, False),
    Call("BATCH_FORGET", "supported", "as FORGET", counted, False),
    Call("FALLOCATE", "`EOPNOTSUPP`", "a value has no room of its own",
         lambda e: [(on(e / "url", lambda f: call("fallocate", f, 0, *map(ctypes.c_long, (0, 10))),
                        os.O_RDWR), "EOPNOTSUPP")], False),
    Call("READDIRPLUS", "supported", "",
         lambda e: [(outcome(lambda: [os.stat(e / n) for n in lists(e)]), "done")]),
    Call("LSEEK", "the kernel's own", "no holes: all is data",
         lambda e: [(outcome(lambda: seeks(e)), "done")], False),
    Call("COPY_FILE_RANGE", "the kernel's own", "it reads and writes instead",
         lambda e: [(outcome(lambda: copy_range(e)), "done")], False),
    Call("SETUPMAPPING", "not used", "for virtual machines", mapped_only, False),
    Call("REMOVEMAPPING", "not used", "for virtual machines", mapped_only, False),
    Call("SYNCFS", "the kernel's own", "an `fsync` of any file or folder saves the vault",
         lambda e: [(outcome(lambda: syncs(e)), "done")], False),
    Call("TMPFILE", "`EOPNOTSUPP`", "programs then make a temporary name",
         lambda e: [(outcome(lambda: os.close(os.open(e, os.O_TMPFILE | os.O_RDWR))),
                     "EOPNOTSUPP")], False),
    Call("STATX", "as GETATTR", "libfuse 3.14 has no time of birth; it is xattr `user.kdbx.created`",
         lambda e: [(outcome(lambda: subprocess.run(["stat", "-c", "%W", e], check=True,
                                                    stdout=subprocess.DEVNULL)), "done")], False),
    Call("COPY_FILE_RANGE_64", "the kernel's own", "as COPY_FILE_RANGE", mapped_only, False),
    Call("shared mapping", "`ENODEV`", "direct I/O; a private one works",
         lambda e: [(outcome(lambda: maps(e, mmap.MAP_SHARED)), "ENODEV"),
                    (outcome(lambda: maps(e, mmap.MAP_PRIVATE)), "done")], False),
]
