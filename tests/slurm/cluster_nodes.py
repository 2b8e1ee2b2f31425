# SPDX-FileCopyrightText: 2026 The slipway authors
# SPDX-License-Identifier: Apache-2.0
"""The two kinds of virtual nodes of a cluster (see cluster.py)."""

from __future__ import annotations

import os
import select
import socket
import subprocess

from cluster_client import ClusterError, tail
from cluster_processes import below

PORTS = range(20000, 32000, 256)  # below the ephemeral ones; a cluster takes the first free block
NETWORK = "10.99.0"
LOGIN = f"{NETWORK}.254"
UNSHARE = ["unshare", *([] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]), "--net", "--uts",
           "--ipc", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
PROBE = "ip link add probe type bridge && ip link add probe0 type veth peer name probe1 && mount -t tmpfs none /dev/shm"
# Process 1 of a node: the shell reaps what comes to it, which slurmd would not.
VIRTUAL_NODE = """hostname "$1"
mount -t tmpfs -o mode=1777 none /dev/shm
ip link set lo up
echo ready
read -r connected
ip addr add "$2" dev eth0
ip link set eth0 up
exec </dev/null >&2
slurmd -D -N "$1" &
trap 'kill -TERM $!' TERM
while kill -0 $! 2>/dev/null; do wait $! || true; done
"""


class HostNodes:
    """All on this host: each slurmd listens at a port of its own."""

    controller = "localhost"
    environment = {"OMPI_MCA_btl": "self,tcp"}  # Open MPI names shared memory by host and local rank

    def __init__(self, count: int):
        self.port, self._claim = self._free_ports(count + 1)

    @staticmethod
    def _free_ports(count: int) -> tuple[int, socket.socket]:
        """The first of so many, and the claim on them: a socket's name, which ends with this process."""
        for first in PORTS:
            claim = socket.socket(socket.AF_UNIX)
            try:
                claim.bind(f"\0slipway-cluster-{first}")
                for port in range(first, first + count):
                    with socket.socket() as probe:
                        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                        probe.bind(("", port))
                return first, claim
            except OSError:
                claim.close()
        raise ClusterError(f"no {count} free ports in a row")

    def address(self, number: int) -> str:
        return f"NodeHostname=localhost NodeAddr=127.0.0.1 Port={self.port + number}"

    def prepare(self, cluster) -> None:
        """There is nothing to do."""

    def start(self, cluster, number: int) -> int:
        name = f"node{number}"
        return cluster.spawn(["slurmd", "-D", "-N", name], f"slurmd.{name}.out", SLIPWAY_TEST_NODE=name).pid


class NamespaceNodes:
    """Each in namespaces of its own within those of this process, joined by a bridge."""

    controller = f"login({LOGIN})"
    environment: dict[str, str] = {}
    port = 6817

    def __init__(self, count: int):
        self._count = count

    @staticmethod
    def problem() -> str:
        """Why there can be none here; nothing if they can."""
        try:
            probe = subprocess.run([*UNSHARE, "sh", "-c", PROBE], capture_output=True, text=True, timeout=60,
                                   check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return "" if probe.returncode == 0 else probe.stderr.strip() or f"the probe ended with {probe.returncode}"

    def address(self, number: int) -> str:
        return f"NodeAddr={NETWORK}.{number} Port=6818"

    def prepare(self, cluster) -> None:
        hosts = cluster.root / "etc" / "hosts"
        nodes = [f"{NETWORK}.{number} node{number}" for number in range(1, self._count + 1)]
        hosts.write_text("\n".join(["127.0.0.1 localhost", f"{LOGIN} login", *nodes, ""]), encoding="utf-8")
        for words in (f"mount --bind {hosts} /etc/hosts", "mount -t tmpfs -o mode=1777 none /dev/shm",
                      "ip link set lo up", "ip link add br0 type bridge", f"ip addr add {LOGIN}/24 dev br0",
                      "ip link set br0 up"):
            cluster.call(*words.split())
        socket.sethostname("login")

    def start(self, cluster, number: int) -> int:
        name, link = f"node{number}", f"veth{number}"
        process = cluster.spawn([*UNSHARE, "sh", "-ec", VIRTUAL_NODE, "sh", name, f"{NETWORK}.{number}/24"],
                                f"slurmd.{name}.out", {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE})
        with process.stdin, process.stdout:
            cluster.wait_until(lambda: select.select([process.stdout], [], [], 0)[0], f"the namespaces of {name}", 60)
            if process.stdout.readline() != b"ready\n":
                raise ClusterError(f"{name} cannot be made{tail(cluster.log(f'slurmd.{name}.out'))}")
            init = below(process.pid)[0]
            # The link of a crashed node may be there still.
            subprocess.run(["ip", "link", "delete", link], stderr=subprocess.DEVNULL, check=False)
            cluster.call(*f"ip link add {link} type veth peer name eth0 netns {init}".split())
            cluster.call(*f"ip link set {link} master br0 up".split())
            process.stdin.write(b"connected\n")
        return init
