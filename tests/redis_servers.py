"""Redis as a cluster, behind Sentinels and with TLS: started by the tests that need one."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar

import redis

from tests.servers import COMMAND_SECONDS, Redis, free_port, program, wait_until

SLOTS = 16384


class Node(Redis):
    """A Redis that may be one of several."""

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder)
        self.options = options
        self.port = free_port()

    def command(self) -> Sequence[str]:
        return [*super().command(), *self.options]

    def call(self, *words: str | int) -> object:
        with redis.Redis(port=self.port) as client:
            return client.execute_command(*words)


class ClusterNode(Node):
    """One of a cluster, whose nodes talk over a port of their own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.bus = free_port()

    def command(self) -> Sequence[str]:
        words = [*super().command(), "--cluster-enabled", "yes", "--cluster-port"]
        place = words.index("--databases")  # a cluster has one
        return [*words[:place], *words[place + 2 :], str(self.bus)]


class SecureNode(Node):
    """A Redis that takes TLS on ``tls_port``, and plain text on the other, for the test itself."""

    def __init__(self, folder: Path, certificate: Path) -> None:
        self.tls_port = free_port()
        super().__init__(folder, *_tls(self.tls_port, certificate))


class SentinelNode(Node):
    """A Sentinel that knows one primary as ``copies``; by TLS if it is given a certificate."""

    kind: ClassVar[str] = "sentinel"

    def __init__(self, folder: Path, primary: int, certificate: Path | None = None) -> None:
        super().__init__(folder)
        self.primary = primary
        self.certificate = certificate
        self.tls_port = free_port()

    def command(self) -> Sequence[str]:
        settings = self.folder / "sentinel.conf"
        settings.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.folder}\n"
            f"sentinel monitor copies 127.0.0.1 {self.primary} 1\n"
            "sentinel down-after-milliseconds copies 300\n"
            "sentinel failover-timeout copies 2000\n"
        )
        tls = _tls(self.tls_port, self.certificate) if self.certificate else ()
        # By --tls-replication a Sentinel asks the servers that it watches by TLS, too.
        return [self._program(), str(settings), "--sentinel", *tls]


def make_certificate(folder: Path) -> Path:
    """``server.pem`` with its key beside it: for 127.0.0.1, and its own ca."""
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=redis -addext"
    made = folder / "server.pem"
    command = [program("openssl", "openssl"), *words.split(), "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(folder / "server.key"), "-out", str(made)]
    subprocess.run(command, check=True, capture_output=True, timeout=COMMAND_SECONDS)
    return made


def _tls(port: int, certificate: Path) -> list[str]:
    found = f"--tls-port {port} --tls-auth-clients no --tls-replication yes".split()
    found += ["--tls-cert-file", str(certificate), "--tls-ca-cert-file", str(certificate)]
    return [*found, "--tls-key-file", str(certificate.with_suffix(".key"))]


@contextmanager
def cluster_in(folder: Path) -> Iterator[list[ClusterNode]]:
    """A Redis Cluster of three primaries."""
    with ExitStack() as running:
        nodes = [running.enter_context(ClusterNode(folder / str(number))) for number in range(3)]
        first, *others = nodes
        for number, node in enumerate(nodes):
            start, stop = SLOTS * number // 3, SLOTS * (number + 1) // 3
            node.call("CLUSTER", "ADDSLOTSRANGE", start, stop - 1)
            node.call("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for node in others:
            first.call("CLUSTER", "MEET", "127.0.0.1", node.port, node.bus)
        wait_until(lambda: all(_state(node) == "ok" for node in nodes))
        yield nodes


@contextmanager
def guarded_in(folder: Path) -> Iterator[tuple[Node, Node, SentinelNode]]:
    """A primary, its replica, and the Sentinel that knows both."""
    with ExitStack() as running:
        first = running.enter_context(Node(folder / "first"))
        replica = Node(folder / "second", "--replicaof", "127.0.0.1", str(first.port))
        second = running.enter_context(replica)
        guard = running.enter_context(SentinelNode(folder / "guard", first.port))
        wait_until(lambda: "slave_repl_offset" in replication_of(second))
        wait_until(lambda: _replicas_known_to(guard) == 1)
        yield first, second, guard


def replication_of(node: Node) -> dict[str, object]:
    with redis.Redis(port=node.port) as client:
        return dict(client.info("replication"))


def _replicas_known_to(guard: SentinelNode) -> int:
    known = guard.call("SENTINEL", "REPLICAS", "copies")
    return len(known) if isinstance(known, list) else 0


def _state(node: Node) -> str:
    with redis.Redis(port=node.port) as client:
        return str(dict(client.cluster("INFO"))["cluster_state"])
