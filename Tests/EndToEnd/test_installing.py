"""Installing, the Debian package, and taking it away again."""

import os
import re
import shutil
import subprocess

import pytest
from support import programs

SCRIPTS = programs.ROOT / "scripts"
builds = pytest.mark.skipif(os.getuid() != 0, reason="builds in the project's own folder")


def script(name, *arguments, **environment) -> str:
    done = subprocess.run(
        [SCRIPTS / name, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=1500, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_below(folder) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def version_of(program) -> str:
    return subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout


@builds
def test_what_is_installed_works_and_goes_again(folder):
    (folder / "opt").mkdir()
    script("install", "--prefix", "/opt/kdbxfs", DESTDIR=str(folder))
    prefix = folder / "opt/kdbxfs"
    installed = files_below(prefix)
    assert {"bin/kdbxfs", "sbin/mount.kdbxfs", "sbin/umount.fuse.kdbxfs",
            "share/man/man1/kdbxfs.1.gz"} <= installed
    assert os.readlink(prefix / "sbin/mount.fuse.kdbxfs") == "mount.kdbxfs"
    for name in ("git-credential-kdbxfs", "kdbxfs-askpass"):
        assert os.readlink(prefix / "bin" / name) == "kdbxfs"
    unit = (prefix / "lib/systemd/user/kdbxfs@.service").read_text()
    assert "ExecStart=/opt/kdbxfs/bin/kdbxfs mount --foreground %i\n" in unit
    assert "PREFIX" not in unit
    assert version_of(prefix / "bin/kdbxfs") == programs.run("--version").out.decode()
    script("uninstall", "--prefix", "/opt/kdbxfs", DESTDIR=str(folder))
    assert not prefix.exists()


@builds
def test_the_package_holds_what_is_installed_and_lintian_finds_no_error(folder):
    said = script("package-deb", DEBFULLNAME="A Packager", DEBEMAIL="packager@debian.org")
    package = said.strip().splitlines()[-1]
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    assert version_of(folder / "usr/bin/kdbxfs") == programs.run("--version").out.decode()
    fields = subprocess.run(["dpkg-deb", "-f", package, "Depends", "Maintainer"], check=True,
                            capture_output=True, text=True).stdout
    assert "fuse3" in fields and "libfuse3-3" in fields and "A Packager" in fields
    assert "usr/share/doc/kdbxfs/changelog.Debian.gz" in files_below(folder)


def commands() -> set[str]:
    told = programs.run("--help").out.decode()
    return set(re.findall(r"^ +kdbxfs ([a-z-]+)", told, re.MULTILINE))


def options(command) -> set[str]:
    """The long options that a command's help names."""
    return set(re.findall(r"--[a-z][a-z-]+", programs.run(command, "--help").out.decode()))


@pytest.fixture
def path(folder) -> str:
    """A PATH on which `kdbxfs` is the built program."""
    (folder / "bin").mkdir()
    (folder / "bin/kdbxfs").symlink_to(programs.program())
    return f"{folder}/bin:{os.environ['PATH']}"


@pytest.fixture
def bash(folder, path):
    def completed(*words) -> set[str]:
        page = programs.ROOT / "docs/completions/kdbxfs.bash"
        lines = f"""source "{page}"
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _kdbxfs; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(
            ["bash", "-c", lines, "bash", *words], check=True, capture_output=True, text=True,
            cwd=folder, env=os.environ | {"PATH": path})
        return set(done.stdout.split())

    return completed


@pytest.fixture
def fish(folder, path):
    page = programs.ROOT / "docs/completions/kdbxfs.fish"

    def completed(*words) -> set[str]:
        line = " ".join(words)
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source '{page}'; complete -C '{line}'"], check=True,
            capture_output=True, text=True, cwd=folder,
            env=os.environ | {"PATH": path, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                              "XDG_DATA_HOME": str(folder / "data"), "LC_ALL": "C.UTF-8"})
        # A description may follow each, behind a tab.
        return {line.split("\t")[0] for line in done.stdout.splitlines()}

    return completed


@pytest.fixture
def zsh(folder, path):
    """What zsh lists in a terminal of its own (zpty), as a person sees it after two tabs."""
    (folder / "functions").mkdir()
    shutil.copy(programs.ROOT / "docs/completions/kdbxfs.zsh", folder / "functions/_kdbxfs")

    def completed(*words) -> set[str]:
        done = subprocess.run(
            ["zsh", "-f", programs.ROOT / "Tests/EndToEnd/support/zsh_completions.zsh",
             folder / "functions", " ".join(words)],
            check=True, capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL,
            timeout=programs.PATIENCE,
            env=os.environ | {"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8"})
        return set(done.stdout.splitlines())

    return completed


class TestCompletions:
    """What each shell offers, asked of the shell itself."""

    @pytest.fixture(params=["bash", "zsh", "fish"])
    def completed(self, request):
        assert shutil.which(request.param), "run scripts/install-deps"
        return request.getfixturevalue(request.param)

    def test_all_commands(self, completed):
        assert "umount" in commands() and len(commands()) > 25
        assert commands() <= completed("kdbxfs", "")
        assert completed("kdbxfs", "um") == {"umount"}

    def test_all_options_of_each_command(self, completed):
        for command in sorted(commands()):
            assert completed("kdbxfs", command, "--") >= options(command), command
        # Of a vault that stands in the command's place, those of mounting.
        assert {"--keyfile", "--idle"} <= completed("kdbxfs", "a.kdbx", "--")
        assert completed("kdbxfs", "cat", "--keyf") == {"--keyfile"}

    def test_files(self, completed, folder):
        (folder / "a.kdbx").touch()
        assert completed("kdbxfs", "info", "a.") == {"a.kdbx"}
        assert completed("kdbxfs", "--keyfile", "a.") == {"a.kdbx"}

    def test_mounts(self, completed, mounted):
        for command in ["umount", "status", "log"]:
            assert str(mounted.place) in completed("kdbxfs", command, str(mounted.place)[:-1])
