"""When the vault is written, how, and how a mount ends."""

import concurrent.futures
import errno
import os
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest
from conftest import FIXTURES
from support import fixtures, kdbx, programs
from support.fixtures import RECIPES
from support.judges import Witness, keepassxc, read_own

PATH = "Internet/GitHub"
OLD = "correct horse battery staple"
URL = "https://github.com/login"
CHANGED = {PATH: {"URL": (URL, "https://new.example"), "history": 1}}


def edit(mount):
    (mount / PATH / "url").write_text("https://new.example\n")


class TestEndings:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    @pytest.mark.parametrize("front", [True, False], ids=["in front", "in the background"])
    def test_a_signal_saves_and_unmounts(self, number, front, vault, before, place):
        mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture", front=front)
        edit(mount)
        mount.signal(number)
        assert mount.wait_for_end() in (0, None)
        assert programs.mount_at(place) is None
        before.expect(CHANGED)

    def test_umount_of_a_mount_in_front(self, vault, before, place):
        mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture", front=True)
        edit(mount)
        done = programs.run("umount", place)
        before.expect(CHANGED)
        assert (done.code, done.err, mount.wait_for_end()) == (0, "", 0)

    def test_umount_returns_when_the_vault_is_saved(self, mounted, before):
        edit(mounted)
        done = programs.run("umount", mounted.place)
        shown = keepassxc("show", "-a", "URL", before.path, PATH, password="fixture")
        assert (done.code, done.out, done.err) == (0, b"", "")
        assert shown == b"https://new.example\n"
        mounted.wait_for_end()

    def test_fusermount_saves_too(self, vault, before, place):
        mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture", front=True)
        edit(mount)
        subprocess.run(["fusermount3", "-u", place], check=True)
        assert mount.wait_for_end() == 0
        before.expect(CHANGED)

    def test_a_lazy_unmount_saves_when_it_leaves_the_table(self, vault, before, place):
        mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture", front=True)
        edit(mount)
        with programs.held(mount / PATH / "url"):
            subprocess.run(["fusermount3", "-uz", place], check=True)
        assert mount.wait_for_end() == 0
        before.expect(CHANGED)

    def test_a_busy_mount_stays_and_names_who_uses_it(self, mounted, before):
        edit(mounted)
        with open(mounted / PATH / "url", "rb"):
            done = programs.run("umount", mounted.place)
            assert done.code == 10
            assert str(os.getpid()) in done.err
            assert programs.mount_at(mounted.place)
        mounted.unmount()
        before.expect(CHANGED)

    def test_a_busy_mount_can_be_left_lazily(self, mounted, before):
        edit(mounted)
        with programs.held(mounted / PATH / "url"):
            done = programs.run("umount", "--lazy", mounted.place)
            assert (done.code, done.err) == (0, "")
            assert programs.mount_at(mounted.place) is None
        mounted.wait_for_end()
        before.expect(CHANGED)

    def test_a_killed_server_leaves_the_old_vault_whole(self, vault, before, place):
        mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture")
        edit(mount)
        mount.kill()
        before.expect_untouched()
        # The next mount clears the dead one away first.
        again = programs.mount(vault, place, password="fixture")
        assert (again / PATH / "url").read_text() == URL
        assert sum(entry.place == str(place) for entry in programs.mount_table()) == 1
        again.unmount()

    def test_many_mounts_are_made_and_ended_at_a_time(self, vault, folder):
        """The threads of a forked process wait for each other's locks rightly.

        When the serving process worked on the copy of the first thread, some mounts went wrong on a
        busy machine: Swift's locks hold the number of the thread, and the copy had the original's.
        """
        def again_and_again(number):
            copy, place = folder / f"vaults/{number}.kdbx", folder / f"place{number}"
            shutil.copy(vault, copy)
            place.mkdir()
            for _ in range(15):
                programs.mount(copy, place, "-o", "autosave=0", password="fixture").unmount()

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            list(pool.map(again_and_again, range(6)))

    def test_the_copy_of_the_first_thread_only_waits(self, mounted):
        (process,) = mounted.pids
        tasks = Path(f"/proc/{process}/task")
        names = {task.name: (task / "comm").read_text().strip() for task in tasks.iterdir()}
        assert "main" in names.values()
        assert names[str(process)] != "main"


