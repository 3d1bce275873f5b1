"""Desktops without a screen, for what talks to a clipboard."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path

from . import programs


@contextlib.contextmanager
def x11():
    """Xvfb with a number of its own; gives the environment."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
        pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        number = b""
        while not number.endswith(b"\n"):
            piece = os.read(reader, 16)
            assert piece, "Xvfb ended"
            number += piece
        yield {"DISPLAY": f":{number.decode().strip()}", "WAYLAND_DISPLAY": ""}
    finally:
        os.close(reader)
        server.terminate()
        server.wait(programs.PATIENCE)


@contextlib.contextmanager
def wayland():
    """weston in a screen that nobody sees: its headless one has no seat, and nobody copies without."""
    # A socket's path may have 107 bytes.
    with tempfile.TemporaryDirectory(prefix="kdbxfs-weston-") as runtime, x11() as screen:
        env = {"XDG_RUNTIME_DIR": runtime, "WAYLAND_DISPLAY": "wayland-test"}
        compositor = subprocess.Popen(
            ["weston", "--backend=x11-backend.so", "--socket=wayland-test", "--idle-time=0"],
            env=os.environ | screen | env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            programs.wait_until((Path(runtime) / "wayland-test").exists, "weston listens")
            yield env | {"DISPLAY": ""}
        finally:
            compositor.terminate()
            compositor.wait(programs.PATIENCE)
