"""Names that cannot pretend to be others, and addresses as limits count them."""

import pytest

from agenticos_app.kernel.addresses import counted_as
from agenticos_app.kernel.text import has_unseen


@pytest.mark.parametrize(
    "name", ["Ada", "Zażółć gęślą", "O\u2019Neill-Łącka", "李 小龍", "Nguyễn", "नमस्ते", "Café 2"]
)
def test_letters_of_all_scripts_are_seen(name: str) -> None:
    assert not has_unseen(name)


@pytest.mark.parametrize(
    "char",
    ["\x00", "\n", "\x7f", "\xad", "\u200b", "\u200d", "\u200f", "\u202e", "\u2028", "\u2067", "\ufeff",
     "\ud800", "\u115f", "\u2800", "\u3164", "\U000e0041"],
)  # fmt: skip
def test_what_nobody_sees_is_found(char: str) -> None:
    assert has_unseen(f"Ada{char}")


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::9", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", ""),
        ("a socket", "a socket"),
    ],
)
def test_an_ipv6_network_counts_as_one(address: str, who: str) -> None:
    assert counted_as(address) == who
