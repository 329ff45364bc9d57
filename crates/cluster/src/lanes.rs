//! Points stored side by side, so that one point is compared with many at once.

use ndarray::ArrayView2;

/// How many points a block holds: eight registers of four numbers.
pub(crate) const LANES: usize = 32;

/// Of every so many places one may be empty before the points move together.
const HOLES: usize = 8;

/// Points named 0, 1, 2, … in blocks of [`LANES`]; within a block the first values of all its
/// points come first, then the second ones, and so on. The places follow the order of the names.
///
/// A point that is taken away leaves a hole at infinity, which is nearest to nothing.
pub(crate) struct Lanes {
    n_columns: usize,
    values: Vec<f64>,
    /// The point at each place.
    names: Vec<usize>,
    /// Where each point is.
    places: Vec<usize>,
    n_points: usize,
}

impl Lanes {
    /// The rows, of which there is at least one column.
    pub(crate) fn new(rows: ArrayView2<'_, f64>) -> Self {
        Lanes::ordered(rows, (0..rows.nrows()).collect())
    }

    /// The rows in the given order, which lists each once.
    pub(crate) fn ordered(rows: ArrayView2<'_, f64>, names: Vec<usize>) -> Self {
        let (n, n_columns) = (names.len(), rows.ncols());
        let mut values = vec![f64::INFINITY; n.div_ceil(LANES) * LANES * n_columns];
        let mut places = vec![0; n];
        for (place, &name) in names.iter().enumerate() {
            places[name] = place;
            let start = start_of(place, n_columns);
            for (column, &value) in rows.row(name).iter().enumerate() {
                values[start + column * LANES] = value;
            }
        }
        Lanes {
            n_columns,
            values,
            names,
            places,
            n_points: n,
        }
    }

    /// How many places there are, holes included.
    pub(crate) fn n_places(&self) -> usize {
        self.names.len()
    }

    /// The point that is or was at a place.
    pub(crate) fn name(&self, place: usize) -> usize {
        self.names[place]
    }

    /// Where a point is.
    pub(crate) fn place(&self, name: usize) -> usize {
        self.places[name]
    }

    /// The values of a point.
    pub(crate) fn point(&self, name: usize) -> impl Iterator<Item = f64> + '_ {
        let start = start_of(self.places[name], self.n_columns);
        (0..self.n_columns).map(move |column| self.values[start + column * LANES])
    }

    /// Moves a point.
    pub(crate) fn move_to(&mut self, name: usize, point: impl Iterator<Item = f64>) {
        let start = start_of(self.places[name], self.n_columns);
        for (column, value) in point.enumerate() {
            self.values[start + column * LANES] = value;
        }
    }

    /// Takes a point away.
    pub(crate) fn remove(&mut self, name: usize) {
        self.move_to(name, std::iter::repeat_n(f64::INFINITY, self.n_columns));
        self.n_points -= 1;
    }

    /// Closes the holes once there are many, and calls `moved` with the old and the new place of
    /// every point, in rising order.
    pub(crate) fn close_holes(&mut self, mut moved: impl FnMut(usize, usize)) -> bool {
        let holes = self.names.len() - self.n_points;
        if holes * HOLES <= self.names.len() {
            return false;
        }
        let mut next = 0;
        for place in 0..self.names.len() {
            let from = start_of(place, self.n_columns);
            if self.values[from] == f64::INFINITY {
                continue;
            }
            let to = start_of(next, self.n_columns);
            for column in 0..self.n_columns {
                self.values[to + column * LANES] = self.values[from + column * LANES];
            }
            self.names[next] = self.names[place];
            self.places[self.names[next]] = next;
            moved(place, next);
            next += 1;
        }
        self.names.truncate(next);
        self.values
            .truncate(next.div_ceil(LANES) * LANES * self.n_columns);
        for place in next..next.next_multiple_of(LANES) {
            let start = start_of(place, self.n_columns);
            for column in 0..self.n_columns {
                self.values[start + column * LANES] = f64::INFINITY;
            }
        }
        true
    }

    /// The squared distances of a point to those of a block, for loops within
    /// [`vectorised`](didact_math::vectorised::vectorised).
    #[inline(always)]
    pub(crate) fn squared_distances(&self, block: usize, point: &[f64]) -> [f64; LANES] {
        let size = LANES * self.n_columns;
        let (columns, _) = self.values[block * size..(block + 1) * size].as_chunks::<LANES>();
        let mut sums = [0.0; LANES];
        for (column, &value) in columns.iter().zip(point) {
            for lane in 0..LANES {
                let difference = column[lane] - value;
                sums[lane] = difference.mul_add(difference, sums[lane]);
            }
        }
        sums
    }

    /// The squared distance of a point to the one at a place, to the last digit as
    /// [`Lanes::squared_distances`] has it.
    #[inline(always)]
    pub(crate) fn squared_distance(&self, place: usize, point: &[f64]) -> f64 {
        let start = start_of(place, self.n_columns);
        let mut sum = 0.0;
        for (column, &value) in point.iter().enumerate() {
            let difference = self.values[start + column * LANES] - value;
            sum = difference.mul_add(difference, sum);
        }
        sum
    }
}

/// Where the first value of the point at a place lies.
fn start_of(place: usize, n_columns: usize) -> usize {
    place / LANES * LANES * n_columns + place % LANES
}

/// The least of the values of a block, for loops within
/// [`vectorised`](didact_math::vectorised::vectorised).
#[inline(always)]
pub(crate) fn least(values: &[f64; LANES]) -> f64 {
    // Halving keeps to whole registers for as long as there are any.
    let mut halves = *values;
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            halves[lane] = match halves[lane + width] < halves[lane] {
                true => halves[lane + width],
                false => halves[lane],
            };
        }
        width /= 2;
    }
    halves[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::distance::squared_euclidean;
    use didact_testing::random_matrix;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn points_keep_their_values_and_order_while_others_leave(
            n in 1usize..150, d in 1usize..6, leaving in prop::collection::vec(0usize..150, 0..120), seed: u64,
        ) {
            let x = random_matrix(n, d, seed);
            let mut lanes = Lanes::new(x.view());
            let mut left = vec![true; n];
            for name in leaving {
                if name < n && left[name] {
                    left[name] = false;
                    lanes.remove(name);
                    lanes.close_holes(|from, to| assert!(to <= from));
                }
            }
            let query = x.row(0).to_vec();
            let names: Vec<usize> = (0..lanes.n_places()).map(|place| lanes.name(place)).collect();
            prop_assert!(names.is_sorted());
            for (place, name) in names.into_iter().enumerate() {
                let distances = lanes.squared_distances(place / LANES, &query);
                let distance = lanes.squared_distance(place, &query);
                prop_assert_eq!(distances[place % LANES], distance);
                if !left[name] {
                    prop_assert_eq!(distance, f64::INFINITY);
                    continue;
                }
                prop_assert_eq!(lanes.place(name), place);
                prop_assert!(lanes.point(name).eq(x.row(name).iter().copied()));
                let expected = squared_euclidean(&x.row(name).to_vec(), &query);
                prop_assert!((distance - expected).abs() <= 1e-14 * expected);
            }
            prop_assert!((0..n).filter(|&name| left[name]).all(|name| lanes.name(lanes.place(name)) == name));
        }

        #[test]
        fn the_least_of_a_block_is_found(values in prop::array::uniform32(-10.0..10.0_f64)) {
            prop_assert_eq!(least(&values), values.into_iter().fold(f64::INFINITY, f64::min));
        }
    }
}
