"""The addresses of webhooks: how they are parsed, and which networks are refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from ctxadmin.lib.sentence import say

Ip: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

LONGEST: Final = 500
_PORTS: Final = {"http": 80, "https": 443}
# What ``ipaddress`` takes for public, and is not: of protocols (RFC 6890; Oracle's metadata are at
# 192.0.0.192), of 6to4 relays, of anycast services that any network may answer
# itself (AS112, AMT), of documentation and of segment routing; and the one address of Azure's
# inside that lies in a public network. Other clouds have their metadata at link-local
# (169.254.169.254), shared (100.100.100.200) and unique local (fd00:ec2::254) addresses.
_NOT_PUBLIC: Final = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",
            "192.175.48.0/24",
            "168.63.129.16/32",
            "2620:4f:8000::/48",
            "3fff::/20",
            "5f00::/16",
        ),
    )
)
# Addresses that carry another one, which a gateway would reach: 6to4, Teredo, NAT64.
_CARRIERS: Final = tuple(
    map(ip_network, ("2002::/16", "2001::/32", "64:ff9b::/96", "64:ff9b:1::/48"))
)


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed url: the host to connect to, and the request."""

    tls: bool
    host: str
    port: int
    path: str


def read_address(url: str) -> Address:
    """Returns the parts of a url; raises ValueError with a sentence if it is not allowed."""
    if len(url) > LONGEST:
        raise ValueError(say("this must have at most {longest} characters", longest=LONGEST))
    if not url.isascii() or not all("!" <= letter <= "~" for letter in url):
        raise ValueError(say("write it in ASCII and without spaces, other characters as %XX"))
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(say("this is not a URL")) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(say("this must be a complete URL, starting with https:// or http://"))
    if "%" in parts.hostname:
        raise ValueError(
            say("no % in the host: write other characters as xn--, no zone of an address")
        )
    if parts.username is not None or parts.password is not None:
        raise ValueError(say("no name and password in the url; deliveries are signed"))
    if parts.fragment or url.endswith("#"):
        raise ValueError(say("a server never sees what follows a #"))
    if port == 0:
        raise ValueError(say("port 0 is not valid"))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(parts.scheme == "https", parts.hostname, port or _PORTS[parts.scheme], path)


def literal(host: str) -> Ip | None:
    """Returns the IP address that a host is written as, None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_allowed(address: Ip, allowed: Sequence[Network]) -> bool:
    """Returns whether an IP address is allowed: public, or in one of the allowed networks."""
    plain = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    found = plain or address
    if any(found in network for network in allowed):
        return True
    if found.is_multicast or found.is_reserved or not found.is_global:
        return False
    if isinstance(found, IPv6Address) and found.is_site_local:  # private before RFC 3879
        return False
    return not any(found in network for network in (*_CARRIERS, *_NOT_PUBLIC))
