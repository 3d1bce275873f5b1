"""Installing, the Debian package, and taking it away again."""

import os
import subprocess

import pytest
from support import programs

SCRIPTS = programs.ROOT / "scripts"
pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="builds in the project's own folder")


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


def test_the_package_holds_what_is_installed_and_lintian_finds_no_error(folder):
    said = script("package-deb", DEBFULLNAME="A Packager", DEBEMAIL="packager@debian.org")
    package = said.strip().splitlines()[-1]
    subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    assert version_of(folder / "usr/bin/kdbxfs") == programs.run("--version").out.decode()
    fields = subprocess.run(["dpkg-deb", "-f", package, "Depends", "Maintainer"], check=True,
                            capture_output=True, text=True).stdout
    assert "fuse3" in fields and "libfuse3-3" in fields and "A Packager" in fields
    assert "usr/share/doc/kdbxfs/changelog.Debian.gz" in files_below(folder)


def test_bash_completes_commands_options_and_names(folder):
    (folder / "bin").mkdir()
    (folder / "bin/kdbxfs").symlink_to(programs.program())

    def completed(*words) -> set[str]:
        page = programs.ROOT / "docs/completions/kdbxfs.bash"
        lines = f"""source "{page}"
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _kdbxfs; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(
            ["bash", "-c", lines, "bash", *words], check=True, capture_output=True, text=True,
            cwd=folder, env=os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}"})
        return set(done.stdout.split())

    assert completed("kdbxfs", "um") == {"umount"}
    assert "--keyfile" in completed("kdbxfs", "cat", "--k")
    (folder / "a.kdbx").touch()
    assert completed("kdbxfs", "info", "a.") == {"a.kdbx"}