class TestBetween:
    def test_a_change_is_saved_a_short_while_later(self, vault, before, place):
        mount = programs.mount(vault, place, "-o", "autosave=1s", password="fixture")
        edit(mount)
        programs.wait_until(lambda: vault.read_bytes() != before.bytes, "the vault is saved")
        before.expect(CHANGED)
        (mount / PATH / "url").write_text("https://newer.example")
        mount.unmount()
        now = read_own(vault, "fixture").entry(PATH)
        assert now.strings["URL"] == "https://newer.example"
        # The save at the unmount adds its item, whatever came before.
        assert [item.strings["URL"] for item in now.history[-2:]] == [URL, "https://new.example"]

    def test_fsync_saves(self, mounted, before):
        with open(mounted / PATH / "url", "w") as file:
            file.write("https://new.example\n")
            file.flush()
            os.fsync(file.fileno())
            before.expect(CHANGED)
        mounted.unmount()
        before.expect(CHANGED)

    def test_save_saves(self, mounted, before):
        edit(mounted)
        done = programs.run("save", mounted.place)
        assert (done.code, done.err) == (0, "")
        before.expect(CHANGED)
        saved = before.path.read_bytes()
        assert programs.run("save", mounted.place).code == 0
        mounted.unmount()
        assert before.path.read_bytes() == saved

    def test_times_in_the_mount_do_not_move_with_a_save(self, mounted):
        edit(mounted)
        first = os.stat(mounted / PATH / "url").st_mtime_ns
        programs.run("save", mounted.place)
        assert os.stat(mounted / PATH / "url").st_mtime_ns == first
        other = os.stat(mounted / "Internet" / "Mail" / "url").st_mtime
        assert other == 1_704_272_400


