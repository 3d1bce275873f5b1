"""Commands to a process that is stopped, works long, or is gone."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time

import pytest
from support import fixtures, kdbx, programs, responder

ENTRY = "Internet/GitHub"


class Stopped:
    def __init__(self, mount):
        self.mount = mount

    def __enter__(self):
        self.mount.signal(signal.SIGSTOP)

    def __exit__(self, *_):
        self.mount.signal(signal.SIGCONT)


@pytest.mark.parametrize("command", ["status", "log", "lock", "unlock", "save", "umount"])
def test_a_stopped_process_is_named_and_not_waited_for(mounted, command):
    with Stopped(mounted):
        begun = time.monotonic()
        done = programs.run(command, mounted.place, password="fixture")
        took = time.monotonic() - begun
    assert done.code == 20 and len(done.errors) == 1
    assert f"({mounted.pids[0]}) doesn't answer" in done.errors[0]
    assert f"kill -CONT {mounted.pids[0]}" in done.err
    # Far from the minutes that a real save may take; a loaded machine may add some seconds.
    assert took < 100
    # What was asked is done once it goes on.
    if command == "umount":
        mounted.wait_for_end()
    elif command != "lock":
        assert (mounted / ENTRY / "username").read_text() == "alice"


def test_callers_in_a_queue_are_not_waited_for_either(mounted):
    """So many wait that the kernel takes no more."""
    path = programs.control_socket(mounted.place)
    callers = []
    with Stopped(mounted):
        try:
            for _ in range(40):
                caller = socket.socket(socket.AF_UNIX)
                caller.setblocking(False)
                callers.append(caller)
                try:
                    caller.connect(os.fspath(path))
                except BlockingIOError:
                    break
            done = programs.run("status", mounted.place)
        finally:
            for caller in callers:
                caller.close()
    assert done.code == 20 and "doesn't answer" in done.errors[0]


def test_a_dead_mount_is_cleared_away_by_umount(mounted):
    (mounted / ENTRY / "username").write_text("carol")
    mounted.kill()
    for command in ["status", "save"]:
        done = programs.run(command, mounted.place)
        assert done.code == 20 and "is gone" in done.errors[0]
    done = programs.run("umount", mounted.place)
    assert done.code == 20 and "what it had not saved is lost" in done.errors[0]
    assert "cleared away" in done.err
    assert programs.mount_at(mounted.place) is None
    done = programs.run("umount", mounted.place)
    assert done.code == 20 and "no vault is mounted" in done.errors[0]


def test_long_work_is_waited_for(folder, place):
    """A hardware key that is touched late, later than a process may say nothing."""
    secret = "000102030405060708090a0b0c0d0e0f10111213"
    content = fixtures.Content("Hardware")
    content.root.append(content.entry("GitHub", "2024-01-02 08:00:00", fields={"Password": "first"}))
    vault = folder / "vaults" / "vault.kdbx"
    vault.write_bytes(kdbx.write(
        content.tree(), kdbx.Recipe(), "fixture", responder=lambda c: responder.answer([secret], c)))
    key = folder / "key.sh"
    key.write_text(f"#!/bin/sh\ntest -e '{folder}/late' && sleep 13\n"
                   f"exec '{sys.executable}' '{responder.__file__}' {secret}\n")
    key.chmod(0o755)
    mount = programs.mount(vault, place, "--challenge-response", key, password="fixture")
    assert programs.run("lock", place).code == 0
    (folder / "late").touch()
    begun = time.monotonic()
    done = programs.run("unlock", place, password="fixture")
    assert (done.code, done.err) == (0, "")
    assert time.monotonic() - begun > 12
    assert (mount / "GitHub" / "password").read_text() == "first"
    (folder / "late").unlink()
    mount.unmount()
