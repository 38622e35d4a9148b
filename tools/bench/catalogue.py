"""All workloads, by name."""

from __future__ import annotations

from tools.bench import (
    arrays,
    batching,
    chains,
    columns,
    decompositions,
    densities,
    draws,
    elementwise,
    functions,
    fused,
    gaussian,
    graphs,
    hierarchical,
    kalman,
    many,
    maps,
    network,
    powers,
    recurrences,
    regression,
    rewriting,
    scalars,
    sizes,
    specials,
    splits,
    threads,
    tracing,
    transforms,
)

WORKLOADS = {
    workload.name: workload
    for module in (
        graphs,
        rewriting,
        chains,
        tracing,
        many,
        scalars,
        elementwise,
        powers,
        columns,
        fused,
        regression,
        hierarchical,
        gaussian,
        decompositions,
        transforms,
        network,
        arrays,
        functions,
        sizes,
        specials,
        splits,
        draws,
        densities,
        maps,
        recurrences,
        kalman,
        batching,
        threads,
    )
    for workload in module.WORKLOADS
}
