"""The second writing of the naming rules, held against the examples that the documents give."""

import pytest
from support import naming


@pytest.mark.parametrize("title, name", [
    ("plain", "plain"), ("a/b", "a%2Fb"), ("/", "%2F"), ("tab\there", "tab%09here"),
    ("per%cent", "per%25cent"), ("100%", "100%"), ("%zz", "%zz"), (".", "%2E"), ("..", "%2E%2E"),
    ("...", "..."), ("\x85", "%C2%85"), ("é", "é"), ("\x7f", "%7F"), ("a%2Fb", "a%252Fb"),
])
def test_escapes(title, name):
    assert naming.escaped(title.encode()).decode() == name


def test_reserved_names_are_spelt_out():
    assert naming.field_names(["Title", "UserName", "password", "totp", "otp", "Password", "x"]) == [
        None, b"username", b"%70assword", b"%74otp", b"otp", b"password", b"x",
    ]


def test_a_long_name_is_cut_between_characters():
    long = {"name": ("漢" * 200).encode(), "uuid": "b17ac16b" + 24 * "0", "created": 1}
    (name,) = naming.sibling_names([long], False).values()
    assert name == ("漢" * 81 + " ~b17ac16b").encode()


def test_the_eldest_twin_keeps_the_name():
    twins = [{"name": b"x", "uuid": digit * 32, "created": when}
             for digit, when in (("c", 2), ("b", 1), ("a", 1), ("d", None))]
    names = naming.sibling_names(twins, False)
    assert [names[n] for n in range(4)] == [b"x ~cccccccc", b"x ~bbbbbbbb", b"x ~aaaaaaaa", b"x"]


def test_doubled_fields_are_numbered_and_the_last_keeps_the_name():
    assert naming.field_names(["k", "k", "k"]) == [b"k (2)", b"k (3)", b"k"]
