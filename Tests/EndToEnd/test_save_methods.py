"""The matrix of save methods: every program, on every kind of file, through a real mount.

Each test runs one method on all kinds, on a terminal: once with the autosave on, once with a save
before each request that the mount gets. The result counts only if the method was seen to do what it
is known for.
"""

import os

import pytest
from support import clocked, methods, programs
from support.judges import Witness

BY_NAME = {method.name: method for method in methods.METHODS}


@pytest.fixture
def kinds_vault(folder):
    vault = folder / "vaults" / "vault.kdbx"
    vault.write_bytes(methods.vault_bytes())
    return vault


def run_on_all_kinds(method, place, folder, log):
    """Runs a method on all kinds; gives the differences that the vault must have after it."""
    expected = {}
    for kind in methods.KINDS:
        if not method.suits(kind):
            continue
        entry = place / kind.title
        outside = folder / f"outside {kind.name}"
        outside.mkdir()
        start = log.size()
        method.run(methods.Stage(kind, entry / kind.place, outside))
        requests = log.since(start)
        lacking = methods.missing(method, kind, requests)
        assert not lacking, f"{method.name} on {kind.title}: no {lacking} in {requests}"
        value = method.expected(kind)
        assert (entry / kind.place / kind.name).read_bytes() == value.encode(), kind.title
        assert os.stat(entry / kind.place / kind.name).st_size == len(value.encode())
        old = None if kind.old is None else kind.stored(kind.old)
        expected[kind.title] = {kind.key: (old, kind.stored(value)), "history": 1}
    return expected


@pytest.mark.parametrize("saves", ["by itself", "between all steps"])
@pytest.mark.parametrize("name", BY_NAME)
def test_method(name, saves, kinds_vault, folder, place, record_property):
    for kind in methods.KINDS:
        record_property("conformance", ["methods", name, f"{kind.title}, {saves}"])
    before = Witness(kinds_vault, "pw")
    log = methods.RequestLog(folder / "requests.log")
    how = {"options": ["-d", "-o", "autosave=1s"]}
    if saves == "between all steps":
        how = {"options": ["-d", "-o", "autosave=0"], "served_by": clocked.executable(),
               "env": {"KDBXFS_TEST_SAVES": "1"}}
    mount = programs.mount(kinds_vault, place, *how.pop("options"), password="pw", front=True,
                           log=log.path, **how)
    expected = run_on_all_kinds(BY_NAME[name], place, folder, log)
    mount.unmount()
    now = before.expect(expected)
    old = before.readings["own reader"]
    for kind in methods.KINDS:
        entry = now["own reader"].entry(kind.title)
        assert entry.history[:-1] == old.entry(kind.title).history or kind.title not in expected
