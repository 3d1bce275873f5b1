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
def within() -> list:
    """Words in front of a shell's, with which it runs somewhere else."""
    return []


@pytest.fixture
def only_mount(mounted, within):
    """The shell sees no mount but ours, whatever other tests have mounted."""
    if os.getuid() != 0:
        pytest.skip("only root has a mount table of its own")
    alone = """grep ' - fuse.kdbxfs ' /proc/self/mountinfo | cut -d' ' -f5 | grep -vxF "$0" |
        while read -r place; do umount -i -l "$(printf %b "$place")"; done; exec "$@" """
    within.extend(["unshare", "--mount", "sh", "-c", alone, str(mounted.place)])


@pytest.fixture
def bash(folder, path, within):
    def completed(*words) -> set[str]:
        page = programs.ROOT / "docs/completions/kdbxfs.bash"
        lines = f"""source "{page}"
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _kdbxfs; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(
            [*within, "bash", "-c", lines, "bash", *words], check=True, capture_output=True, text=True,
            cwd=folder, env=os.environ | {"PATH": path, "XDG_CONFIG_HOME": str(folder / "config")})
        return set(done.stdout.splitlines()) - {""}

    return completed


@pytest.fixture
def fish(folder, path, within):
    page = programs.ROOT / "docs/completions/kdbxfs.fish"

    def completed(*words) -> set[str]:
        line = " ".join(words)
        done = subprocess.run(
            [*within, "fish", "--no-config", "-c", f"source '{page}'; complete -C '{line}'"], check=True,
            capture_output=True, text=True, cwd=folder,
            env=os.environ | {"PATH": path, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                              "XDG_DATA_HOME": str(folder / "data"), "LC_ALL": "C.UTF-8"})
        # A description may follow each, behind a tab.
        return {line.split("\t")[0] for line in done.stdout.splitlines()}

    return completed


@pytest.fixture
def zsh(folder, path, within):
    """What zsh lists in a terminal of its own (zpty), as a person sees it after two tabs."""
    (folder / "functions").mkdir()
    shutil.copy(programs.ROOT / "docs/completions/kdbxfs.zsh", folder / "functions/_kdbxfs")

    def completed(*words) -> set[str]:
        done = subprocess.run(
            [*within, "zsh", "-f", programs.ROOT / "Tests/EndToEnd/support/zsh_completions.zsh",
             folder / "functions", " ".join(words)],
            check=True, capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL,
            timeout=programs.PATIENCE,
            env=os.environ | {"PATH": path, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                              "LC_ALL": "C.UTF-8"})
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

    def test_vaults_with_names(self, completed, folder):
        (folder / "config/kdbxfs").mkdir(parents=True)
        for name in ("main", "my work"):
            (folder / f"config/kdbxfs/{name}.conf").touch()
        for words in (["mount"], ["status"], ["totp", "-m"]):
            assert completed("kdbxfs", *words, "ma") == {"main"}, words
        assert "main" in completed("kdbxfs", "mount", "")

    def test_words_of_options(self, completed):
        assert completed("kdbxfs", "generate", "wo") == {"words"}
        assert completed("kdbxfs", "generate", "--classes", "") >= {"lower", "upper", "digits", "symbols"}
        assert completed("kdbxfs", "a.kdbx", "m", "--on-idle", "") == {"lock", "unmount"}
        assert completed("kdbxfs", "create", "--kdf", "argon2d") == {"argon2d"}
        assert {"exact", "show-hidden", "ro"} <= completed("kdbxfs", "a.kdbx", "m", "-o", "")
        # zsh tells of the last word only.
        assert completed("kdbxfs", "a.kdbx", "m", "-o", "ro,exa") in ({"ro,exact"}, {"exact"})
        assert completed("kdbxfs", "generate", "--classes", "lower,di") in ({"lower,digits"}, {"digits"})

    def test_names_in_the_only_vault(self, completed, mounted, only_mount):
        assert programs.run("rm", "-m", mounted.place, "Work/Servers/www").code == 0
        ours = {"Internet", "Internet/"}
        assert completed("kdbxfs", "set", "Inter") & ours
        assert completed("kdbxfs", "set", "Internet/GitH") & {"Internet/GitHub", "Internet/GitHub/", "GitHub"}
        assert {name.removeprefix("X=") for name in completed("kdbxfs", "run", "--env", "X=Inter")} & ours
        assert "www" in completed("kdbxfs", "restore", "ww")

    def test_no_name_is_run(self, bash, folder, mounted, only_mount):
        assert programs.run("new", "-m", mounted.place, "Work/$(touch ran)").code == 0
        assert programs.run("rm", "-m", mounted.place, "Work/$(touch ran)").code == 0
        assert "$(touch ran)" in bash("kdbxfs", "restore", "")
        assert not (folder / "ran").exists() and not (mounted / "ran").exists()
