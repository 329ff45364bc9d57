"""Borders on the map."""

import numpy as np
import pytest

from conftest import open_page, settled

BORDERS = """Promise.all([import('/maps.js'), import('/picture.js')]).then(([{ cells, shares }, { shown }]) => {
    const map = shown.answer.maps.find(({ kind }) => kind === 'clusters');
    return { width: map.width, height: map.height, count: map.count, values: [...cells(map)], lines: shares(map, shown.answer).lines.map(({ pieces }) => [...pieces]) };
})"""


@pytest.mark.parametrize("scene", ["dbscan-elongated", "dbscan-moons"])
def test_the_border_of_a_group_lies_where_its_cells_end(page, address, scene):
    open_page(page, address, f"#scene={scene}")
    settled(page)
    seen = page.evaluate(BORDERS)
    width, height, count = seen["width"], seen["height"], seen["count"]
    values = np.array(seen["values"]).reshape(height, width, count)
    # There is ground that belongs to nobody, so each group has a border of its own.
    assert (values.sum(axis=2) == 0).any() and count == 2 == len(seen["lines"])
    for index, line in enumerate(seen["lines"]):
        places = np.array(line).reshape(-1, 2) * [width, height]
        assert len(places) > 100
        inside = np.argwhere(values[:, :, index] == 255)[:, ::-1] + 0.5
        outside = np.argwhere(values[:, :, index] == 0)[:, ::-1] + 0.5
        for cells in (inside, outside):
            away = np.array([np.hypot(*(cells - place).T).min() for place in places[::7]])
            assert away.max() < 2.5
