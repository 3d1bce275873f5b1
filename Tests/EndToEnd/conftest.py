"""Fixtures of the end-to-end tests: a folder, a vault and a mount for each, and no trace after."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support import conformance, programs  # noqa: E402
from support.judges import Witness  # noqa: E402

FIXTURES = programs.ROOT / "Tests" / "Fixtures"
SAMPLE = programs.ROOT / "docs" / "sample.kdbx"
USUAL = "kdbx4.0-argon2d-aes-gzip-password.kdbx"


def pytest_configure(config):
    for need in ("fusermount3", "keepassxc-cli", "mono"):
        if shutil.which(need) is None:
            pytest.exit(f"{need} is missing: run scripts/install-deps", returncode=1)
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.exit("/dev/fuse can't be used here", returncode=1)
    if recorder := conformance.plugin(config):
        config.pluginmanager.register(recorder)


@pytest.fixture
def folder(tmp_path):
    """A folder of the test's own, in which no mount, process or temporary file may be left."""
    (tmp_path / "vaults").mkdir()
    (tmp_path / "mnt").mkdir()
    yield tmp_path
    left = programs.clean_up(tmp_path)
    left += [f"file {path}" for path in (tmp_path / "vaults").glob(".*")]
    assert not left, f"left behind: {left}"


@pytest.fixture
def place(folder) -> Path:
    return folder / "mnt"


@pytest.fixture
def vault(folder) -> Path:
    """A copy of the usual fixture vault."""
    return Path(shutil.copy(FIXTURES / USUAL, folder / "vaults" / "vault.kdbx"))


@pytest.fixture
def before(vault) -> Witness:
    """What all judges read in the vault before anything happened to it."""
    return Witness(vault, "fixture")


@pytest.fixture
def mounted(vault, before, place):
    """The usual vault, mounted; saves happen only where the test makes one."""
    mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture")
    yield mount
    if programs.mount_at(place):
        mount.unmount()


@pytest.fixture
def github(mounted) -> Path:
    """The entry that has something of everything."""
    return mounted / "Internet" / "GitHub"
