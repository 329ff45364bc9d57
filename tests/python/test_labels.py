"""Classes under any names as numbers that count them."""

import numpy as np
import pytest
from didact._labels import distinct

RANDOM = np.random.default_rng(0)

PAIRS = {
    "counting already": (RANDOM.integers(10, size=1000), RANDOM.integers(10, size=1000)),
    "below zero": (RANDOM.integers(-3, 5, size=100), RANDOM.integers(-3, 9, size=100)),
    "of two kinds": (RANDOM.integers(0, 3, size=50).astype(np.uint8), RANDOM.integers(2, 7, size=50)),
    "true and false": (RANDOM.random(50) > 0.5, RANDOM.random(50) > 0.4),
    "with a gap": (np.array([0, 2]), np.array([2, 2])),
    "beyond signed numbers": tuple(np.array([2**63 + 5, 2**63 + last], dtype=np.uint64) for last in (6, 5)),
    "not side by side": (RANDOM.integers(10, size=200)[::2], RANDOM.integers(10, size=200)[::2]),
    "far apart": (np.array([-5, 10**12]), np.array([3, 4])),
    "words": (np.array(["a", "b"]), np.array(["b", "b"])),
}


@pytest.mark.parametrize("name", PAIRS)
def test_classes_and_their_places_are_those_of_sorting(name):
    parts = PAIRS[name]
    classes, numbers = distinct(list(parts))
    expected, places = np.unique(np.concatenate(parts), return_inverse=True)
    assert classes.dtype == expected.dtype
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(np.concatenate(numbers), places)
    assert all(part.dtype == np.uintp and part.flags.c_contiguous for part in numbers)


def test_classes_that_count_already_are_not_copied():
    truth = np.array([0, 1, 2, 1])
    _, (numbers,) = distinct([truth])
    assert np.shares_memory(numbers, truth)
