"""All workloads, by name."""

from __future__ import annotations

from tools.bench import (
    arrays,
    chains,
    densities,
    draws,
    elementwise,
    fused,
    gaussian,
    graphs,
    hierarchical,
    maps,
    network,
    regression,
    rewriting,
    scalars,
    sizes,
    splits,
    threads,
    tracing,
)

WORKLOADS = {
    workload.name: workload
    for module in (
        graphs,
        rewriting,
        chains,
        tracing,
        scalars,
        elementwise,
        fused,
        regression,
        hierarchical,
        gaussian,
        network,
        arrays,
        sizes,
        splits,
        draws,
        densities,
        maps,
        threads,
    )
    for workload in module.WORKLOADS
}
