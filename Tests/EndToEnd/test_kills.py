"""kill -9 at each step of a save, and at random moments: what was saved is there, nothing else is left.

A short run; `scripts/kill-rounds` makes a long one.
"""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from support import programs
from support.clocked import Clocked
from support.judges import keepassxc

ENTRY = "Internet/GitHub"
STEPS = 40  # more than a save has: the last rounds end without a kill
ROUNDS = int(os.environ.get("KDBXFS_KILL_ROUNDS", "20"))
SEED = int(os.environ.get("KDBXFS_KILL_SEED", str(random.randrange(1 << 30))))


def judge(vault, place, expected: set[str]):
    """Another program opens the vault and reads one of `expected`; the next mount leaves nothing."""
    shown = keepassxc("show", "-a", "URL", vault, ENTRY, password="fixture").decode().strip()
    assert shown in expected, f"{shown!r} is none of {expected}"
    subprocess.run(["fusermount3", "-uz", place], capture_output=True)
    mount = programs.mount(vault, place, password="fixture")
    assert (mount / ENTRY / "url").read_text() == shown
    names = {path.name for path in vault.parent.iterdir()}
    assert names == {vault.name}, names
    mount.unmount()


def left_beside(vault) -> list[Path]:
    return [path for path in vault.parent.iterdir() if path.name != vault.name]


class Killed:
    """One vault that dies again and again."""

    def __init__(self, folder, vault, place):
        self.folder, self.vault, self.place = folder, vault, place
        self.value = "https://github.com/login"
        self.mode = 0o640
        vault.chmod(self.mode)
        self.round = 0

    def mount(self, **environment):
        steps = self.folder / "steps"
        steps.unlink(missing_ok=True)
        mount = Clocked(self.vault, self.place, self.folder, "-o", "autosave=0",
                        env={"KDBXFS_TEST_STEPS": str(steps), **environment})
        return mount

    def steps(self) -> list[str]:
        file = self.folder / "steps"
        return [line.split()[1] for line in file.read_text().splitlines()] if file.exists() else []

    def write(self, mount) -> str:
        self.round += 1
        value = f"https://round-{self.round}.example"
        try:
            (mount / ENTRY / "url").write_text(value + "\n")
        except OSError:
            mount.process.kill()
            print(mount.process.communicate())
            raise
        return value

    def after(self, new: str, is_safe: bool):
        """After the end: `new` is there, if it was said to be safe, else that or the value before."""
        for path in left_beside(self.vault):
            # Right before its rename it gets the vault's own mode, and is as open as the vault.
            modes = {0o600} if "attributes" not in self.steps() else {0o600, self.mode}
            assert path.stat().st_mode & 0o777 in modes, path
            assert path.name.startswith(f".{self.vault.name}.kdbxfs-"), path
            assert new.encode() not in path.read_bytes()
        judge(self.vault, self.place, {new} if is_safe else {new, self.value})
        shown = keepassxc("show", "-a", "URL", self.vault, ENTRY, password="fixture")
        self.value = shown.decode().strip()


@pytest.fixture
def killed(folder, vault, place):
    return Killed(folder, vault, place)


def test_killed_at_each_step_of_a_save(killed):
    """Before the rename the old vault is there, after it the new one: at every step."""
    seen = []
    for number in range(1, STEPS):
        mount = killed.mount(KDBXFS_TEST_KILL=str(number))
        new = killed.write(mount)
        with contextlib.suppress(OSError):
            done = programs.run("save", mount.place)
        code = mount.process.poll() if done.code == 0 else mount.process.wait(60)
        steps = killed.steps()
        if code is None:
            # The save has fewer steps than this: it is done.
            mount.end()
            killed.after(new, is_safe=True)
            break
        assert code == -signal.SIGKILL
        seen.append(steps[-1])
        # It died before taking this step: the new file stands only after the rename.
        killed.after(new, is_safe="synchronizeFolder" in steps)
    else:
        raise AssertionError("the save did not end")
    assert {"create", "write", "synchronize", "readBack", "verify", "rename", "synchronizeFolder"} \
        <= set(seen)


def test_killed_at_random_moments(killed):
    """Half of the rounds or more hit a running save; what fsync or save answered for is there."""
    chance = random.Random(SEED)
    hits = 0
    count = 0  # how many steps a save has
    for number in range(ROUNDS):
        # Every second time it dies by itself, at a step of the second save; else by the clock.
        own = count and number % 2
        mount = killed.mount(**(
            {"KDBXFS_TEST_KILL": str(count + chance.randint(1, count))} if own else {}))
        safe = killed.write(mount)
        assert programs.run("save", mount.place).code == 0
        killed.value = safe
        before = count = len(killed.steps())
        new = killed.write(mount)
        saver = subprocess.Popen(
            [programs.program(), "save", mount.place], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        # Saves take some milliseconds: wait until this one has begun, then a little.
        programs.wait_until(lambda: len(killed.steps()) > before or saver.poll() is not None, "it begins")
        if not own:
            time.sleep(chance.random() * 0.004)
            os.kill(mount.pids[0], signal.SIGKILL)
        said = saver.wait(60)
        mount.process.communicate()
        hits += said != 0
        killed.after(new, is_safe=said == 0)
    print(f"seed {SEED}: {hits} of {ROUNDS} rounds hit a running save")
    assert hits * 2 >= ROUNDS - 1, f"seed {SEED}: only {hits} of {ROUNDS}"


def test_a_dead_mount_is_cleared_away_by_the_next(folder, vault, place):
    mount = programs.mount(vault, place, password="fixture")
    mount.signal(signal.SIGKILL)
    mount.wait_for_end()
    again = programs.mount(vault, place, password="fixture")
    assert len([m for m in programs.mount_table() if m.place == str(place)]) == 1
    assert (again / ENTRY / "username").read_text() == "alice"
    again.unmount()
    assert shutil.which("fusermount3")
