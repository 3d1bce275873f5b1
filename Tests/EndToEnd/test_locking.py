"""Locking in place: what it hides, what brings it back, and what locks by itself."""

import contextlib
import errno
import faulthandler
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from conftest import FIXTURES
from support import kdb, programs
from support.clocked import Clocked
from support.judges import keepassxc

ENTRY = "Internet/GitHub"
OLD = "correct horse battery staple"
URL = "https://github.com/login"
MINUTE = 60


def state(place) -> str:
    return json.loads(programs.run("status", "--json", place).out)["state"]


def error_of(call, *arguments) -> int:
    with pytest.raises(OSError) as caught:
        call(*arguments)
    return caught.value.errno


def lock(place):
    done = programs.run("lock", place)
    assert (done.code, done.out, done.err) == (0, b"", "")


def unlock(place, password="fixture"):
    done = programs.run("unlock", place, password=password)
    assert (done.code, done.out, done.err) == (0, b"", "")


def numbers(top: Path) -> dict[str, int]:
    """The inode number of each path below a mount."""
    found = {}
    for folder, _, files in os.walk(top):
        for name in [".", *files]:
            path = os.path.normpath(os.path.join(folder, name))
            found[os.path.relpath(path, top)] = os.lstat(path).st_ino
    return found


def connect(mount):
    caller = socket.socket(socket.AF_UNIX)
    caller.settimeout(60)
    caller.connect(os.fspath(programs.control_socket(mount.place)))
    return caller


def ask(mount, request: dict) -> dict:
    with connect(mount) as caller:
        caller.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(caller.makefile().readline())


class TestLocked:
    def test_nothing_below_the_root_answers(self, mounted, github):
        opened = os.open(github / "password", os.O_RDONLY)
        folder = os.open(github, os.O_RDONLY)
        known = github / "url"
        assert known.read_text() == URL
        lock(mounted.place)
        for path in [known, github, mounted / "Internet", mounted / "no such name"]:
            assert error_of(os.stat, path) == errno.ENOKEY, path
            assert error_of(os.listdir, path) in (errno.ENOKEY, errno.ENOTDIR), path
            assert error_of(open, path, "rb") in (errno.ENOKEY, errno.EISDIR), path
        assert error_of(os.listdir, mounted.place) == errno.ENOKEY
        assert error_of(os.read, opened, 10) == errno.ENOKEY
        assert error_of(os.mkdir, mounted / "new") == errno.ENOKEY
        assert error_of(os.unlink, known) == errno.ENOKEY
        assert error_of(os.getxattr, github, "user.kdbx.uuid") == errno.ENOKEY
        assert error_of(os.fsync, folder) == errno.ENOKEY
        assert os.stat(mounted.place).st_ino == 1
        assert os.statvfs(mounted.place).f_namemax == 255
        os.close(opened)
        os.close(folder)

    def test_an_unlock_brings_paths_and_numbers_back(self, mounted, github):
        before = numbers(mounted.place)
        lock(mounted.place)
        unlock(mounted.place)
        assert numbers(mounted.place) == before
        assert (github / "password").read_text() == OLD

    def test_handles_stay_dead(self, mounted, github):
        opened = os.open(github / "password", os.O_RDONLY)
        lock(mounted.place)
        unlock(mounted.place)
        assert error_of(os.read, opened, 10) == errno.ESTALE
        os.close(opened)

    def test_what_was_written_half_is_dropped_and_close_says_so(self, mounted, github, before):
        opened = os.open(github / "url", os.O_WRONLY)
        os.write(opened, b"half")
        # Asked for by this process: a child's copy of the descriptor would be closed, and so settled.
        assert ask(mounted, {"command": "lock"}) == {"ok": True}
        assert error_of(os.close, opened) == errno.ENOKEY
        unlock(mounted.place)
        assert (github / "url").read_text() == URL
        mounted.unmount()
        before.expect_untouched()

    def test_a_shell_that_stands_in_it_goes_on(self, mounted, github):
        shell = subprocess.Popen(
            ["/bin/bash"], cwd=github, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.STDOUT)

        def ask(command):
            shell.stdin.write(f"{command}; printf '\\nEND%s\\n' $?\n")
            shell.stdin.flush()
            lines = []
            while not (line := shell.stdout.readline()).startswith("END"):
                lines.append(line)
            return "".join(lines)[:-1], line.strip()

        assert ask("cat username") == ("alice", "END0")
        lock(mounted.place)
        said, code = ask("cat password")
        assert code == "END1" and "Required key not available" in said
        assert ask("/bin/pwd") == (f"{github}\n", "END0")
        unlock(mounted.place)
        assert ask("cat password") == (OLD, "END0")
        assert ask("/bin/pwd") == (f"{github}\n", "END0")
        shell.stdin.close()
        shell.wait()

    def test_a_private_mapping_is_dropped(self, mounted, github):
        import mmap

        with open(github / "notes", "rb") as file:
            pages = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
        assert pages[:3] == b"two"
        lock(mounted.place)
        # Reading a page that is gone is a SIGBUS: tried in a child.
        child = os.fork()
        if child == 0:
            faulthandler.disable()
            os._exit(1 if pages[:3] == b"two" else 2)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGBUS
        pages.close()

    def test_names_that_went_meanwhile_are_gone(self, mounted, github, vault):
        for name in ["url", "Recovery codes"]:
            os.stat(github / name)
        lock(mounted.place)
        keepassxc("rm", vault, ENTRY, password="fixture")
        unlock(mounted.place)
        assert error_of(os.stat, github) == errno.ENOENT
        assert error_of(os.stat, github / "url") == errno.ENOENT
        github.mkdir()
        (github / "username").write_text("new")
        assert (github / "username").read_text() == "new"

    def test_a_name_that_means_another_entry_leads_there(self, mounted, github, vault):
        before = os.stat(github).st_ino
        lock(mounted.place)
        keepassxc("rm", vault, ENTRY, password="fixture")
        keepassxc("add", "-u", "somebody", vault, ENTRY, password="fixture")
        unlock(mounted.place)
        assert (github / "username").read_text() == "somebody"
        assert os.stat(github).st_ino != before


