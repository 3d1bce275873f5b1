"""Suspend, locked screens and the end of a session, told by a mock logind on a private bus."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from support import programs
from support.clocked import Clocked

ENTRY = "Internet/GitHub"
PYTHON = "/usr/bin/python3"

pytestmark = pytest.mark.skipif(
    shutil.which("dbus-daemon") is None
    or subprocess.run([PYTHON, "-c", "import dbusmock"], capture_output=True).returncode != 0,
    reason="python3-dbusmock is missing")

CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>{kind}</type><listen>unix:path={path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/><allow user="*"/></policy></busconfig>
"""


class Desktop:
    """A system's bus and a session's bus of the test's own, with a mock logind on the first."""

    def __init__(self, folder: Path, logind=True):
        self.processes = []
        self.addresses = {}
        # The path of a socket has little room, which the test's folder may use up.
        self.sockets = tempfile.TemporaryDirectory(prefix="kdbxfs-bus-")
        for kind in ["system", "session"]:
            path = Path(self.sockets.name) / f"{kind}.socket"
            config = folder / f"{kind}.conf"
            config.write_text(CONFIG.format(kind=kind, path=path))
            self.start(["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile"])
            programs.wait_until(path.exists, f"the {kind} bus is there")
            self.addresses[f"DBUS_{kind.upper()}_BUS_ADDRESS"] = f"unix:path={path}"
        if logind:
            self.start([PYTHON, "-m", "dbusmock", "--system", "--template", "logind"])
            programs.wait_until(lambda: self.call("CanSuspend", check=False), "logind is there")
            self.mock("AddSession", "'c7'", "'seat0'", str(os.getuid()), "'me'", "true")

    def start(self, command):
        self.processes.append(subprocess.Popen(
            command, env=os.environ | self.addresses, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return self.processes[-1]

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        self.sockets.cleanup()

    @property
    def environment(self):
        return self.addresses | {"XDG_SESSION_ID": "c7"}

    def gdbus(self, bus, *arguments, check=True):
        return subprocess.run(
            [PYTHON, "-c", GDBUS, bus, *arguments], env=os.environ | self.addresses,
            capture_output=True, text=True, check=check, timeout=60)

    def call(self, method, check=True):
        done = self.gdbus("system", "call", method, check=check)
        return done.returncode == 0

    def mock(self, method, *arguments):
        self.gdbus("system", "mock", method, *arguments)

    def emit(self, bus, path, interface, member, signature, *arguments):
        self.gdbus(bus, "emit", path, interface, member, signature, *arguments)

    def sleep(self, begins: bool):
        self.emit("system", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                  "PrepareForSleep", "b", json.dumps(begins))

    def delays(self) -> int:
        """How many delays of a sleep are held at this moment."""
        return int(self.gdbus("system", "delays").stdout)


# Calls and signals through python3-dbus, which Debian's interpreter has.
GDBUS = """
import ast, dbus, json, sys
bus = dbus.SystemBus() if sys.argv[1] == 'system' else dbus.SessionBus()
name, path = 'org.freedesktop.login1', '/org/freedesktop/login1'
kind, *rest = sys.argv[2:]
if kind == 'call':
    getattr(dbus.Interface(bus.get_object(name, path), name + '.Manager'), rest[0])()
elif kind == 'delays':
    held = dbus.Interface(bus.get_object(name, path), name + '.Manager').ListInhibitors()
    print(len([one for one in held if one[0] == 'sleep' and one[3] == 'delay']))
elif kind == 'mock':
    values = [json.loads(a) if a in ('true', 'false') else ast.literal_eval(a) for a in rest[1:]]
    getattr(dbus.Interface(bus.get_object(name, path), 'org.freedesktop.DBus.Mock'), rest[0])(*values)
elif kind == 'emit':
    path, interface, member, signature, *values = rest
    if bus.name_has_owner(name):
        # From logind itself: others aren't listened to.
        mock = dbus.Interface(bus.get_object(name, path), 'org.freedesktop.DBus.Mock')
        values = dbus.Array([json.loads(v) if v in ('true', 'false') else v for v in values],
                            signature='v')
        mock.EmitSignal(interface, member, signature, values)
    else:
        message = dbus.lowlevel.SignalMessage(path, interface, member)
        message.append(signature=signature, *[json.loads(v) for v in values])
        bus.send_message(message)
        bus.flush()
"""


def state(place) -> str:
    return json.loads(programs.run("status", "--json", place).out)["state"]


@pytest.fixture
def desktop(folder):
    desktop = Desktop(folder)
    yield desktop
    desktop.stop()


@pytest.fixture
def mount(vault, place, desktop):
    mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture",
                           env=desktop.environment)
    yield mount
    if programs.mount_at(place):
        mount.unmount()


def waits_for(mount, wanted):
    programs.wait_until(lambda: state(mount.place) == wanted, f"it is {wanted}", 60)


def test_sleep_waits_until_the_vault_is_saved_and_locked(vault, place, folder, desktop):
    """The order of events: delay held; sleep told; saved; locked; delay given up.

    The save stands still at its first step, which is noted in a pipe that nobody reads yet.
    """
    steps, before = folder / "steps", vault.read_bytes()
    os.mkfifo(steps)
    mount = Clocked(vault, place, folder, "-o", "autosave=0", "--idle", "0",
                    env=desktop.environment | {"KDBXFS_TEST_STEPS": os.fspath(steps)})
    programs.wait_until(lambda: desktop.delays() == 1, "a delay is held", 60)
    (mount / ENTRY / "url").write_text("https://new.example\n")
    desktop.sleep(True)
    waits_for(mount, "locking")
    # Whoever gave the delay up by now would do it at once.
    for _ in range(20):
        assert desktop.delays() == 1, "the machine may sleep before the vault is saved"
    assert vault.read_bytes() == before and state(place) == "locking"
    reader = os.open(steps, os.O_RDWR)
    programs.wait_until(lambda: desktop.delays() == 0, "the delay is given up", 60)
    assert state(place) == "locked" and vault.read_bytes() != before
    with pytest.raises(OSError):
        (mount / ENTRY / "url").read_text()
    desktop.sleep(False)
    programs.wait_until(lambda: desktop.delays() == 1, "a delay is held again", 60)
    assert programs.run("unlock", place, password="fixture").code == 0
    assert (mount / ENTRY / "url").read_text() == "https://new.example"
    mount.end()
    os.close(reader)


def test_the_session_lock_locks(mount, desktop):
    desktop.emit("system", "/org/freedesktop/login1/session/c7", "org.freedesktop.login1.Session",
                 "Lock", "")
    waits_for(mount, "locked")


@pytest.mark.parametrize("path, interface", [
    ("/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"),
    ("/org/gnome/ScreenSaver", "org.gnome.ScreenSaver"),
])
def test_a_screen_saver_locks(mount, desktop, path, interface):
    desktop.emit("session", path, interface, "ActiveChanged", "b", "false")
    assert state(mount.place) == "unlocked"
    desktop.emit("session", path, interface, "ActiveChanged", "b", "true")
    waits_for(mount, "locked")


def test_the_end_of_the_session_locks(mount, desktop):
    desktop.emit("system", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                 "SessionRemoved", "so", "c8", "/org/freedesktop/login1/session/c8")
    assert state(mount.place) == "unlocked"
    desktop.emit("system", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                 "SessionRemoved", "so", "c7", "/org/freedesktop/login1/session/c7")
    waits_for(mount, "locked")


@pytest.mark.parametrize("switch", ["suspend", "screenlock", "logout"])
def test_each_has_its_switch(vault, place, desktop, switch):
    mount = programs.mount(vault, place, f"--keep-on-{switch}", password="fixture",
                           env=desktop.environment)
    events = {
        "suspend": lambda: desktop.sleep(True),
        "screenlock": lambda: desktop.emit(
            "session", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver", "ActiveChanged", "b",
            "true"),
        "logout": lambda: desktop.emit(
            "system", "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
            "SessionRemoved", "so", "c7", "/org/freedesktop/login1/session/c7"),
    }
    events.pop(switch)()
    # Another event, which locks, comes after it: by then the first has been heard.
    assert state(place) == "unlocked"
    next(iter(events.values()))()
    waits_for(mount, "locked")
    mount.unmount()


def test_without_a_bus_nothing_is_missing(vault, place, folder):
    nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/none",
               "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/none"}
    mount = programs.mount(vault, place, password="fixture", env=nowhere)
    assert mount.said == ""
    assert (mount / ENTRY / "username").read_text() == "alice"
    mount.unmount()


def test_a_bus_that_dies_does_no_harm(mount, desktop):
    desktop.stop()
    assert (mount / ENTRY / "username").read_text() == "alice"
    assert programs.run("lock", mount.place).code == 0
