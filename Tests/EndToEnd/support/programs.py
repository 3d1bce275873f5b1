"""The built program in a child process: mounting, unmounting, and nothing left behind."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 300  # seconds; nothing here takes this long, it only ends what hangs
LEAVING = 30  # seconds within which a process must have ended after its work
PRINTED = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}


def program() -> Path:
    """The built program: KDBXFS_PROGRAM, or what `swift build` left."""
    named = os.environ.get("KDBXFS_PROGRAM")
    places = [ROOT / named] if named else [
        ROOT / ".build" / kind / "kdbxfs" for kind in ("release", "debug")
    ]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError("no built kdbxfs: run scripts/test build release, or set KDBXFS_PROGRAM")


@dataclass
class Done:
    code: int
    out: bytes
    err: str

    @property
    def errors(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("kdbxfs: error: ")]


def run(*arguments, password: str | bytes | None = None, cwd=None, env=None) -> Done:
    """Runs `kdbxfs ARGUMENTS…` with a password on its standard input (None: nothing there)."""
    if isinstance(password, str):
        password = password.encode() + b"\n"
    given = {"stdin": subprocess.DEVNULL} if password is None else {"input": password}
    done = subprocess.run(
        [program(), *map(os.fspath, arguments)],
        **given,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        cwd=cwd,
        env=os.environ | PRINTED | (env or {}),
        # No terminal to ask: what would prompt must fail instead.
        start_new_session=True,
    )
    return Done(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


@dataclass(frozen=True)
class MountEntry:
    place: str
    kind: str
    source: str
    options: str


def unescaped(text: str) -> str:
    """A path of mountinfo, in which blanks and some others are octal."""
    raw = text.encode("utf-8", "surrogateescape")
    return raw.decode("unicode_escape").encode("latin-1").decode("utf-8", "surrogateescape")


def mount_table() -> list[MountEntry]:
    entries = []
    for line in Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines():
        before, after = line.split(" - ", 1)
        kind, source = after.split()[:2]
        fields = before.split()
        entries.append(MountEntry(unescaped(fields[4]), kind, unescaped(source), fields[5]))
    return entries


def mount_at(place) -> MountEntry | None:
    found = [entry for entry in mount_table() if entry.place == os.fspath(place)]
    return found[-1] if found else None


def wait_until(condition, what: str, seconds: float = PATIENCE):
    """Waits for a condition; returns what it answered."""
    end = time.monotonic() + seconds
    while True:
        if answer := condition():
            return answer
        assert time.monotonic() < end, f"waited {seconds} s in vain: {what}"
        time.sleep(0.02)


def control_socket(place) -> Path:
    """The socket that the serving process listens on: its name is made of the mount point's."""
    name = hashlib.sha256(os.fsencode(place)).hexdigest()[:32] + ".socket"
    for line in Path("/proc/net/unix").read_text().splitlines():
        if line.endswith("/" + name):
            return Path(line.split(maxsplit=7)[7])
    raise AssertionError("no socket")


def processes_naming(folder: Path) -> dict[int, str]:
    """kdbxfs processes whose command line names something in `folder`: pid to command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            line = (entry / "cmdline").read_bytes().split(b"\0")
            if not line or not line[0].endswith(b"kdbxfs"):
                continue
            if any(os.fsencode(folder) in argument for argument in line):
                if not (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    found[int(entry.name)] = b" ".join(line).decode("utf-8", "replace")
    return found


@dataclass
class Mount:
    """A mounted vault. Paths are joined by `/`: `mount / "Internet" / "GitHub"`."""

    vault: Path
    place: Path
    process: subprocess.Popen | None = None
    pids: list[int] = field(default_factory=list)
    said: str = ""

    def __truediv__(self, name) -> Path:
        return self.place / name

    def unmount(self) -> Done:
        """`kdbxfs umount`, which returns when the vault is saved; the server has ended then."""
        done = run("umount", self.place)
        assert done.code == 0, done.err
        assert mount_at(self.place) is None
        self.wait_for_end()
        return done

    def wait_for_end(self) -> int | None:
        """Waits until the serving process has ended; its exit code where it is our child."""
        if self.process is not None:
            _, said = self.process.communicate(timeout=PATIENCE)
            self.said += (said or b"").decode("utf-8", "replace")
            return self.process.returncode
        wait_until(lambda: not any(map(is_alive, self.pids)), "the serving process ends")
        return None

    def signal(self, number: signal.Signals):
        for pid in self.pids:
            os.kill(pid, number)

    def kill(self):
        """SIGKILL, and waits until the kernel has cut the mount off: who asks meanwhile is told
        ECONNABORTED, or still answered by a thread that is being ended."""
        self.signal(signal.SIGKILL)
        self.wait_for_end()

        def is_cut_off() -> bool:
            try:
                os.listdir(self.place)
            except OSError as error:
                return error.errno == errno.ENOTCONN
            return False

        wait_until(is_cut_off, "the mount is dead")


def is_alive(pid: int) -> bool:
    """Whether a process still holds anything: its files and locks go with its last thread."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return False
    return state != "Z" or len(threads) > 1


def mount(vault, place, *options, password=None, front=False, env=None, log=None,
          served_by=None) -> Mount:
    """Mounts; the server is a daemon, or our child with `front` (`-f`).

    What a server in front says goes into the file `log`, if one is named. `served_by` is another
    program than the usual one.
    """
    arguments = [*options, os.fspath(vault), os.fspath(place)]
    if not front:
        done = run(*arguments, password=password, env=env)
        assert done.code == 0, f"kdbxfs ended with {done.code}: {done.err}"
        assert mount_at(place), "the parent returned before the mount answered"
        pids = [pid for pid, line in processes_naming(Path(place)).items()]
        assert pids, "no process serves the mount"
        return Mount(Path(vault), Path(place), pids=pids, said=done.err)
    with open(log, "wb") if log else contextlib.nullcontext(subprocess.PIPE) as errors:
        process = subprocess.Popen(
            [served_by or program(), "-f", *map(os.fspath, arguments)],
            stdin=subprocess.DEVNULL if password is None else subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=os.environ | PRINTED | (env or {}),
            start_new_session=True,
        )
    if password is not None:
        process.stdin.write(password.encode() + b"\n")
        process.stdin.close()
        process.stdin = None
    wait_until(lambda: process.poll() is not None or mount_at(place), "the mount appears")
    assert process.poll() is None, (
        Path(log).read_text() if log else process.stderr.read().decode("utf-8", "replace"))
    return Mount(Path(vault), Path(place), process, [process.pid])


@contextlib.contextmanager
def held(path):
    """A file held open while a mount goes from under it: its close may say so."""
    descriptor = os.open(path, os.O_RDONLY)
    yield
    with contextlib.suppress(OSError):
        os.close(descriptor)


def clean_up(folder: Path) -> list[str]:
    """Ends every mount and process of ours below `folder`; says what was left to end.

    A process whose mount has gone is given time to end: it needs no one to wait for it.
    """
    left = []
    if not any(Path(entry.place).is_relative_to(folder) for entry in mount_table()):
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not processes_naming(folder), "processes end", LEAVING)
    for entry in reversed(mount_table()):
        if Path(entry.place).is_relative_to(folder):
            left.append(f"mount {entry.place}")
            subprocess.run(["fusermount3", "-uz", entry.place], capture_output=True, timeout=PATIENCE)
    for pid, line in processes_naming(folder).items():
        left.append(f"process {pid}: {line}")
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return left
