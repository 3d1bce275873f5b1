"""Vaults with a name (`~/.config/kdbxfs/NAME.conf`), and kdbxfs as a service of systemd."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import FIXTURES
from pykeepass import create_database
from support import programs

ENTRY = "Internet/GitHub"
UNIT = programs.ROOT / "mount-helper" / "kdbxfs@.service"


@pytest.fixture
def config(folder):
    path = folder / "config" / "kdbxfs"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def run(folder, config):
    def run(*arguments, password=None, **more):
        env = {"XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder)} | more
        return programs.run(*arguments, password=password, env=env)
    return run


@pytest.fixture
def main(config, vault, place):
    """A vault called `main`, without what tells its password."""
    (config / "main.conf").write_text(
        f"# my vault\n\nvault = ~/vaults/vault.kdbx\nmountpoint={place}  \n"
        "idle = 30m\noptions = autosave=0,show_hidden\nexact = no\n")
    return config / "main.conf"


def test_a_name_mounts_and_unmounts(main, run, place, vault):
    done = run("mount", "main", password="fixture")
    assert (done.code, done.err) == (0, "")
    assert ".kdbxfs" in os.listdir(place)
    (place / ENTRY / "username").write_text("bob")
    assert b"state: unlocked" in run("status", "main").out
    assert run("save", "main").code == 0
    assert run("lock", "main").code == 0
    assert run("unlock", "main", password="fixture").code == 0
    done = run("umount", "main")
    assert (done.code, done.err) == (0, "")
    assert programs.mount_at(place) is None
    assert programs.run("cat", vault, f"{ENTRY}/username", password="fixture").out == b"bob"


def test_the_command_line_prevails(main, run, place):
    assert run("mount", "--ro", "main", "-o", "idle=1h", password="fixture").code == 0
    with pytest.raises(OSError):
        (place / ENTRY / "username").write_text("bob")
    assert run("umount", "main").code == 0


def test_unlock_has_the_key_that_the_file_names(main, run, folder, place, vault):
    (folder / "pw").write_text("fixture\n")
    (folder / "wrong").write_text("wrong")
    text = main.read_text()
    for line in ("passfile = ~/pw", "extpass = cat\nextpass = ~/pw".replace("~", str(folder)),
                 "options = passfile=~/pw".replace("~", str(folder))):
        main.write_text(f"{text}\n{line}\n")
        assert run("mount", "main").code == 0
        assert run("lock", "main").code == 0
        # The command line prevails.
        assert run("unlock", "main", "--passfile", folder / "wrong").code == 12
        # What is mounted is meant, not what is called so, by its path.
        assert run("unlock", place).code == 9
        done = run("unlock", "main")
        assert (done.code, done.err) == (0, "")
        assert (place / ENTRY / "username").read_text() == "alice"
        assert run("umount", "main").code == 0


def test_another_password_takes_the_place_of_the_files(main, run, folder, place):
    (folder / "pw").write_text("fixture")
    with main.open("a") as file:
        file.write("extpass = echo\nextpass = wrong\n")
    assert run("mount", "main").code == 12
    for options in (["--passfile", folder / "pw"],
                    ["--extpass", "cat", "--extpass", folder / "pw"],
                    ["-o", f"passfile={folder}/pw"]):
        done = run("mount", "main", *options)
        assert (done.code, done.err) == (0, ""), options
        assert run("umount", "main").code == 0


def test_options_and_paths_at_home(main, run, folder, place, vault):
    shutil.copy(FIXTURES / "kdbx4.0-argon2d-aes-plain-password-xml1.kdbx", vault)
    shutil.copy(FIXTURES / "key-xml1.key", folder / "a key.key")
    (folder / "pw").write_text("fixture\n")
    main.write_text(f"vault = {vault}\nmountpoint = ~/mnt\nkeyfile = ~/a key.key\n"
                    "passfile = ~/pw\nro = yes\r\n")
    assert run("mount", "main").code == 0
    assert (place / ENTRY / "username").read_text() == "alice"
    assert run("umount", "main").code == 0


def test_a_folder_of_that_name_comes_first(main, run, folder, vault):
    (folder / "work").mkdir()
    shutil.copy(main, main.parent / "work.conf")
    mount = programs.mount(vault, folder / "work", password="fixture")
    done = programs.run("umount", "work", cwd=folder,
                        env={"XDG_CONFIG_HOME": str(folder / "config")})
    assert done.code == 0, done.err
    mount.wait_for_end()


FAULTS = {
    "vault = /v\nmountpoint = /m\nfrob = 1\n": (3, "unknown key 'frob'"),
    "vault = /v\nvault = /w\nmountpoint = /m\n": (2, "'vault' stands twice"),
    "# c\nvault = v.kdbx\n": (2, "'vault' wants a path that begins with '/' or '~/'"),
    "vault = /v\nmountpoint = /m\nidle = soon\n": (3, "'soon' is no time"),
    "vault = /v\nmountpoint = /m\nro = perhaps\n": (3, "'ro' is 'yes' or 'no', not 'perhaps'"),
    "vault = /v\nmountpoint = /m\nkeyfile\n": (3, "'keyfile' wants a value: keyfile = FILE"),
    "vault = /v\nmountpoint = /m\n\noptions = frob\n": (4, "unknown mount option 'frob'"),
    "vault = /v\nmountpoint = /m\nlazy\n": (3, "unknown key 'lazy'"),
    "vault\n": (1, "'vault' wants a path"),
    "= x\n": (1, "unknown key ''"),
    "vault = /v\n": (None, "there is no line 'mountpoint = PATH'"),
    "": (None, "there is no line 'vault = PATH'"),
}


@pytest.mark.parametrize("text", FAULTS, ids=repr)
def test_a_fault_is_said_with_its_line(text, config, run):
    (config / "bad.conf").write_text(text)
    line, message = FAULTS[text]
    done = run("mount", "bad")
    assert done.code == 1 and len(done.errors) == 1
    place = f"{config}/bad.conf" + (f":{line}" if line else "")
    assert done.errors[0].startswith(f"kdbxfs: error: {place}: {message}")


def test_a_fault_keeps_nobody_from_what_is_mounted(main, run):
    assert run("mount", "main", password="fixture").code == 0
    main.write_text("frob = 1\n" + main.read_text().replace("vault =", "valt ="))
    assert run("status", "main").code == 0
    done = run("mount", "main")
    assert done.code == 1 and "main.conf:1: unknown key 'frob'" in done.errors[0]
    assert run("lock", "main").code == 0
    done = run("unlock", "main")
    assert done.code == 1 and "main.conf:1: unknown key 'frob'" in done.errors[0]
    done = run("umount", "main")
    assert (done.code, done.err) == (0, "")


def test_what_is_not_there_is_said(main, run, vault, place):
    done = run("mount", "nobody")
    assert done.code == 1 and "no vault is named 'nobody'" in done.errors[0]
    vault.rename(vault.with_name("moved.kdbx"))
    done = run("mount", "main")
    assert done.code == 23 and "the vault of 'main' can't be found" in done.errors[0]
    assert "main.conf:3 names it" in done.err
    vault.with_name("moved.kdbx").rename(vault)
    place.rmdir()
    assert run("mount", "main", password="fixture").code == 10
    place.mkdir()
    main.chmod(0o666)
    assert "can be written by anyone" in run("mount", "main").errors[0]
    assert run("mount", "../main").code == 1


class Listener:
    """A socket that takes what a service says of itself."""

    def __init__(self, socket, address):
        self.address, self.recv, self.setblocking = address, socket.recv, socket.setblocking


class TestService:
    """The protocol of Type=notify, with a socket of the test's in systemd's place."""

    @pytest.fixture(params=["path", "abstract"])
    def listener(self, request, folder):
        # The path of a socket has little room, which the test's folder may use up.
        with (tempfile.TemporaryDirectory(prefix="kdbxfs-notify-") as place,
              socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener):
            name = os.fspath(Path(place) / "notify") if request.param == "path" else (
                "\0kdbxfs-test-" + folder.name + str(os.getpid()))
            listener.bind(name)
            listener.settimeout(programs.PATIENCE)
            yield Listener(listener, name.replace("\0", "@"))

    def test_it_says_when_it_is_ready_and_saves_at_the_end(
            self, main, listener, folder, config, place, vault):
        (folder / "pw").write_text("fixture")
        environment = os.environ | programs.PRINTED | {
            "XDG_CONFIG_HOME": str(folder / "config"), "HOME": str(folder),
            "NOTIFY_SOCKET": listener.address}
        process = subprocess.Popen(
            [programs.program(), "mount", "--foreground", "main", "--passfile", folder / "pw"],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment,
            start_new_session=True)
        try:
            assert listener.recv(4096).startswith(b"READY=1\n")
            # Ready means that the next program finds the vault there.
            (place / ENTRY / "username").write_text("carol")
            process.send_signal(signal.SIGTERM)
            assert listener.recv(4096).startswith(b"STOPPING=1\n")
            assert process.wait(programs.PATIENCE) == 0
        finally:
            if process.poll() is None:
                process.kill()
            assert process.communicate()[1] == b""
        assert programs.run("cat", vault, f"{ENTRY}/username", password="fixture").out == b"carol"

    def test_in_the_background_it_says_who_serves(self, main, listener, run, place):
        done = run("mount", "main", password="fixture", NOTIFY_SOCKET=listener.address)
        assert done.code == 0, done.err
        said = dict(line.split("=", 1) for line in listener.recv(4096).decode().splitlines())
        assert said["READY"] == "1" and programs.is_alive(int(said["MAINPID"]))
        assert run("umount", "main").code == 0

    def test_nothing_is_ready_that_fails(self, main, listener, run):
        listener.setblocking(False)
        done = run("mount", "-f", "main", password="wrong", NOTIFY_SOCKET=listener.address)
        assert done.code == 12
        with pytest.raises(BlockingIOError):
            listener.recv(4096)

    def test_a_credential_gives_the_password(self, main, run, folder, place):
        (folder / "credentials").mkdir()
        (folder / "credentials" / "kdbxfs").write_text("fixture\n")
        done = run("mount", "main", CREDENTIALS_DIRECTORY=str(folder / "credentials"))
        assert (done.code, done.err) == (0, "")
        assert (place / ENTRY / "username").read_text() == "alice"
        assert run("umount", "main").code == 0
        # Another service's credentials mean nothing here.
        (folder / "credentials" / "kdbxfs").rename(folder / "credentials" / "other")
        assert run("mount", "main", CREDENTIALS_DIRECTORY=str(folder / "credentials")).code == 9

    @pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not there")
    def test_systemd_takes_the_unit(self, folder):
        unit = folder / "kdbxfs@.service"
        unit.write_text(UNIT.read_text().replace("PREFIX/bin/kdbxfs", str(programs.program())))
        (folder / "kdbxfs@main.service").symlink_to(unit)
        done = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", folder / "kdbxfs@main.service"],
            capture_output=True, text=True,
            env=os.environ | {"XDG_RUNTIME_DIR": str(folder), "HOME": str(folder)})
        said = [line for line in (done.stdout + done.stderr).splitlines() if "kdbxfs" in line]
        assert (done.returncode, said) == (0, [])


def can_run_a_manager() -> bool:
    """Whether a service manager of a user's can be run here, in a mount namespace of its own."""
    if os.getuid() != 0 or shutil.which("systemd") is None:
        return False
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