class TestCommands:
    def test_status_tells(self, mounted):
        assert state(mounted.place) == "unlocked"
        lock(mounted.place)
        assert state(mounted.place) == "locked"
        lock(mounted.place)
        unlock(mounted.place)
        assert state(mounted.place) == "unlocked"

    def test_nobody_is_asked_for_the_key_of_an_open_vault(self, mounted):
        done = programs.run("unlock", mounted.place)
        assert (done.code, done.err) == (0, "")

    def test_a_wrong_password_does_not_unlock(self, mounted, github):
        lock(mounted.place)
        done = programs.run("unlock", mounted.place, password="wrong")
        assert done.code == 12 and "wrong password" in done.err
        assert error_of(os.stat, github) == errno.ENOKEY
        unlock(mounted.place)

    def test_the_key_file_need_not_be_said_again(self, folder, place):
        name = "kdbx4.0-argon2d-aes-plain-password-xml1"
        vault = shutil.copy(FIXTURES / f"{name}.kdbx", folder / "vaults" / "vault.kdbx")
        key = FIXTURES / "key-xml1.key"
        mount = programs.mount(vault, place, "--keyfile", key, password="fixture")
        lock(place)
        unlock(place)
        assert (mount / ENTRY / "password").read_text() == OLD
        mount.unmount()

    def test_a_vault_without_password_unlocks_by_its_key_file(self, folder, place):
        name = "kdbx4.0-argon2id-aes-gzip-hashed"
        vault = shutil.copy(FIXTURES / f"{name}.kdbx", folder / "vaults" / "vault.kdbx")
        key = FIXTURES / "key-hashed.key"
        mount = programs.mount(vault, place, "--keyfile", key, "--no-password")
        lock(place)
        done = programs.run("unlock", place)
        assert (done.code, done.err) == (0, "")
        assert (mount / ENTRY / "password").read_text() == OLD
        mount.unmount()

    def test_a_lock_saves_first(self, mounted, github, vault):
        (github / "url").write_text("https://new.example\n")
        lock(mounted.place)
        shown = keepassxc("show", "-a", "URL", vault, ENTRY, password="fixture")
        assert shown == b"https://new.example\n"

    def test_a_locked_vault_can_be_unmounted_and_ended(self, vault, place):
        mount = programs.mount(vault, place, password="fixture")
        lock(place)
        mount.unmount()
        mount = programs.mount(vault, place, password="fixture", front=True)
        lock(place)
        mount.signal(signal.SIGTERM)
        assert mount.wait_for_end() == 0

    def test_several_vaults_have_each_their_own_state(self, folder, vault):
        mounts = []
        for name in ["one", "two"]:
            copy, place = folder / "vaults" / f"{name}.kdbx", folder / name
            shutil.copy(vault, copy)
            place.mkdir()
            mounts.append(programs.mount(copy, place, password="fixture"))
        lock(mounts[0].place)
        assert state(mounts[1].place) == "unlocked"
        assert (mounts[1] / ENTRY / "password").read_text() == OLD
        for mount in mounts:
            mount.unmount()


