"""Network addresses as limits count them."""

from ipaddress import IPv6Address, ip_address, ip_network

_HOUSEHOLD = 64
"""Bits of an IPv6 address that a provider gives to one customer, who is free to choose the rest."""


def counted_as(address: str) -> str:
    """Return who stands behind an address: an IPv4 address itself, the network of an IPv6 one.

    What is no address, such as the name of a local socket, counts as it is.
    """
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ip_network((known, _HOUSEHOLD), strict=False))