@pytest.mark.skipif(not can_run_a_manager(), reason="no systemd, or no namespaces")
class TestManager:
    """systemd's own manager of a user's services, with the unit as it is installed."""

    @pytest.fixture
    def manage(self, main, folder, config):
        """Runs lines of bash beside a manager; in a namespace where systemd seems to have booted.

        One at a time on a machine: they would take each other's control groups.
        """
        with open(shutil.which("systemd"), "rb") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            yield self.manager(folder)

    def manager(self, folder):
        units = folder / "config/systemd/user"
        units.mkdir(parents=True)
        (units / "kdbxfs@.service").write_text(
            UNIT.read_text().replace("PREFIX/bin/kdbxfs", str(programs.program())))
        extra = units / "kdbxfs@main.service.d"
        extra.mkdir()
        (extra / "key.conf").write_text(f"[Service]\nLoadCredential=kdbxfs:{folder}/pw\n")
        (folder / "pw").write_text("fixture")
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)

        def run(lines: str) -> list[str]:
            done = subprocess.run(["unshare", "-m", "--propagation", "private", "bash", "-c", f"""
                # systemd makes credentials in a namespace of its own, from which they must get back.
                mount --make-rshared /
                mkdir -p /run/systemd && mount -t tmpfs none /run/systemd && mkdir /run/systemd/system
                systemd --user --unit=basic.target >"{folder}/manager" 2>&1 &
                manager=$!
                until [ "$(systemctl --user is-active basic.target 2>/dev/null)" = active ]; do
                  kill -0 $manager 2>/dev/null || {{ echo no manager; exit 77; }}
                  sleep 0.1
                done
                {lines}
                systemctl --user exit
                wait $manager
                """], capture_output=True, text=True, timeout=programs.PATIENCE, stdin=subprocess.DEVNULL,
                env={"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_RUNTIME_DIR": str(runtime),
                     "XDG_CONFIG_HOME": str(folder / "config"), "SYSTEMD_LOG_TARGET": "console",
                     **programs.PRINTED})
            if done.returncode == 77:
                pytest.skip("no service manager of a user's starts here: " + (folder / "manager").read_text())
            return done.stdout.splitlines()

        return run

    def test_it_is_started_when_the_vault_is_there_and_stopped_when_it_is_saved(
            self, manage, place, vault):
        said = manage(f"""
            systemctl --user start kdbxfs@main; echo "started $?"
            systemctl --user is-active kdbxfs@main
            cat "{place}/{ENTRY}/username"; echo
            printf carol > "{place}/{ENTRY}/username"
            systemctl --user stop kdbxfs@main; echo "stopped $?"
            systemctl --user show -P Result kdbxfs@main
            mountpoint -q "{place}" || echo gone
            """)
        assert said == ["started 0", "active", "alice", "stopped 0", "success", "gone"]
        assert programs.run("cat", vault, f"{ENTRY}/username", password="fixture").out == b"carol"

    def test_the_end_of_the_manager_saves_too(self, manage, place, vault):
        said = manage(f"""
            systemctl --user start kdbxfs@main; echo "started $?"
            printf dave > "{place}/{ENTRY}/username"
            """)
        assert said == ["started 0"]
        assert programs.run("cat", vault, f"{ENTRY}/username", password="fixture").out == b"dave"

    def test_a_wrong_password_fails_and_is_not_tried_again(self, manage, folder):
        (folder / "pw").write_text("wrong")
        said = manage("""
            systemctl --user start kdbxfs@main 2>/dev/null; echo "started $?"
            systemctl --user is-active kdbxfs@main
            systemctl --user show -P ExecMainStatus kdbxfs@main
            systemctl --user show -P NRestarts kdbxfs@main
            """)
        assert said == ["started 1", "failed", "12", "0"]


