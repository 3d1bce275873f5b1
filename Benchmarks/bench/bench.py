"""What all rows share: the programs, the made vaults, mounts, and the limits written in C."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from functools import cached_property
from pathlib import Path

from .measuring import Command

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = b"bench\n"
NEEDLE = "Needle group/Needle entry"
# What is left is reading the vault.
CHEAP = ["--kdf", "argon2d", "--memory-kib", "1024"]
KINDS = {
    "cheap": CHEAP,
    # KeePass's own default memory and passes.
    "default": ["--kdf", "argon2d", "--memory-kib", "65536", "--iterations", "2",
                "--parallelism", "2"],
    # About a second, as KeePassXC sets it by default.
    "second": ["--kdf", "argon2d", "--memory-kib", "65536", "--iterations", "34",
               "--parallelism", "2"],
    # Cheap, and of the shape of the tree that the C server serves: no group in a group.
    "flat": [*CHEAP, "--groups", "100", "--depth", "1"],
    # Cheap, and more of what an entry can have.
    "history-10": [*CHEAP, "--history", "10"],
    "history-100": [*CHEAP, "--history", "100"],
    "attached-10K": [*CHEAP, "--attachment-kib", "10"],
    "attached-100K": [*CHEAP, "--attachment-kib", "100"],
    "aes60M": ["--version", "3.1", "--kdf", "aes", "--rounds", "60000000"],
}
LIBRARIES = {
    "fs_ops": ["-lpthread"],
    "fuse_limit": ["fuse3"],
    "kdf_limit": ["-largon2", "libcrypto", "-lpthread"],
    "parse_limit": ["libxml-2.0", "libcrypto", "zlib", "-ldeflate", "expat"],
    "save_limit": [],
    "empty": ["-Wl,--no-as-needed", "fuse3", "libcrypto", "libargon2", "nettle", "zlib",
              "jansson"],
}


class Bench:
    def __init__(self, folder: Path, build: Path):
        self.folder = folder
        self.program = build / "kdbxfs"
        self.stage_timer = build / "stage-timer"
        (folder / "bin").mkdir(parents=True, exist_ok=True)

    # -- vaults

    def vault(self, entries: int, kind: str = "cheap", xml: bool = False) -> Path:
        """A made vault, kept between runs: the same options give the same bytes."""
        path = self.folder / f"{kind}-{entries}.kdbx"
        wanted = path.with_suffix(".xml") if xml else path
        if not wanted.exists():
            extra = ["--xml", path.with_suffix(".xml")] if xml else []
            subprocess.run(
                [sys.executable, ROOT / "Benchmarks/make_vault.py", path, "-n", str(entries),
                 *KINDS[kind], *extra],
                check=True, stdout=subprocess.DEVNULL)
        return path

    def copy(self, vault: Path, prefix: str = "") -> Path:
        """A copy to write to; one with another prefix is another file."""
        path = self.folder / "scratch" / (prefix + vault.name)
        path.parent.mkdir(exist_ok=True)
        # Not by way of our own memory, which would count as the peak of whatever we start.
        shutil.copyfile(vault, path)
        return path

    # -- commands

    def cat(self, vault: Path) -> Command:
        return Command([self.program, "cat", vault, f"{NEEDLE}/password"], PASSWORD)

    def keepassxc(self, operation: str, *arguments) -> Command:
        return Command(["keepassxc-cli", operation, "-q", *arguments], PASSWORD)

    def keepassxc_show(self, vault: Path) -> Command:
        return self.keepassxc("show", "-s", "-a", "Password", vault, NEEDLE)

    def keepassxc_add(self, vault: Path) -> Command:
        """Adds an entry and saves, to a fresh copy each time."""
        def copied():
            self.copy(vault)

        scratch = self.folder / "scratch" / vault.name
        return Command(
            ["keepassxc-cli", "add", "-q", "-p", "-u", "user", "--url", "https://added.example/",
             scratch, "added entry"], b"bench\nnew-password\n", before=copied)

    def pykeepass_show(self, vault: Path) -> Command:
        script = ("import sys; from pykeepass import PyKeePass; "
                  "print(PyKeePass(sys.argv[1], password='bench')"
                  ".find_entries(path=sys.argv[2].split('/')).password)")
        return Command([sys.executable, "-c", script, vault, NEEDLE])

    # -- limits

    def limit(self, name: str) -> Path:
        """A program of Limits/, compiled."""
        source, program = ROOT / f"Benchmarks/Limits/{name}.c", self.folder / "bin" / name
        if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
            flags = []
            for part in LIBRARIES[name]:
                flags += [part] if part.startswith("-") else shlex.split(subprocess.run(
                    ["pkg-config", "--cflags", "--libs", part],
                    check=True, capture_output=True, text=True).stdout)
            subprocess.run(["cc", "-O2", "-march=native", "-o", program, source, *flags], check=True)
        return program

    def limit_says(self, name: str, *arguments) -> str:
        return subprocess.run([self.limit(name), *map(str, arguments)], check=True,
                              capture_output=True, text=True).stdout

    def stage(self, *arguments) -> dict:
        """Milliseconds of one stage of ours: `wall_ms` and `cpu_ms`."""
        done = subprocess.run([self.stage_timer, *map(str, arguments)], check=True,
                              capture_output=True, text=True)
        return json.loads(done.stdout)

    def load(self, place: Path, operation: str, clients: int, seconds: float = 2) -> dict:
        """`fs_ops` on a mounted tree: operations a second, and p99 in microseconds."""
        said = self.limit_says("fs_ops", "-t", clients, "-s", seconds, "-n", 10000, place,
                               operation)
        fields = said.splitlines()[-1].split()
        if fields[0] != operation or int(fields[6]):
            raise RuntimeError(f"{operation} failed on {place}: {said}")
        rate = float(fields[2])
        return {"rate": rate, "p99": float(fields[4]), "calls": rate * seconds}

    # -- mounts

    def place(self, name: str) -> Path:
        place = self.folder / name
        place.mkdir(exist_ok=True)
        return place

    @contextlib.contextmanager
    def mounted(self, vault: Path, name: str = "ours", *options):
        """Ours, mounted: the place, and the number of the process that serves it."""
        place = self.place(name)
        subprocess.run([self.program, *options, vault, place], input=PASSWORD, check=True)
        try:
            yield place, self.server_of(place)
        finally:
            subprocess.run([self.program, "umount", place], check=True)

    def server_of(self, place: Path) -> int:
        done = subprocess.run([self.program, "status", "--json", place], check=True,
                              capture_output=True, text=True)
        return int(json.loads(done.stdout)["process"])

    @contextlib.contextmanager
    def c_server(self, *options: str):
        """The server in C with our switches: direct I/O, long time-outs, cached listings.

        In a session of its own, as a daemon is: the kernel shares the processors among sessions first.
        """
        place = self.place("limit")
        switches = ",".join(["timeout=3600", "directio=1", "cachedir=1", "max_threads=2", *options])
        process = subprocess.Popen([self.limit("fuse_limit"), "-f", "-o", switches, place],
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            wait_for(lambda: os.path.ismount(place))
            yield place, process.pid
        finally:
            subprocess.run(["fusermount3", "-u", place], check=True)
            process.wait()

    @contextlib.contextmanager
    def gocryptfs(self, content: Path):
        """gocryptfs on a tmpfs, holding a copy of the tree `content`."""
        with self.tmpfs("go") as memory:
            cipher, plain, word = memory / "cipher", memory / "plain", memory / "password"
            cipher.mkdir()
            plain.mkdir()
            word.write_bytes(PASSWORD)
            subprocess.run(["gocryptfs", "-q", "-init", "-scryptn", "10", "-passfile", word, cipher],
                           check=True)
            subprocess.run(["gocryptfs", "-q", "-passfile", word, cipher, plain], check=True)
            try:
                subprocess.run(["cp", "-r", f"{content}/.", plain], check=True)
                yield plain
            finally:
                subprocess.run(["fusermount3", "-u", plain], check=True)

    @contextlib.contextmanager
    def sshfs(self, content: Path):
        """sshfs on a local sftp-server, without the cost of ssh itself."""
        place = self.place("sshfs")
        server = subprocess.Popen(
            ["socat", "TCP-LISTEN:7722,bind=127.0.0.1,reuseaddr,nodelay", "EXEC:/usr/lib/openssh/sftp-server"])
        try:
            time.sleep(0.5)
            subprocess.run(["sshfs", "-o", "directport=7722", f"127.0.0.1:{content}", place],
                           check=True)
            try:
                yield place
            finally:
                subprocess.run(["fusermount3", "-u", place], check=True)
        finally:
            server.terminate()
            server.wait()

    @contextlib.contextmanager
    def tmpfs(self, name: str):
        place = self.place(name)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0700", "bench", place], check=True)
        try:
            yield place
        finally:
            subprocess.run(["umount", place], check=True)

    @cached_property
    def has_find(self) -> bool:
        done = subprocess.run([self.program, "find", "--help"], capture_output=True)
        return done.returncode == 0


def wait_for(condition, seconds: float = 60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("waited in vain")
        time.sleep(0.01)