def test_no_change_comes_between_the_save_and_the_lock(vault, place, folder):
    """What came then would be lost. The save stands still at its first step, in a pipe."""
    steps = folder / "steps"
    os.mkfifo(steps)
    mount = Clocked(vault, place, folder, "-o", "autosave=0", "--idle", "0",
                    env={"KDBXFS_TEST_STEPS": os.fspath(steps)})
    (mount / ENTRY / "url").write_text("https://new.example")
    locking = subprocess.Popen([programs.program(), "lock", place])
    programs.wait_until(lambda: state(place) == "locking", "it is being locked")
    assert (mount / ENTRY / "password").read_text() == OLD
    assert error_of(os.mkdir, mount / "Work" / "New") == errno.ENOKEY
    assert error_of((mount / ENTRY / "url").write_text, "lost") == errno.ENOKEY
    assert error_of(os.unlink, mount / ENTRY / "notes") == errno.ENOKEY
    reader = os.open(steps, os.O_RDWR)
    assert locking.wait(programs.PATIENCE) == 0 and state(place) == "locked"
    unlock(place)
    assert (mount / ENTRY / "url").read_text() == "https://new.example"
    assert not json.loads(programs.run("status", "--json", place).out)["unsaved"]
    mount.end()
    os.close(reader)


class TestRemembering:
    def test_it_unlocks_without_its_key_for_a_while(self, vault, place):
        mount = programs.mount(vault, place, "--remember", "1h", password="fixture")
        lock(place)
        done = programs.run("unlock", place)
        assert (done.code, done.err) == (0, "")
        assert (mount / ENTRY / "password").read_text() == OLD
        # Each lock keeps it anew.
        lock(place)
        assert programs.run("unlock", place).code == 0
        mount.unmount()

    def test_the_time_ends(self, vault, place):
        mount = programs.mount(vault, place, "--remember", "1s", password="fixture")
        lock(place)
        # Asking unlocks while the key is there, so the time is waited for first.
        time.sleep(1.5)
        # With nothing on standard input and no terminal there is no other way in.
        assert "not remembered" in ask(mount, {"command": "unlock-again"})["error"]
        assert programs.run("unlock", place).code == 9
        unlock(place)
        mount.unmount()

    def test_it_is_off_unless_asked_for(self, mounted):
        lock(mounted.place)
        assert ask(mounted, {"command": "unlock-again"})["kind"] == "locked"
        assert programs.run("unlock", mounted.place).code == 9


