"""All workloads, by name."""

from __future__ import annotations

from tools.bench import arrays, fused, graphs, network, regression, scalars

WORKLOADS = {
    workload.name: workload
    for module in (graphs, scalars, fused, regression, network, arrays)
    for workload in module.WORKLOADS
}
