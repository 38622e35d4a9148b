"""All workloads, by name."""

from __future__ import annotations

from tools.bench import (
    arrays,
    chains,
    fused,
    graphs,
    network,
    regression,
    rewriting,
    scalars,
)

WORKLOADS = {
    workload.name: workload
    for module in (graphs, rewriting, chains, scalars, fused, regression, network, arrays)
    for workload in module.WORKLOADS
}