class TestKeePass1:
    @pytest.fixture
    def make(self, folder):
        def make(password, keyfile=None):
            path = folder / "vaults" / "old.kdb"
            path.write_bytes(kdb.write("Mail", "Work", OLD, password, keyfile))
            return path

        return make

    @pytest.mark.parametrize("name", ["key-raw32.key", "key-hex64.key", "key-hashed.key", "key-xml1.key"])
    @pytest.mark.parametrize("password", ["fixture", None], ids=["password", "none"])
    def test_it_unlocks_by_its_key_file(self, make, place, name, password):
        key = FIXTURES / name
        arguments = ["--keyfile", key] if password else ["--keyfile", key, "--no-password"]
        mount = programs.mount(
            make(password, key.read_bytes()), place, "--ro", *arguments, password=password)
        lock(place)
        done = programs.run("unlock", place, password=password)
        assert (done.code, done.err) == (0, "")
        assert (mount / "Mail/Work/password").read_text() == OLD
        mount.unmount()

    @pytest.mark.parametrize("name", [None, "key-raw32.key"], ids=["alone", "with a key file"])
    def test_a_remembered_key_is_of_the_form_that_opened_it(self, make, place, name):
        key = name and FIXTURES / name
        vault = make("pä", key and key.read_bytes())
        arguments = ["--keyfile", key] if key else []
        mount = programs.mount(
            vault, place, "--ro", "--remember", "1h", *arguments, password="pä")
        for _ in range(2):
            lock(place)
            done = programs.run("unlock", place)
            assert (done.code, done.err) == (0, "")
            assert (mount / "Mail/Work/password").read_text() == OLD
        mount.unmount()


class TestControlSocket:
    def test_it_is_for_its_user_only(self, mounted):
        path = programs.control_socket(mounted.place)
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700
        if os.getuid() == 0:
            script = f"import socket; socket.socket(socket.AF_UNIX).connect({str(path)!r})"
            done = subprocess.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3",
                 "-c", script],
                capture_output=True, text=True)
            assert "Permission denied" in done.stderr

    def test_another_user_is_turned_away_even_at_the_socket(self, vault, place):
        """The kernel tells who calls; a mode that somebody has widened doesn't matter."""
        if os.getuid() != 0:
            pytest.skip("needs a second user")
        # A runtime folder of its own, where the other user gets: that of all mounts stays as it is.
        with tempfile.TemporaryDirectory() as runtime:
            os.chmod(runtime, 0o755)
            env = {"XDG_RUNTIME_DIR": runtime}
            mount = programs.mount(vault, place, password="fixture", env=env)
            path = programs.control_socket(mount.place)
            path.chmod(0o666)
            path.parent.chmod(0o755)
            caller = (
                "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\n"
                "s.sendall(b'{\"command\":\"lock\"}\\n')\nprint(s.recv(99))"
            )
            done = subprocess.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3",
                 "-c", caller, path], capture_output=True, text=True, timeout=60)
            assert done.stdout.strip() == "b''" or "Broken pipe" in done.stderr \
                or "Connection reset" in done.stderr
            path.parent.chmod(0o700)
            status = programs.run("status", "--json", place, env=env)
            assert json.loads(status.out)["state"] == "unlocked"
            assert programs.run("umount", place, env=env).code == 0
            mount.wait_for_end()

    @pytest.mark.parametrize("garbage", [
        b"\n", b"\0" * 100 + b"\n", b"[1,2]\n", b"{}\n", b'{"command":"open sesame"}\n',
        b'{"command":"unlock","password":-1}\n', b'{"command":"unlock","password":99999999999}\n',
        b'{"command":' * 300 + b"\n", b"\xff\xfe\n",
    ], ids=range(9))
    def test_garbage_is_refused(self, mounted, garbage):
        with connect(mounted) as caller:
            caller.sendall(garbage)
            answer = caller.makefile().readline()
            assert json.loads(answer)["kind"] == "refused"
        assert state(mounted.place) == "unlocked"

    def test_a_line_without_end_is_cut_off(self, mounted):
        with connect(mounted) as caller:
            with contextlib.suppress(OSError):
                for _ in range(100):
                    caller.sendall(b"x" * 4096)
            with contextlib.suppress(ConnectionResetError):
                assert caller.recv(10) == b""
        assert state(mounted.place) == "unlocked"

    def test_a_flood_of_callers_shuts_nobody_out_for_long(self, mounted):
        callers = []
        for _ in range(100):
            with contextlib.suppress(OSError):
                callers.append(connect(mounted))
        for caller in callers:
            caller.close()
        programs.wait_until(
            lambda: programs.run("status", mounted.place).code == 0, "status answers again")


