"""What is in the serving process' memory: read as root, every mapping, nothing believed.

The vault's values are marks that occur nowhere else. A canary in plain, planted on the heap and the
stack of another process, is found first: a search that finds nothing proves nothing by itself.
"""

import concurrent.futures
import ctypes
import mmap
import os
import re
import shutil
import signal
import struct
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


def test_locked_no_name_that_was_asked_for_is_there(served):
    """Neither what was asked for before, nor what is asked for while it is locked."""
    names = {when: [f"{'x' * 100}{when}-{number}-{os.urandom(6).hex()}" for number in range(50)]
             for when in ["before", "after"]}
    for name in names["before"]:
        for folder in ["", "Group", "Group/entry 1"]:
            assert not (served / folder / name).exists()
    assert programs.run("lock", served.place).code == 0
    for name in names["after"]:
        with pytest.raises(OSError):
            os.stat(served / name)
    memory = Memory(served.pids[0])
    # Their ends, for the heap's own marks lie over what a freed block began with.
    found = memory.count([name[100:].encode() for name in (*names["before"], *names["after"])])
    found = {mark: count for mark, count in found.items() if count}
    assert found == {}, memory.where(found)


def test_no_value_gets_into_the_page_cache(served, marked):
    """What was read, and what was written; a mapping of what is asked tells which pages are there."""
    entry = served / "Group" / "entry 1"
    for path in (entry / "password", entry / "attachments" / "file"):
        file = os.open(path, os.O_RDONLY)
        assert os.read(file, 1 << 20)
        assert not is_cached(file), path
        os.close(file)
    file = os.open(entry / "notes", os.O_RDWR)
    os.write(file, marked.written_notes.encode())
    assert not is_cached(file)
    os.close(file)


def is_cached(file: int) -> bool:
    """Whether the kernel holds a page of the first one of a file."""
    with mmap.mmap(file, 1, access=mmap.ACCESS_COPY) as mapped:
        place = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
        resident = ctypes.create_string_buffer(1)
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(place), ctypes.c_size_t(1), resident) == 0
    return bool(resident.raw[0] & 1)


def test_no_core_no_tracing(served, tmp_path):
    """As its own user would try: the process is not dumpable, so its files are root's."""
    process = Path(f"/proc/{served.pids[0]}")
    limits = (process / "limits").read_text()
    assert re.search(r"Max core file size\s+0\s+0", limits)
    assert b"MARK" not in (process / "cmdline").read_bytes()
    assert b"MARK" not in (process / "environ").read_bytes()
    status = (process / "status").read_text()
    assert re.search(r"VmLck:\s+(?!0 kB)", status), "no locked pages"


def test_a_crash_leaves_nothing(marked, place, folder):
    """No core, and no word of Swift's crash handler, which prints what registers point to."""
    handler = backtracer()
    before = set(Path.cwd().glob("core*"))
    log = folder / "said"
    mount = programs.mount(
        marked.path, place, password=MASTER, front=True, log=log,
        env={"SWIFT_BACKTRACE": f"enable=yes,color=no,interactive=no,swift-backtrace={handler}"})
    (mount / "Group" / "entry 1" / "password").read_text()
    mount.signal(signal.SIGSEGV)
    # The handler would go on waiting for threads that it can't stop.
    programs.wait_until(
        lambda: mount.process.poll() is not None or log.read_text(), "it ends or says something")
    said = log.read_text()
    mount.process.kill()
    mount.wait_for_end()
    subprocess.run(["fusermount3", "-uz", place], check=False)
    assert (mount.process.returncode, said) == (-signal.SIGSEGV, "")
    assert set(Path.cwd().glob("core*")) == before


def backtracer() -> Path:
    """The program that Swift's crash handler starts."""
    swift = shutil.which("swift")
    found = Path(swift).resolve().parent.parent / "libexec/swift/linux/swift-backtrace" if swift else None
    if not found or not found.exists():
        pytest.skip("Swift's crash handler is not installed")
    return found


def test_the_program_is_bound_before_it_runs():
    """Lazy binding would leave vector registers, and pieces of secrets in them, on the stack."""
    image = programs.program().read_bytes()
    assert image[:5] == b"\x7fELF\x02"
    (start,) = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    headers = [struct.unpack_from("<IIQQQQ", image, start + size * number) for number in range(count)]
    ((_, _, place, _, _, length),) = [header for header in headers if header[0] == 2]
    tags = dict(struct.iter_unpack("<QQ", image[place : place + length]))
    flags, more_flags = tags.get(30, 0), tags.get(0x6FFFFFFB, 0)
    assert 24 in tags or flags & 8 or more_flags & 1


@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv is missing")
def test_the_same_user_can_not_look_in(marked, folder):
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
    # It waits for its password, which comes through a pipe.
    password, asks = home / "password", home / "asks"
    os.mkfifo(password)
    script = home / "ask"
    script.write_text(f"#!/bin/sh\n: >{asks}\nexec cat {password}\n")
    script.chmod(0o755)
    for path in [home, vault, password]:
        os.chown(path, 65534, 65534)
    process = subprocess.Popen(
        [*user, copied, "ls", "--extpass", script, vault], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={"PATH": "/usr/bin:/bin", "HOME": str(home)})
    programs.wait_until(lambda: asks.exists() or process.poll() is not None, "it asks")
    seen = {}
    for name in ["mem", "environ", "maps", "fd"]:
        path = f"/proc/{process.pid}/{name}"
        tried = subprocess.run([*user, "ls" if name == "fd" else "cat", path], capture_output=True)
        seen[name] = tried.returncode != 0 and b"Permission denied" in tried.stderr
    with open(password, "wb") as pipe:
        pipe.write(MASTER.encode())
    out, err = process.communicate(timeout=programs.PATIENCE)
    assert (process.returncode, out) == (0, b"Group\n"), err
    assert seen == dict.fromkeys(seen, True)
