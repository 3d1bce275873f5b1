"""mount(8), umount(8) and fstab, as root for another user and as that user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import FIXTURES, USUAL
from support import programs

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root mounts for others")

NOBODY = 65534


def helper() -> Path:
    """The built helper: beside the program, or what `swift build` left."""
    places = [programs.program().with_name("mount.kdbxfs"),
              *(programs.ROOT / ".build" / kind / "mount.kdbxfs" for kind in ("release", "debug"))]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError("no built mount.kdbxfs: run scripts/test build release")


@pytest.fixture
def home():
    """A folder that the user nobody can get at, with a vault of theirs."""
    path = Path(tempfile.mkdtemp(prefix="kdbxfs-nobody-"))
    path.chmod(0o755)
    for name in ("vaults", "mnt"):
        (path / name).mkdir()
    shutil.copy(FIXTURES / USUAL, path / "vaults" / "vault.kdbx")
    (path / "pw").write_text("fixture\n")
    for place in [path, *path.rglob("*")]:
        os.chown(place, NOBODY, NOBODY)
    (path / "pw").chmod(0o600)
    (path / "vaults").chmod(0o700)
    (path / "mnt").chmod(0o700)
    yield path
    left = programs.clean_up(path)
    shutil.rmtree(path)
    assert not left, f"left behind: {left}"


# A namespace of mounts in which /sbin has the helpers, /etc/fstab a line of ours, and everyone may use
# /dev/fuse; it ends, and all mounts in it, with the script.
PRELUDE = """
set -eu
HOME_OF_NOBODY=$1 HELPER=$2
mkdir "$1/sbin" "$1/dev"
cp -a /usr/sbin/. "$1/sbin/"
for name in mount.kdbxfs mount.fuse.kdbxfs umount.fuse.kdbxfs; do ln -s "$HELPER" "$1/sbin/$name"; done
mount --bind "$1/sbin" /usr/sbin
mknod -m 666 "$1/dev/fuse" c 10 229
mount --bind "$1/dev/fuse" /dev/fuse
printf '%s\\n' "$1/vaults/vault.kdbx $1/mnt kdbxfs noauto,user,nofail,x-systemd.automount,passfile=$1/pw 0 0" > "$1/fstab"
mount --bind "$1/fstab" /etc/fstab
cd "$1"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env -u XDG_RUNTIME_DIR HOME="$HOME_OF_NOBODY" TMPDIR=/tmp "$@"; }
owner() { awk '/^Uid:/ { print $2, $3, $4, $5 }' "/proc/$(pgrep -f "^/sbin/mount.*kdbxfs.*$HOME_OF_NOBODY" | head -n 1)/status"; }
ended() { while pgrep -f "^/sbin/mount.*kdbxfs.*$HOME_OF_NOBODY/mnt" >/dev/null; do sleep 0.02; done; }
"""


def in_namespace(script: str, home: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "bash", "-c", PRELUDE + script, "bash",
         home, helper()],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
        env=os.environ | programs.PRINTED, start_new_session=True)


def stored(home: Path, field: str) -> bytes:
    done = programs.run("cat", home / "vaults" / "vault.kdbx", f"Internet/GitHub/{field}",
                        password="fixture")
    assert done.code == 0, done.err
    return done.out


@pytest.mark.parametrize("who", ["setuid=nobody", "uid=65534,gid=65534", "setuid=65534"])
@pytest.mark.parametrize("kind", ["kdbxfs", "fuse.kdbxfs"])
def test_root_mounts_for_another_user(kind, who, home):
    done = in_namespace(f"""
        mount -t {kind} -o {who},passfile="$1/pw",autosave=0 "$1/vaults/vault.kdbx" "$1/mnt"
        [ "$(owner)" = "65534 65534 65534 65534" ]
        # The vault was read by nobody, and nobody else gets in: root neither.
        ! ls "$1/mnt" 2>/dev/null
        as_nobody cat "$1/mnt/Internet/GitHub/username"
        as_nobody sh -c 'echo dave > "$0/mnt/Internet/GitHub/username"' "$1"
        grep -o ' nosuid,nodev,noexec' /proc/mounts || grep kdbxfs /proc/mounts
        umount "$1/mnt"
        ! grep -q "$1/mnt" /proc/self/mountinfo
        ended
        """, home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("alice") and "nosuid,nodev,noexec" in done.stdout
    assert stored(home, "username") == b"dave"
    assert os.stat(home / "vaults" / "vault.kdbx").st_uid == NOBODY


def test_a_user_mounts_what_fstab_names(home):
    done = in_namespace("""
        as_nobody mount "$1/mnt"
        as_nobody cat "$1/mnt/Internet/GitHub/username"
        as_nobody sh -c 'echo erin > "$0/mnt/Internet/GitHub/username"' "$1"
        as_nobody umount "$1/mnt"
        ! grep -q "$1/mnt" /proc/self/mountinfo
        ended
        """, home)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "alice" and stored(home, "username") == b"erin"


def test_umount_returns_when_the_vault_is_saved(home):
    """No wait between umount(8) and the look into the file."""
    done = in_namespace("""
        mount -t kdbxfs -o setuid=nobody,passfile="$1/pw",autosave=0 "$1/vaults/vault.kdbx" "$1/mnt"
        before=$(sha256sum < "$1/vaults/vault.kdbx")
        as_nobody sh -c 'echo frank > "$0/mnt/Internet/GitHub/username"' "$1"
        [ "$(sha256sum < "$1/vaults/vault.kdbx")" = "$before" ]
        umount "$1/mnt"
        [ "$(sha256sum < "$1/vaults/vault.kdbx")" != "$before" ]
        ended
        """, home)
    assert done.returncode == 0, done.stderr
    assert stored(home, "username") == b"frank"


def test_umount_ends_with_our_code(home):
    done = in_namespace("""
        mount -t kdbxfs -o setuid=nobody,passfile="$1/pw" "$1/vaults/vault.kdbx" "$1/mnt"
        as_nobody sh -c 'cd "$0/mnt" && echo $$ > "$0/inside" && exec sleep 1000' "$1" &
        while [ ! -s "$1/inside" ]; do sleep 0.02; done
        code=0; umount "$1/mnt" || code=$?
        echo "$code"
        umount -l "$1/mnt"
        kill "$(cat "$1/inside")"
        ended
        """, home)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "10\n" and "sleep" in done.stderr


def test_what_mounts_nothing(home):
    done = in_namespace("""
        try() { code=0; "$@" || code=$?; echo "$code"; }
        vault=$1/vaults/vault.kdbx
        try mount -t kdbxfs -o setuid=nobody "$vault" "$1/mnt"
        try mount -t kdbxfs -o setuid=nosuchuser "$vault" "$1/mnt"
        try mount -t kdbxfs -o setuid=nobody,frobnicate "$vault" "$1/mnt"
        chmod 600 "$1/pw"; chown root "$1/pw"
        try mount -t kdbxfs -o setuid=nobody,passfile="$1/pw" "$vault" "$1/mnt"
        try as_nobody "$HELPER" "$vault" "$1/mnt" -o setuid=root
        mount -f -t kdbxfs -o setuid=nobody "$vault" "$1/mnt"
        ! grep -q "$1/mnt" /proc/self/mountinfo
        """, home)
    assert done.returncode == 0, done.stderr
    # No password; no such user; no such option; a password that is not theirs; not root.
    assert done.stdout.split() == ["9", "1", "1", "9", "10"]
    for line in done.stderr.splitlines():
        assert line.startswith(("kdbxfs: error: ", "kdbxfs: hint: ")), line
