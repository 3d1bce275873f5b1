"""Many at once, and programs that try everything: the daemon answers to the end, and saves."""

import os
import random
import subprocess
import threading
from pathlib import Path

import pytest
from support import judges, programs

# What stress-ng has for files and folders; each runs for a moment, in one process after another.
STRESSORS = [
    "access", "chdir", "chmod", "chown", "dentry", "dir", "dirdeep", "dirmany", "dup",
    "fallocate", "fcntl", "fiemap", "file-ioctl", "filename", "flock", "fpunch", "fstat", "getdent",
    "handle", "hdd", "inode-flags", "io", "iomix", "lease", "link", "locka", "lockf", "lockofd",
    "mknod", "open", "readahead", "rename", "seek", "sendfile", "splice", "symlink", "sync-file",
    "touch", "utime", "xattr",
]


def stressors() -> list[str]:
    """Those that this stress-ng has."""
    done = subprocess.run(["stress-ng", "--stressors"], capture_output=True, text=True, check=True)
    return [name for name in STRESSORS if name in done.stdout.split()]


class Saver(threading.Thread):
    """Saves the vault all the time; every save must succeed."""

    def __init__(self, place):
        super().__init__()
        self.place, self.codes, self.ended = place, [], threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            self.codes.append(programs.run("save", self.place).code)

    def end(self):
        self.ended.set()
        self.join()
        assert self.codes and set(self.codes) == {0}


def shown(mount) -> dict[str, bytes]:
    """Every file that the tree lists, but for codes, which change."""
    found = {}
    for base, _, names in os.walk(mount.place):
        for name in names:
            path = Path(base) / name
            if name not in ("totp", "hotp"):
                found[str(path.relative_to(mount.place))] = path.read_bytes()
    return found


def test_stress_ng(vault, before, place, folder):
    """Whatever it does in its own folders: the daemon lives, and the rest of the vault is as it was."""
    mount = programs.mount(vault, place, "-o", "autosave=1s", password="fixture", front=True)
    options = [word for name in stressors() for word in (f"--{name}", "1")]
    old = {path: data for path, data in shown(mount).items()}
    saver = Saver(place)
    saver.start()
    work = place / "stress"
    work.mkdir()
    # Most of what it tries a vault can't hold, so its own verdict doesn't count.
    subprocess.run(
        ["stress-ng", *options, "--sequential", "0", "--timeout", "1", "--temp-path", work,
         "--dirdeep-inodes", "200", "--hdd-bytes", "8m", "--iomix-bytes", "8m",
         "--readahead-bytes", "8m", "--quiet"],
        capture_output=True, timeout=600)
    saver.end()
    assert mount.process.poll() is None
    now = shown(mount)
    assert {path: now.get(path) for path in old} == old
    subprocess.run(["rm", "-rf", work], timeout=120)
    mount.unmount()
    for reading in judges.read_by_all(vault, "fixture").values():
        for uuid, entry in before.readings["own reader"].entries.items():
            assert reading.entries[uuid].strings.keys() >= {"Title"}
            assert (reading.entries[uuid].strings.get("Password") or "") == (
                entry.strings.get("Password") or "")


CLIENT = r"""
set -eu
RANDOM=$1; cd "$2"
mkdir -p "client $1"; cd "client $1"
for round in $(seq "$3"); do
  e="entry $((RANDOM % 6))"
  case $((RANDOM % 9)) in
    0 | 1) mkdir -p "$e"; echo "user $round" > "$e/username"; echo "pw $round" > "$e/password" ;;
    2) [ ! -d "$e" ] || { echo "line $round" >> "$e/notes"; tail -n 1 "$e/notes" > /dev/null; } ;;
    3) [ ! -e "$e/password" ] || sed -i "s/\$/x/" "$e/password" ;;
    4) [ ! -d "$e" ] || rm -r "$e" ;;
    5) [ ! -d "$e" ] || [ -e "moved $e" ] || mv "$e" "moved $e" ;;
    6) [ ! -d "moved $e" ] || rm -r "moved $e" ;;
    7) [ ! -d "$e" ] || { mkdir -p "$e/attachments"; head -c $((RANDOM * 3)) /dev/zero > "$e/attachments/zeros"; } ;;
    8) find ../.. -name password | wc -l > /dev/null; ls -lR .. > /dev/null; cat ../../Internet/*/totp > /dev/null ;;
  esac
done
"""


def test_eight_clients_at_once_mixed_with_saves(vault, before, place):
    mount = programs.mount(vault, place, "-o", "autosave=1s", password="fixture", front=True)
    (place / "clients").mkdir()
    saver = Saver(place)
    saver.start()
    seed = random.randrange(1, 30000)
    children = [
        subprocess.Popen(["bash", "-c", CLIENT, "client", str(seed + n), place / "clients", "120"],
                         stderr=subprocess.PIPE, text=True)
        for n in range(8)]
    said = [(child.communicate(timeout=600)[1], child.returncode) for child in children]
    saver.end()
    # Others remove what `find` and `ls` are just looking at; nothing else may fail.
    unexpected = [line for text, _ in said for line in text.splitlines()
                  if "No such file or directory" not in line]
    assert not unexpected, (seed, unexpected)
    tree = shown(mount)
    mount.unmount()
    reading = judges.read_own(vault, "fixture")
    assert judges.read_pykeepass(vault, "fixture").entries.keys() == reading.entries.keys()
    # By their paths it can't tell apart what lies in the bin under one title.
    assert judges.read_keepassxc(vault, "fixture", exports=False).entries.keys() == (
        reading.entries.keys())
    stored = {
        reading.path(uuid): entry for uuid, entry in reading.entries.items()
        if reading.path(uuid).startswith("clients/")}
    for path, entry in stored.items():
        for key, name in {"UserName": "username", "Password": "password", "Notes": "notes"}.items():
            value = tree.get(f"{path}/{name}", b"").decode()
            assert (entry.strings.get(key) or "") == value, (seed, path, key)
    entries = {path.rsplit("/", 1)[0] for path in tree
               if path.startswith("clients/") and "/attachments/" not in path}
    assert entries == stored.keys(), seed


@pytest.mark.parametrize("count", [10_000])
def test_ten_thousand_temporary_files(count, mounted, github, before):
    for number in range(count):
        os.close(os.open(github / f".url.{number:06}", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    assert len(os.listdir(github)) > count
    (github / "url").write_text("https://new.example")
    mounted.unmount()
    before.expect({"Internet/GitHub": {
        "URL": ("https://github.com/login", "https://new.example"), "history": 1}})
