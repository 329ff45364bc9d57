"""Bayesian networks against pgmpy."""

import logging

import numpy
import pandas
import pytest
from command import Model, probabilities, table
from conftest import load
from pgmpy.causal_discovery import HillClimbSearch
from pgmpy.estimators import BayesianEstimator, TreeSearch
from pgmpy.inference import VariableElimination
from pgmpy.models import DiscreteBayesianNetwork
from pgmpy.structure_score import BIC

logging.getLogger("pgmpy").setLevel(logging.ERROR)


def counted(features, levels):
    """Small whole numbers from any features: in which third or fifth of its column a value lies."""
    ranks = features.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    return (levels * ranks // len(features)).astype(int)


@pytest.fixture(params=["iris", "wine", "breast_cancer"])
def codes(request):
    """Eight columns of codes at most, and the class as the last column."""
    features, target = load(request.param)
    return numpy.column_stack([counted(features[:, :8], 3), target])


def named(codes):
    """Rows with the names of our nodes, and the values that each column can have."""
    frame = pandas.DataFrame(codes, columns=[f"x{column}" for column in range(codes.shape[1])])
    return frame, {name: list(range(frame[name].max() + 1)) for name in frame}


def network(edges, columns):
    """pgmpy's network with these arrows between the numbers of columns."""
    graph = DiscreteBayesianNetwork()
    graph.add_nodes_from([f"x{column}" for column in range(columns)])
    graph.add_edges_from([(f"x{int(parent)}", f"x{int(child)}") for parent, child in edges])
    return graph


def with_tables(edges, codes, alpha):
    """The same with tables of smoothed shares."""
    frame, states = named(codes)
    graph = network(edges, codes.shape[1])
    estimator = BayesianEstimator(graph, frame, state_names=states)
    for node in graph.nodes():
        rows = numpy.prod([len(states[parent]) for parent in graph.get_parents(node)], dtype=int)
        counts = numpy.full((len(states[node]), rows), alpha)
        graph.add_cpds(estimator.estimate_cpd(node, prior_type="dirichlet", pseudo_counts=counts))
    return graph


def log_densities(graph, codes):
    """ln P of every row by the tables of pgmpy's network."""
    rows = [{f"x{column}": int(value) for column, value in enumerate(row)} for row in codes]
    tables = graph.get_cpds()
    scopes = [[table.variable, *graph.get_parents(table.variable)] for table in tables]
    chances = [[table.get_value(**{name: row[name] for name in scope}) for table, scope in zip(tables, scopes)]
               for row in rows]
    return numpy.log(chances).sum(axis=1)


def arrows(columns):
    """From the class, which is the last column, to every other, and from each to the next but one."""
    last = columns - 1
    return [[last, column] for column in range(last)] + [[column, column + 2] for column in range(last - 2)]


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_class_probabilities_are_those_of_variable_elimination(codes, tmp_path, alpha):
    edges = arrows(codes.shape[1])
    frame = table(codes[:, :-1], y=codes[:, -1])
    options = ("--target", "y", "--task", "classification")
    ours = Model(tmp_path, "bayesian-network", frame, *options, edges=edges, alpha=alpha)
    theirs = with_tables(edges, codes, alpha)
    found = probabilities(ours.predict(table(codes[:, :-1])))
    elimination = VariableElimination(theirs)
    for row in range(0, len(codes), max(1, len(codes) // 20)):
        known = {f"x{column}": int(value) for column, value in enumerate(codes[row, :-1])}
        expected = elimination.query([f"x{codes.shape[1] - 1}"], known, show_progress=False).values
        numpy.testing.assert_allclose(found[row], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_densities_are_the_product_of_the_tables(codes, tmp_path, alpha):
    edges = arrows(codes.shape[1])
    ours = Model(tmp_path, "bayesian-network", table(codes), edges=edges, alpha=alpha)
    theirs = log_densities(with_tables(edges, codes, alpha), codes)
    numpy.testing.assert_allclose(ours.predict(table(codes))["log_density"], theirs, rtol=1e-9)
    numpy.testing.assert_allclose(ours["log_likelihood"], theirs.sum(), rtol=1e-10)


@pytest.mark.parametrize("structure", ["hill-climb", "exhaustive"])
def test_searches_find_no_worse_graph_than_pgmpy(codes, tmp_path, structure):
    frame, states = named(codes)
    score = BIC(frame, state_names=states)
    ours = Model(tmp_path, "bayesian-network", table(codes), structure=structure)
    graph = network(ours["edges"], codes.shape[1])
    numpy.testing.assert_allclose(ours["bic_score"], score.score(graph), rtol=1e-10)
    search = HillClimbSearch(scoring_method=score, return_type="dag", show_progress=False)
    theirs = search.fit(frame).causal_graph_
    assert ours["bic_score"] >= score.score(theirs) - 1e-8
    assert ours["edges"].shape[1] == 2 and len(ours["arrows"]) == len(ours["edges"])


def test_the_tree_of_chow_and_liu_is_as_likely_as_that_of_pgmpy(codes, tmp_path):
    # Only columns with the same number of values: then every tree pays the same for its parameters.
    codes = codes[:, :-1]
    frame, states = named(codes)
    score = BIC(frame, state_names=states)
    ours = Model(tmp_path, "bayesian-network", table(codes), structure="chow-liu")
    found = TreeSearch(frame, root_node="x0").estimate(estimator_type="chow-liu", show_progress=False)
    theirs = network([(parent[1:], child[1:]) for parent, child in found.edges()], codes.shape[1])
    numpy.testing.assert_allclose(ours["bic_score"], score.score(theirs), rtol=1e-9)