class TestFile:
    def test_owner_mode_and_attributes_stay_and_the_time_is_new(self, vault, place):
        os.chmod(vault, 0o640)
        os.utime(vault, (1_577_836_800, 1_577_836_800))
        os.setxattr(vault, "user.note", b"1")
        old = os.stat(vault)
        mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture")
        edit(mount)
        start = time.time()
        mount.unmount()
        now = os.stat(vault)
        assert stat.S_IMODE(now.st_mode) == 0o640
        assert (now.st_uid, now.st_gid) == (old.st_uid, old.st_gid)
        assert os.getxattr(vault, "user.note") == b"1"
        assert now.st_mtime >= start - 1
        assert now.st_ino != old.st_ino
        assert os.listdir(vault.parent) == ["vault.kdbx"]

    def test_a_link_to_the_vault_is_followed_and_stays(self, vault, before, place, folder):
        link = folder / "link.kdbx"
        link.symlink_to(vault)
        mount = programs.mount(link, place, "-o", "autosave=0", password="fixture")
        edit(mount)
        mount.unmount()
        assert link.is_symlink()
        before.expect(CHANGED)

    @pytest.mark.parametrize("recipe", RECIPES)
    def test_what_the_header_says_of_cipher_and_key_stays(self, recipe, folder, place):
        _, password, keyfile = RECIPES[recipe]
        vault = Path(shutil.copy(FIXTURES / f"{recipe}.kdbx", folder / "vaults"))
        key = FIXTURES / keyfile if keyfile else None
        options = ["--keyfile", key] if key else []
        options += ["--no-password"] if password is None else []
        before = Witness(vault, password, key)
        mount = programs.mount(vault, place, "-o", "autosave=0", *options, password=password)
        edit(mount)
        mount.unmount()
        before.expect(CHANGED)
        old, new = (kdbx.Header.read(data) for data in (before.bytes, vault.read_bytes()))
        assert new.version == old.version
        assert [number for number, _ in new.fields] == [number for number, _ in old.fields]
        # Made anew: master seed, vector, and in KDBX 3 salt, stream key and start bytes.
        fresh = {4, 7, 11} if old.major >= 4 else {4, 5, 7, 8, 9}
        changed = {n for n, value in old.fields if new.field(n) != value}
        assert changed == fresh
        if old.major >= 4:
            items = old.kdf, new.kdf
            salts = [kdf.pop("S")[1] for kdf in items]
            assert items[0] == items[1]
            assert salts[0] != salts[1] and len(salts[0]) == len(salts[1])

    @pytest.mark.parametrize("password", [None, ""])
    def test_an_empty_password_is_saved_as_it_opened(self, password, folder, place):
        """With a key file it is tried as none and as an empty one; a save keeps to what fitted."""
        key = FIXTURES / "key-raw32.key"
        content, vault = fixtures.fixture_content(), folder / "vaults" / "vault.kdbx"
        vault.write_bytes(kdbx.write(content.tree(), kdbx.Recipe(), password, key.read_bytes(),
                                     [(0, binary) for binary in content.binaries]))
        mount = programs.mount(vault, place, "--keyfile", key, password="")
        edit(mount)
        mount.unmount()
        kdbx.read(vault.read_bytes(), password, key.read_bytes())
        with pytest.raises(kdbx.Unreadable):
            kdbx.read(vault.read_bytes(), "" if password is None else None, key.read_bytes())

    def test_other_ids_of_the_header_and_document_stay(self, folder, place):
        """Header fields, elements and attributes that nobody knows go back as they came."""
        content = fixtures.fixture_content()
        recipe = kdbx.Recipe(extra_fields=[(12, kdbx.write_dictionary({"x": (0x18, b"y")})),
                                           (100, b"unknown")])
        vault = folder / "vaults" / "vault.kdbx"
        vault.write_bytes(kdbx.write(content.tree(), recipe, "pw", None,
                                     [(1, binary) for binary in content.binaries]))
        old = kdbx.read(vault.read_bytes(), "pw")
        mount = programs.mount(vault, place, "-o", "autosave=0", password="pw")
        edit(mount)
        mount.unmount()
        new = kdbx.read(vault.read_bytes(), "pw")
        assert [n for n, _ in new.header.fields] == [n for n, _ in old.header.fields]
        assert new.header.field(12) == old.header.field(12)
        assert new.header.field(100) == b"unknown"
        assert new.binaries == old.binaries
        assert new.tree.findtext("Meta/FutureSetting") == "kept"
        assert new.tree.find("Meta/FutureSetting").get("kind") == "new"
        assert new.tree.findtext(".//Entry/FutureElement") == "kept too"

    def test_two_saves_share_no_seed(self, vault, place):
        seeds = set()
        for value in ("1", "2"):
            mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture")
            (mount / PATH / "url").write_text(value)
            mount.unmount()
            header = kdbx.Header.read(vault.read_bytes())
            seeds |= {header.field(4), header.field(7), header.kdf["S"][1]}
        assert len(seeds) == 6

    def test_history_is_trimmed_to_the_vaults_limit(self, folder, place):
        content = fixtures.fixture_content()
        content.meta.find("HistoryMaxItems").text = "2"
        vault = folder / "vaults" / "vault.kdbx"
        vault.write_bytes(kdbx.write(content.tree(), kdbx.Recipe(), "pw", None,
                                     [(0, binary) for binary in content.binaries]))
        mount = programs.mount(vault, place, "-o", "autosave=0", password="pw")
        (mount / PATH / "password").write_text("third")
        mount.unmount()
        history = read_own(vault, "pw").entry(PATH).history
        assert [item.strings["Password"] for item in history] == ["second", OLD]


class TestReadOnly:
    def test_asked_for(self, vault, before, place):
        mount = programs.mount(vault, place, "--ro", password="fixture")
        assert (mount / PATH / "password").read_text() == OLD
        for attempt in (
            lambda: (mount / PATH / "password").write_text("x"),
            lambda: os.mkdir(mount / "Work" / "x"),
            lambda: os.unlink(mount / PATH / "url"),
            lambda: os.rename(mount / "Work", mount / "Works"),
        ):
            with pytest.raises(OSError) as caught:
                attempt()
            assert caught.value.errno == errno.EROFS
        # It doesn't count as the one writer.
        mount.unmount()
        before.expect_untouched()

    def test_reading_and_writing_side_by_side(self, vault, before, place, folder):
        (folder / "second").mkdir()
        writing = programs.mount(vault, place, "-o", "autosave=0", password="fixture")
        reading = programs.mount(vault, folder / "second", "--ro", password="fixture")
        edit(writing)
        writing.unmount()
        before.expect(CHANGED)
        programs.wait_until(
            lambda: (reading / PATH / "url").read_text() == "https://new.example", "what was saved is shown")
        reading.unmount()
        before.expect(CHANGED)
