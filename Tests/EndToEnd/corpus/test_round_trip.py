"""Nothing is lost on the way: every vault of the corpus, one entry edited, the rest byte for byte.

From both inner XMLs the edited entry is cut out, and plain text is put in place of every enciphered
value. Nothing may differ then but what a save must renew (`support/plain.py`).
"""

from __future__ import annotations

import os
import shutil

import pytest
from support import plain, shared
from test_vaults import EDIT, is_no_document, mount, named

pytestmark = pytest.mark.skipif(
    not shared.cases("opens"), reason="no corpus of vaults at KDBXFS_SHARED or ../shared")


def first_entry(top: str) -> str | None:
    """An entry's directory: what has a user name in it."""
    for base, folders, files in os.walk(top):
        folders.sort()
        if "username" in files:
            return base
    return None


@pytest.mark.parametrize("case", shared.cases("opens"), ids=named)
def test_all_but_the_edited_entry(case, folder, place):
    if is_no_document(case):
        pytest.skip("its XML is none, and is mended by the save: test_vaults has it")
    vault = folder / "vaults" / "vault.kdbx"
    shutil.copyfile(case.vault, vault)
    before = plain.PlainXML(vault, case)
    mounted = mount(case, vault, place)
    entry = first_entry(os.fspath(place))
    uuid = os.getxattr(entry or place, "user.kdbx.uuid").decode().replace("-", "").lower()
    if entry is None:
        os.mkdir(place / "made here")
    with open(os.path.join(entry or place / "made here", "password"), "w") as file:
        file.write(EDIT)
    mounted.unmount()
    now = plain.PlainXML(vault, case)
    mark = EDIT.encode().hex().encode()
    (edited,) = [e for e in now.entries()
                 if mark in now.bytes[e.start : e.end] or EDIT.encode() in now.bytes[e.start : e.end]]
    if entry is None:
        # A new entry has a line of its own.
        assert b"".join(now.rest(edited).split()) == b"".join(before.rest(None).split())
        return
    number = now.entries().index(edited)
    assert before.entries()[number].uuid in (uuid, "")
    assert now.rest(edited) == before.rest(before.entries()[number])