class TestPinentry:
    """A program in pinentry's place, which says what it was asked for; Assuan as the real one speaks it."""

    @pytest.fixture
    def pinentry(self, folder):
        (folder / "bin").mkdir()
        program = folder / "bin" / "pinentry"

        def make(answer: str):
            program.write_text(f"""#!/bin/sh
echo 'OK Pleased to meet you'
while read -r line; do
  printf '%s\\n' "$line" >> '{folder}/asked'
  case $line in GETPIN) {answer} ;; BYE) echo OK; exit ;; *) echo OK ;; esac
done
""")
            program.chmod(0o755)
            return {"PATH": f"{folder}/bin:{os.environ['PATH']}", "DISPLAY": ":99"}
        return make

    def test_it_asks_where_there_is_no_terminal(self, pinentry, main, run, folder, place):
        done = run("mount", "main", **pinentry("echo 'D fixture'; echo OK"))
        assert (done.code, done.err) == (0, "")
        assert "SETDESC Password for vault.kdbx" in (folder / "asked").read_text()
        assert (place / ENTRY / "username").read_text() == "alice"
        assert run("umount", "main").code == 0

    def test_what_it_says_is_decoded(self, pinentry, folder):
        path = folder / "vaults" / "odd.kdbx"
        # No new password of ours has such a character; KeePass' can.
        create_database(os.fspath(path), password="50% of\r a")
        done = programs.run("ls", path, env=pinentry("echo 'D 50%25 of%0D a'; echo OK"))
        assert (done.code, done.err) == (0, "")

    def test_who_cancels_gives_none(self, pinentry, vault):
        done = programs.run("ls", vault, env=pinentry("echo 'ERR 83886179 cancelled'"))
        assert done.code == 9 and "pinentry" in done.errors[0]
        done = programs.run("ls", vault, env=pinentry("exit 1"))
        assert done.code == 9 and "pinentry" in done.errors[0]
        assert programs.run("ls", vault, env=pinentry("echo OK")).code == 22

    def test_without_a_screen_nobody_is_asked(self, pinentry, vault, folder):
        env = pinentry("echo 'D fixture'; echo OK") | {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
        done = programs.run("ls", vault, env=env)
        assert done.code == 9 and not (folder / "asked").exists()