class TestByItself:
    """With a clock that the test sets; the times are those of the product."""

    @pytest.fixture
    def clocked(self, vault, before, place, folder):
        mount = Clocked(vault, place, folder, "--idle", "15m", "-o", "autosave=0")
        yield mount
        mount.end()

    def locks(self, mount) -> bool:
        programs.wait_until(lambda: state(mount.place) == "locked", "it locks", 60)
        return True

    def test_it_locks_when_idle_and_saves_first(self, clocked, vault):
        (clocked / ENTRY / "url").write_text("https://new.example\n")
        clocked.advance(14 * MINUTE)
        assert state(clocked.place) == "unlocked"
        clocked.advance(2 * MINUTE)
        assert self.locks(clocked)
        shown = keepassxc("show", "-a", "URL", vault, ENTRY, password="fixture")
        assert shown == b"https://new.example\n"

    def test_reading_puts_it_off(self, clocked):
        for _ in range(4):
            clocked.advance(10 * MINUTE)
            (clocked / ENTRY / "password").read_text()
        assert state(clocked.place) == "unlocked"

    def test_looking_does_not(self, clocked):
        (clocked / ENTRY / "password").read_text()
        for _ in range(2):
            clocked.advance(8 * MINUTE)
            with contextlib.suppress(OSError):
                for folder, _, files in os.walk(clocked.place):
                    for name in files:
                        path = os.path.join(folder, name)
                        os.lstat(path)
                        os.listxattr(path)
                os.statvfs(clocked.place)
        assert self.locks(clocked)

    def test_a_working_directory_does_not(self, clocked):
        child = subprocess.Popen(["sleep", "1000"], cwd=clocked / ENTRY)
        clocked.advance(16 * MINUTE)
        assert self.locks(clocked)
        child.kill()
        child.wait()

    def test_an_editors_backup_and_open_readers_do_not(self, clocked):
        (clocked / ENTRY / "url~").write_text("backup")
        with open(clocked / ENTRY / "url", "rb") as reader:
            clocked.advance(16 * MINUTE)
            assert self.locks(clocked)
            assert error_of(os.read, reader.fileno(), 1) == errno.ENOKEY

    def test_a_file_open_for_writing_does_for_eight_hours(self, clocked):
        opened = os.open(clocked / ENTRY / "url", os.O_WRONLY | os.O_TRUNC)
        os.write(opened, b"https://half")
        clocked.advance(7 * 60 * MINUTE)
        assert state(clocked.place) == "unlocked"
        os.write(opened, b".example\n")
        os.close(opened)
        assert (clocked / ENTRY / "url").read_text() == "https://half.example"
        opened = os.open(clocked / ENTRY / "url", os.O_WRONLY)
        clocked.advance(9 * 60 * MINUTE)
        assert self.locks(clocked)
        os.close(opened)

    def test_it_can_be_turned_off(self, vault, place, folder):
        mount = Clocked(vault, place, folder, "--idle", "0")
        mount.advance(24 * 60 * MINUTE)
        assert state(place) == "unlocked"
        mount.end()

    def test_fifteen_minutes_are_usual(self, vault, place, folder):
        mount = Clocked(vault, place, folder)
        mount.advance(14 * MINUTE)
        assert state(place) == "unlocked"
        mount.advance(2 * MINUTE)
        assert self.locks(mount)
        mount.end()

    def test_the_cap_locks_whatever_uses_it(self, vault, place, folder):
        mount = Clocked(vault, place, folder, "--idle", "0", "--lock-after", "1h")
        opened = os.open(mount / ENTRY / "url", os.O_WRONLY)
        mount.advance(59 * MINUTE)
        assert (mount / ENTRY / "password").read_text() == OLD
        mount.advance(2 * MINUTE)
        assert self.locks(mount)
        os.close(opened)
        mount.end()

    def test_it_can_be_unmounted_instead(self, vault, place, folder):
        mount = Clocked(vault, place, folder, "--on-idle", "unmount")
        mount.advance(16 * MINUTE)
        assert mount.wait_for_end() == 0
        assert programs.mount_at(place) is None

    def test_a_mount_in_use_is_locked_instead(self, vault, place, folder):
        mount = Clocked(vault, place, folder, "--on-idle", "unmount")
        child = subprocess.Popen(["sleep", "1000"], cwd=mount / ENTRY)
        mount.advance(16 * MINUTE)
        assert self.locks(mount)
        child.kill()
        child.wait()
        mount.end()


