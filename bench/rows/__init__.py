"""The tasks: everything that didact and a peer can both do, a file for each kind."""

from . import algebra, clusters, fields, geometry, kernels, linear, mixtures, networks, serving, small, trees

ROWS = [
    *clusters.ROWS,
    *mixtures.ROWS,
    *fields.ROWS,
    *geometry.ROWS,
    *algebra.ROWS,
    *linear.ROWS,
    *kernels.ROWS,
    *trees.ROWS,
    *networks.ROWS,
    *serving.ROWS,
    *small.ROWS,
]
