"""Real editors, at a real terminal: the edit is in the vault, and nothing of the editor's is."""

import os
import re

import pexpect
import pytest
from support import programs

OLD = "correct horse battery staple"
PATH = "Internet/GitHub"


class Editor:
    """An editor on a terminal of its own, with a home folder of its own."""

    def __init__(self, command, folder, home):
        home.mkdir(exist_ok=True)
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8",
            "USER": "tester",
        }
        self.child = pexpect.spawn(
            command[0], command[1:], cwd=os.fspath(folder), env=environment, timeout=60,
            dimensions=(24, 100), encoding="utf-8", codec_errors="replace",
        )

    def sees(self, text: str):
        """Waits until a text appears on the screen."""
        self.child.expect(re.escape(text))

    def types(self, text: str):
        self.child.send(text)

    def ends(self):
        self.child.expect(pexpect.EOF)
        self.child.close()
        assert self.child.exitstatus == 0, self.child.before


@pytest.fixture
def home(folder):
    return folder / "home"


VIM = {
    "as it comes": ["-u", "NONE"],
    "with Debian's defaults": [],
    "with a backup": ["-u", "NONE", "--cmd", "set nocompatible backup writebackup"],
    "backup by copy": ["-u", "NONE", "--cmd", "set nocompatible backup backupcopy=yes"],
    "backup by rename": ["-u", "NONE", "--cmd", "set nocompatible writebackup backupcopy=no"],
    "with an undo file": ["-u", "NONE", "--cmd", "set nocompatible undofile"],
    "without a swap file": ["-n", "-u", "NONE"],
}


@pytest.mark.parametrize("setting", VIM)
def test_vim(setting, mounted, github, before, home):
    editor = Editor(["vim", *VIM[setting], "password"], github, home)
    editor.sees("correct")
    editor.types(":%s/horse/cow/\r")
    editor.sees("cow")
    editor.types(":wq\r")
    editor.ends()
    assert (github / "password").read_text() == "correct cow battery staple"
    mounted.unmount()
    before.expect({PATH: {"Password": (OLD, "correct cow battery staple"), "history": 1}})


def test_vim_saves_twice_and_quits(mounted, github, before, home):
    editor = Editor(["vim", "-u", "NONE", "notes"], github, home)
    editor.sees("two")
    editor.types("Gofourth line\x1b:w\r")
    editor.sees("written")
    editor.types("Gofifth line\x1b:x\r")
    editor.ends()
    mounted.unmount()
    text = "two\nlines\nfourth line\nfifth line\n"
    before.expect({PATH: {"Notes": ("two\nlines", text), "history": 1}})


def test_vim_makes_a_new_field(mounted, github, before, home):
    editor = Editor(["vim", "-u", "NONE", "PIN"], github, home)
    editor.sees("PIN")
    editor.types("i0420\x1b:wq\r")
    editor.ends()
    mounted.unmount()
    before.expect({PATH: {"PIN": (None, "0420"), "history": 1}})


def test_vim_left_without_saving(mounted, github, before, home):
    editor = Editor(["vim", "-u", "NONE", "password"], github, home)
    editor.sees("correct")
    editor.types("ddinothing\x1b:q!\r")
    editor.ends()
    mounted.unmount()
    before.expect_untouched()


def test_vim_edits_the_value_and_saves_the_same(mounted, github, before, home):
    editor = Editor(["vim", "-u", "NONE", "password"], github, home)
    editor.sees("correct")
    editor.types(":w\r")
    editor.sees("written")
    editor.types(":q\r")
    editor.ends()
    mounted.unmount()
    before.expect_untouched()


def test_vim_killed_between_backup_and_write_loses_nothing(mounted, github, before):
    """What vim does up to the moment: the field renamed to a backup, and then nothing more."""
    os.rename(github / "password", github / "password~")
    assert not (github / "password").exists()
    mounted.unmount()
    before.expect_untouched()


@pytest.mark.parametrize("options", [[], ["-B"]], ids=["as it comes", "with a backup"])
def test_nano(options, mounted, github, before, home):
    editor = Editor(["nano", "--ignorercfiles", *options, "password"], github, home)
    editor.sees("correct")
    editor.types("very ")
    editor.types("\x0f")
    editor.sees("Write")
    editor.types("\r")
    editor.sees("Wrote")
    editor.types("\x18")
    editor.ends()
    assert (github / "password").read_text() == "very " + OLD
    mounted.unmount()
    before.expect({PATH: {"Password": (OLD, "very " + OLD), "history": 1}})


EMACS = {
    "as it comes": [],
    "backup by copy": ["--eval", "(setq backup-by-copying t)"],
    "without backup and lock": ["--eval", "(setq make-backup-files nil create-lockfiles nil)"],
}


@pytest.mark.parametrize("setting", EMACS)
def test_emacs(setting, mounted, github, before, home):
    editor = Editor(["emacs", "-nw", "-Q", *EMACS[setting], "password"], github, home)
    editor.sees("correct")
    editor.types("very ")
    editor.sees("very")
    editor.types("\x18\x13")
    editor.sees("Wrote")
    editor.types("\x18\x03")
    editor.ends()
    assert (github / "password").read_text() == "very " + OLD
    mounted.unmount()
    before.expect({PATH: {"Password": (OLD, "very " + OLD), "history": 1}})


def test_emacs_autosave_is_scratch(mounted, github, before, home):
    editor = Editor(["emacs", "-nw", "-Q", "password"], github, home)
    editor.sees("correct")
    editor.types("unsaved ")
    editor.types("\x1bxdo-auto-save\r")
    programs.wait_until(lambda: (github / "#password#").exists(), "emacs saves by itself")
    editor.types("\x18\x03")
    editor.sees("Save file")
    editor.types("n")
    editor.sees("anyway")
    editor.types("yes\r")
    editor.ends()
    mounted.unmount()
    before.expect_untouched()


def test_scratch_is_gone_after_the_mount(vault, before, place, home):
    """A swap file left by a killed editor lives in memory only."""
    mount = programs.mount(vault, place, password="fixture")
    entry = mount / PATH
    (entry / ".password.swp").write_bytes(b"\0secret leftovers\xff" * 300)
    assert ".password.swp" in os.listdir(entry)
    mount.unmount()
    before.expect_untouched()
    mount = programs.mount(vault, place, password="fixture")
    assert not (mount / PATH / ".password.swp").exists()
    mount.unmount()
    assert os.listdir(vault.parent) == ["vault.kdbx"]