class TestUnlockOnAccess:
    """`--unlock-with`: who looks into a locked vault waits for a person."""

    @pytest.fixture
    def asked(self, folder) -> Path:
        """A program that notes that it was asked, waits until it may answer, and prints what it is told."""
        program = folder / "ask"
        program.write_text(
            f"#!/bin/sh\necho asked >>'{folder}/log'\n"
            f"while [ ! -e '{folder}/answer' ]; do sleep 0.05; done\ncat '{folder}/answer'\n")
        program.chmod(0o700)
        return program

    @staticmethod
    def times_asked(folder) -> int:
        log = folder / "log"
        return log.read_text().count("asked") if log.exists() else 0

    @pytest.mark.parametrize("look", [
        lambda place: (place / ENTRY / "password").read_text() == OLD,
        lambda place: "Internet" in os.listdir(place),
        lambda place: (place / ENTRY / "new").write_text("x") == 1,
    ])
    def test_the_right_password_opens(self, look, vault, place, folder, asked):
        mount = programs.mount(vault, place, "--unlock-with", asked, password="fixture")
        (folder / "answer").write_text("fixture\n")
        assert self.times_asked(folder) == 0
        lock(place)
        assert os.stat(place).st_ino == 1 and self.times_asked(folder) == 0
        assert look(place)
        assert (state(place), self.times_asked(folder)) == ("unlocked", 1)
        assert (place / ENTRY / "password").read_text() == OLD
        mount.unmount()

    def test_many_wait_for_one_answer(self, vault, place, folder, asked):
        mount = programs.mount(vault, place, "--unlock-with", asked, password="fixture")
        lock(place)
        # Who began to wait can leave at a signal that it handles; the question stands.
        script = (
            "import signal, sys\ndef leave(*_): raise SystemExit(9)\n"
            "signal.signal(signal.SIGUSR1, leave)\nopen(sys.argv[1])")
        stopped = subprocess.Popen(["/usr/bin/python3", "-c", script, place / ENTRY / "password"])
        programs.wait_until(lambda: self.times_asked(folder) == 1, "it is asked")
        stopped.send_signal(signal.SIGUSR1)
        assert stopped.wait(60) == 9
        readers = [
            subprocess.Popen(["cat", place / ENTRY / name], stdout=subprocess.PIPE)
            for name in ("password", "url", "username") * 3]
        assert state(place) == "locked"
        assert os.statvfs(place).f_namemax == 255
        assert all(reader.poll() is None for reader in readers)
        (folder / "answer").write_text("fixture\n")
        found = {reader.communicate(timeout=60)[0] for reader in readers}
        assert OLD.encode() in found and URL.encode() in found and len(found) == 3
        assert self.times_asked(folder) == 1
        mount.unmount()

    def test_a_refusal_is_not_asked_again_at_once(self, vault, place, folder, asked):
        (folder / "answer").write_text("wrong\n")
        mount = Clocked(vault, place, folder, "--unlock-with", asked, "--unlock-within", "60s")
        lock(place)
        for _ in range(3):
            assert error_of(os.listdir, place) == errno.ENOKEY
            assert error_of(os.stat, place / ENTRY) == errno.ENOKEY
        assert self.times_asked(folder) == 1
        (folder / "answer").write_text("fixture\n")
        mount.advance(31)
        assert "Internet" in os.listdir(place)
        assert self.times_asked(folder) == 2
        mount.end()
        assert mount.process.returncode == 0

    def test_a_program_that_takes_too_long(self, vault, place, folder, asked):
        mount = programs.mount(
            vault, place, "--unlock-with", asked, "--unlock-within", "1s", password="fixture")
        lock(place)
        assert error_of(os.listdir, place) == errno.ENOKEY
        assert self.times_asked(folder) == 1
        unlock(place)
        assert (place / ENTRY / "password").read_text() == OLD
        mount.unmount()

    def test_without_a_password_there_is_nothing_to_ask(self, vault, place):
        done = programs.run("--no-password", "--unlock-with", "true", vault, place)
        assert (done.code, len(done.errors)) == (1, 1)
