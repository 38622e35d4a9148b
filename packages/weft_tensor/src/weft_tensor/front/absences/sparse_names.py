"""Which functions of sparse matrices, and of trees of clusters, are not offered, and why."""

from __future__ import annotations

from typing import Final

from weft_tensor.front.absences.absence_group import Absence

__all__ = ["ABSENT"]

_WRAP: Final = "wrap SciPy's with `wrap_py`"

ABSENT: Final = {
    "scipy.sparse": (
        Absence(
            "Matrices, whose `*` is a product of matrices",
            "SciPy advises against them, too: write coo_array, csr_array, diags_array, eye_array "
            "or block_array, and `@` for products",
            "bmat bsr_matrix coo_matrix csc_matrix csr_matrix dia_matrix diags dok_matrix eye "
            "identity lil_matrix spdiags spmatrix",
        ),
        Absence(
            "Other formats",
            "here is only one, of entries: write coo_array, which takes SciPy's of every format",
            "bsr_array dia_array dok_array lil_array",
        ),
        Absence(
            "Matrices at random, files, and what asks for a format",
            "they are of SciPy's own matrices: call SciPy's, and give Weft what they return",
            "get_index_dtype issparse isspmatrix isspmatrix_bsr isspmatrix_coo isspmatrix_csc "
            "isspmatrix_csr isspmatrix_dia isspmatrix_dok isspmatrix_lil load_npz rand random "
            "random_array safely_cast_index_arrays save_npz sparray",
        ),
        Absence(
            "Axes of sparse arrays of other ranks",
            "here are only matrices: write A.T, or A.toarray()",
            "expand_dims permute_dims swapaxes",
        ),
    ),
    "scipy.sparse.linalg": (
        Absence(
            "Systems, by further methods",
            "write gmres or bicgstab, cg where A is positive definite, minres where symmetric",
            "bicg cgs gcrotmk lgmres qmr tfqmr",
        ),
        Absence(
            "Factors of sparse matrices",
            "they are made on the host: write factorized(A)(b), which have derivatives, too",
            "SuperLU inv is_sptriangular spbandwidth spilu splu use_solver",
        ),
        Absence(
            "Other eigenvalues",
            "write eigsh for symmetric matrices, linalg.eig of A.toarray() for others",
            "LaplacianNd eigs",
        ),
        Absence(
            "Functions of sparse matrices",
            "write expm_multiply(A, B), and functions of linalg of A.toarray()",
            "expm funm_multiply_krylov",
        ),
    ),
    "scipy.sparse.csgraph": (
        Absence(
            "Orders, and trees of them",
            "write shortest_path(csgraph, unweighted=True, return_predecessors=True), which says "
            "how far each node is, and after which",
            "breadth_first_order breadth_first_tree construct_dist_matrix depth_first_order "
            "depth_first_tree reconstruct_path",
        ),
        Absence(
            "Further paths",
            f"only the shortest is here: {_WRAP}",
            "yen",
        ),
        Absence(
            "Flows and matchings",
            f"optimize.linear_sum_assignment and optimize.linprog are here: {_WRAP}",
            "maximum_bipartite_matching maximum_flow min_weight_full_bipartite_matching",
        ),
        Absence(
            "Patterns of entries",
            f"they are of matrices to be factorized, which SciPy does on the host: {_WRAP}",
            "reverse_cuthill_mckee structural_rank",
        ),
        Absence(
            "Conversions",
            "write coo_array(a) and a.toarray()",
            "csgraph_from_dense csgraph_from_masked csgraph_masked_from_dense csgraph_to_dense "
            "csgraph_to_masked",
        ),
    ),
    "scipy.cluster.hierarchy": (
        Absence(
            "Linkages by method",
            "one function has them: write linkage(y, method)",
            "average centroid complete median single ward weighted",
        ),
        Absence(
            "Drawings, and trees as objects",
            "they take values: call SciPy's with those of the rows, linkage(y).eval()",
            "ClusterNode DisjointSet dendrogram leaders set_link_color_palette to_tree",
        ),
        Absence(
            "Checks, and rows of other programs",
            f"they take values: {_WRAP}",
            "correspond from_mlab_linkage is_isomorphic is_monotonic is_valid_im is_valid_linkage "
            "num_obs_linkage to_mlab_linkage",
        ),
    ),
}
"""By part of SciPy, groups of its functions that are not here."""
