"""Several processes for one script: `python -m weft_jax.interop.launch -n 2 script.py`.

The script calls `weft_jax.connect()` first. When a process fails, the others are ended too, and
so the launcher ends with a message and the exit status of the first one that failed.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from weft_jax.ops.parallel.mesh import COUNT, RANK, WHERE

__all__ = ["environments", "main", "reserved_port", "supervise"]

PATIENCE = 2.0
"""Seconds that a process gets to end by itself when it is asked to."""

HERE = "127.0.0.1"
NO_PROXY = ("no_grpc_proxy", "no_proxy", "NO_PROXY")
"""Where the processes' runtime looks for hosts that are not reached through a proxy, in order."""


def environments(
    processes: int,
    devices: int | None = None,
    variables: Mapping[str, str] = os.environ,
    port: int = 0,
) -> list[dict[str, str]]:
    """What every process finds in its environment: `variables`, and where to meet, past proxies.

    That is at `port`, which one process does not need. With `devices`, each makes so many of
    its CPU, and leaves accelerators alone.

    >>> [env["JAX_PROCESS_ID"] for env in environments(2, variables={}, port=1234)]
    ['0', '1']
    >>> environments(1, devices=8, variables={})[0]["XLA_FLAGS"]
    '--xla_force_host_platform_device_count=8'
    """
    common = dict(variables)
    if devices is not None:
        flag = f"--xla_force_host_platform_device_count={devices}"
        common["XLA_FLAGS"] = f"{common.get('XLA_FLAGS', '')} {flag}".strip()
        common["JAX_PLATFORMS"] = "cpu"
    if processes == 1:
        return [common]
    where = f"{HERE}:{port}"
    direct = next((common[name] for name in NO_PROXY if name in common), "")
    common[NO_PROXY[0]] = f"{direct},{HERE}".strip(",")
    return [
        {**common, WHERE: where, COUNT: str(processes), RANK: str(rank)}
        for rank in range(processes)
    ]


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port that no other program gets meanwhile, but JAX does, which shares ports.

    Where the system can't share ports, it is free when this begins, and another program may
    take it.

    >>> with reserved_port() as port, reserved_port() as other:
    ...     port == other
    False
    """
    with socket.socket() as own_socket:
        shared = getattr(socket, "SO_REUSEPORT", None)
        if shared is not None:
            own_socket.setsockopt(socket.SOL_SOCKET, shared, 1)
        own_socket.bind((HERE, 0))
        port: int = own_socket.getsockname()[1]
        if shared is None:
            own_socket.close()
        yield port


def supervise(processes: Sequence[subprocess.Popen[bytes]]) -> int:
    """Wait for all `processes`; when one fails, end the others. The first failure's status.

    >>> supervise([subprocess.Popen([sys.executable, "-c", "pass"])])
    0
    """
    try:
        while True:
            states = [process.poll() for process in processes]
            for rank, status in enumerate(states):
                if status:
                    _report(rank, status, states.count(None))
                    return status if status > 0 else 128 - status
            if None not in states:
                return 0
            time.sleep(0.05)
    finally:
        _end(processes)


def _report(rank: int, status: int, others: int) -> None:
    how = f"exit status {status}" if status > 0 else f"signal {signal.Signals(-status).name}"
    rest = f"; the other {others} are ended" if others else ""
    print(
        f"weft_jax.interop.launch: process {rank} ended with {how}{rest}",
        file=sys.stderr,
        flush=True,
    )


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    running = [process for process in processes if process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + PATIENCE
    for process in running:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the processes that the command line asks for, and wait for them.

    >>> main(["--help"])
    Traceback (most recent call last):
    ...
    SystemExit: 0
    """
    parser = argparse.ArgumentParser(prog="python -m weft_jax.interop.launch", description=__doc__)
    parser.add_argument("-n", "--processes", type=int, default=1, help="how many (default: 1)")
    parser.add_argument("--devices", type=int, help="make so many of the CPU in each process")
    parser.add_argument("script", help="a Python file, which calls weft_jax.connect()")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="arguments of the script")
    options = parser.parse_args(arguments)
    for what, number in (("-n", options.processes), ("--devices", options.devices)):
        if number is not None and number < 1:
            parser.error(f"{what} must be at least 1, not {number}")
    command = [sys.executable, options.script, *options.args]
    started: list[subprocess.Popen[bytes]] = []
    with reserved_port() as port:
        try:
            for env in environments(options.processes, options.devices, port=port):
                process = subprocess.Popen(command, env=env)
                started.append(process)
            return supervise(started)
        except KeyboardInterrupt:
            return 130
        finally:
            _end(started)


if __name__ == "__main__":
    sys.exit(main())
