"""All workloads, by name."""

from __future__ import annotations

from tools.bench import (
    arrays,
    chains,
    densities,
    elementwise,
    fused,
    gaussian,
    graphs,
    hierarchical,
    network,
    regression,
    rewriting,
    scalars,
    sizes,
)

WORKLOADS = {
    workload.name: workload
    for module in (
        graphs,
        rewriting,
        chains,
        scalars,
        elementwise,
        fused,
        regression,
        hierarchical,
        gaussian,
        network,
        arrays,
        sizes,
        densities,
    )
    for workload in module.WORKLOADS
}
