"""`kdbxfs check` on every vault of the corpus: it explains who refuses a vault, and mends it for them."""

from __future__ import annotations

import json
import shutil

import pytest
from support import judges, programs, shared

from test_vaults import named

pytestmark = pytest.mark.skipif(
    not shared.cases("opens"), reason="no corpus of vaults at KDBXFS_SHARED or ../shared")
NAMES = {"KeePassXC": "keepassxc-cli", "KeePass": "KeePass 2", "pykeepass": "pykeepass"}


def check(case, vault, *options) -> programs.Done:
    done = programs.run("check", "--json", *options, *case.options, vault, password=case.password)
    assert done.code in (0, 26) and not done.errors, done.err
    return done


def findings(done) -> list[dict]:
    return json.loads(done.out)


def opens(case, vault, program: str) -> bool:
    try:
        if program == "KeePassXC":
            judges.keepassxc("db-info", vault, password=case.password, keyfile=case.keyfile)
        elif program == "KeePass":
            out = vault.parent.parent / "out.xml"
            return judges.keepass(vault, out, case.password, case.keyfile) == "opened"
        else:
            key = shared.transformed_key(case, vault)
            judges.read_pykeepass(vault, case.password, case.keyfile, key)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("case", shared.cases("opens"), ids=named)
def test_who_refuses_a_vault_is_named(case, folder):
    vault = folder / "vaults" / "vault.kdbx"
    shutil.copyfile(case.vault, vault)
    done = check(case, vault)
    assert vault.read_bytes() == case.vault.read_bytes()
    found = findings(done)
    assert done.code == (26 if any(f["level"] == "fault" for f in found) else 0)
    programs_named = {program for finding in found for program in finding["programs"]}
    tried = case.record.get("opened_by") or {}
    refusing = {name for name, key in NAMES.items() if key in tried and not tried[key]}
    if case.header["format"].startswith("KDBX 2"):
        # It is no fault of the vault that it is older than the program.
        refusing.discard("pykeepass")
    if case.wants_response:
        # The others ask a hardware key that is plugged in.
        refusing.clear()
    # Argon2id came with a later KeePass than Debian's.
    if not judges.keepass_knows(vault):
        refusing.discard("KeePass")
    assert refusing <= programs_named
    mendable = [finding for finding in found if finding["mendable"]]
    if not mendable:
        return
    done = check(case, vault, "--repair")
    left = findings(check(case, vault))
    assert not any(finding["mendable"] for finding in left)
    assert done.code == (26 if any(f["level"] == "fault" for f in left) else 0)
    if case.wants_response or case.header["format"].startswith("KDBX 2"):
        return
    still = {program for finding in left for program in finding["programs"]}
    for program in NAMES:
        if program not in still and (program != "KeePass" or judges.keepass_knows(vault)):
            assert opens(case, vault, program), program
