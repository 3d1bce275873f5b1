"""What is in the serving process' memory: read as root, every mapping, nothing believed.

The vault's values are marks that occur nowhere else. A canary in plain, planted on the heap and the
stack of another process, is found first: a search that finds nothing proves nothing by itself.
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import programs
from support.memory import Memory, spellings
from support.marked import MASTER, keys_of, marked_vault

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="reading a process' memory needs root")


@pytest.fixture
def marked(folder):
    return marked_vault(folder / "vaults" / "marked.kdbx")


@pytest.fixture
def served(marked, place):
    mount = programs.mount(marked.path, place, "-o", "autosave=0", password=MASTER)
    yield mount
    if programs.mount_at(place):
        programs.run("umount", "--lazy", place)
        mount.wait_for_end()


def use(mount, marked):
    """Reads, writes, editors, attachments, old versions, and 1,000 reads by 8 clients."""
    entry = mount / "Group" / "entry 1"
    for number in range(1, marked.count + 1):
        assert (mount / "Group" / f"entry {number}" / "password").read_text() == \
            marked.password(number)
    assert (entry / "attachments" / "file").read_bytes() == marked.attachment
    (entry / "password").write_text(marked.written + "\n")
    (entry / "notes").write_text(marked.written_notes)
    subprocess.run(
        ["vim", "-Nu", "NONE", "-es", "-c", f"%s/.*/{marked.edited}/", "-c", "wq", entry / "PIN"],
        check=False, timeout=60)
    shutil.copy(entry / "password", entry / "password~")
    (entry / "attachments" / "new").write_bytes(marked.new_attachment)
    os.unlink(entry / "password~")
    names = [mount / "Group" / f"entry {i % marked.count + 1}" / "password" for i in range(1000)]
    with concurrent.futures.ThreadPoolExecutor(8) as clients:
        list(clients.map(lambda path: path.read_bytes(), names))
    assert programs.run("save", mount.place).code == 0


def test_the_search_finds_what_is_there():
    """A canary on the heap and one on the stack of a process of ours."""
    script = (
        "import sys, ctypes\n"
        "heap = ctypes.create_string_buffer(b'CANARY-' + b'heap-' + b'5d1c77aa')\n"
        "sys.stdout.write('ready'); sys.stdout.flush(); sys.stdin.read()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.read(5) == b"ready"
    memory = Memory(child.pid)
    assert memory.count([b"CANARY-heap-5d1c77aa"])[b"CANARY-heap-5d1c77aa"] >= 1
    child.stdin.close()
    child.wait()


def test_the_search_finds_a_value_in_the_process_itself(served, marked):
    """What is not protected is there while the vault is unlocked: so this is the right memory."""
    (served / "Group" / "entry 1" / "password").read_text()
    found = Memory(served.pids[0]).count([marked.user.encode()])
    assert found[marked.user.encode()] >= 1


def test_unlocked_and_idle_no_protected_value_is_there(served, marked):
    use(served, marked)
    memory = Memory(served.pids[0])
    secrets = spellings(marked.protected + [MASTER])
    found = {mark: count for mark, count in memory.count(secrets).items() if count}
    assert found == {}, memory.where(found)
    assert memory.unread == [], memory.unread


def test_locked_nothing_of_the_vault_is_there(served, marked):
    use(served, marked)
    opened = open(served / "Group" / "entry 2" / "username", "rb")
    assert programs.run("lock", served.place).code == 0
    memory = Memory(served.pids[0])
    keys = marked.keys + keys_of(marked.path)
    secrets = spellings(marked.protected + marked.plain + [MASTER]) + keys
    found = {mark: count for mark, count in memory.count(secrets).items() if count}
    assert found == {}, memory.where(found)
    assert memory.unread == [], memory.unread
    opened.close()
    assert programs.run("unlock", served.place, password=MASTER).code == 0
    assert (served / "Group" / "entry 1" / "password").read_text() == marked.written
    assert programs.run("lock", served.place).code == 0
    memory = Memory(served.pids[0])
    found = {mark: count for mark, count in memory.count(secrets).items() if count}
    assert found == {}, memory.where(found)


def test_no_core_no_tracing(served, tmp_path):
    """As its own user would try: the process is not dumpable, so its files are root's."""
    process = Path(f"/proc/{served.pids[0]}")
    limits = (process / "limits").read_text()
    assert re.search(r"Max core file size\s+0\s+0", limits)
    assert b"MARK" not in (process / "cmdline").read_bytes()
    assert b"MARK" not in (process / "environ").read_bytes()
    status = (process / "status").read_text()
    assert re.search(r"VmLck:\s+(?!0 kB)", status), "no locked pages"


def test_a_crash_leaves_nothing(served, marked, tmp_path):
    import signal

    (served / "Group" / "entry 1" / "password").read_text()
    before = set(Path.cwd().glob("core*")) | set(tmp_path.glob("core*"))
    served.signal(signal.SIGSEGV)
    served.wait_for_end()
    assert set(Path.cwd().glob("core*")) | set(tmp_path.glob("core*")) == before
    subprocess.run(["fusermount3", "-uz", served.place], check=False)


@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv is missing")
def test_the_same_user_can_not_look_in(marked, folder, place):
    """As an ordinary user: neither memory nor environment can be read, and nobody can attach."""
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    os.chmod(folder, 0o755)
    for parent in folder.parents:
        if parent == Path("/tmp"):
            break
        os.chmod(parent, 0o755)
    home = folder / "home"
    home.mkdir()
    vault = shutil.copy(marked.path, home / "v.kdbx")
    copied = shutil.copy(programs.program(), home / "kdbxfs")
    os.chmod(copied, 0o755)
    for path in [home, vault, place]:
        os.chown(path, 65534, 65534)
    done = subprocess.run(
        [*user, copied, vault, place], input=MASTER.encode(), capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home)})
    if done.returncode != 0:
        pytest.skip(f"no mount for an ordinary user here: {done.stderr!r}")
    try:
        pids = [
            int(p.name) for p in Path("/proc").iterdir()
            if p.name.isdigit() and (p / "cmdline").exists()
            and str(copied).encode() in (p / "cmdline").read_bytes()
        ]
        assert pids
        for name in ["mem", "environ", "maps", "fd"]:
            tried = subprocess.run(
                [*user, "ls" if name == "fd" else "cat", f"/proc/{pids[0]}/{name}"],
                capture_output=True, text=True)
            assert tried.returncode != 0 and "Permission denied" in tried.stderr, name
    finally:
        subprocess.run([*user, copied, "umount", place], env={
            "PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home)}, check=False)
