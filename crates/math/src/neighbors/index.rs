//! Training rows prepared for the search of neighbours.

use super::best::{Best, Candidate, Collect, RowsWithin, Within};
use super::brute;
use super::curve::along_curve;
use super::tree::{Hull, Tree};
use crate::distance::{Metric, squared_norms};
use crate::linalg::rows_per_task;
use didact_core::{Csr, CsrView, Error, Result, Rows, Run, parallel};
use ndarray::{Array1, Array2, ArrayView2, CowArray, Ix2};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;

/// How neighbours are searched; the answer is the same, only the time differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SearchAlgorithm {
    /// Chosen by the number of rows and columns.
    #[default]
    Auto,
    /// Every training row is looked at.
    Brute,
    /// A tree of boxes, for few columns.
    KdTree,
    /// A tree of balls, for rows that fill few of their many dimensions.
    BallTree,
}

/// The neighbours of each query, nearest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbors {
    /// Training rows, one row per query; equally near ones in rising order.
    pub indices: Array2<usize>,
    /// Their distances.
    pub distances: Array2<f64>,
}

/// Training rows, ready to be asked for the neighbours of a query: those of the caller, or copies
/// of its own after [`Index::into_owned`].
///
/// Saved as rows and settings; the tree is grown again on reading, so a damaged file cannot hold
/// a wrong one. Sparse rows, and the distances that are no lengths (cosine, Hamming, χ², Jaccard),
/// are always searched by brute force.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::{distance::Metric, neighbors::{Index, SearchAlgorithm}};
/// use ndarray::array;
/// let training = array![[0.0], [1.0], [10.0]];
/// let run = Run::new();
/// let index = Index::build(Rows::Dense(training.view()), Metric::Euclidean, SearchAlgorithm::Auto, 30, &run)?;
/// let found = index.nearest(Rows::Dense(array![[0.75]].view()), 2, &run)?;
/// assert_eq!(found.indices, array![[1, 0]]);
/// assert_eq!(found.distances, array![[0.25, 0.75]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Index<'a> {
    points: Points<'a>,
    metric: Metric,
    algorithm: SearchAlgorithm,
    leaf_size: usize,
    pub(super) searcher: Searcher,
}

/// Rows that are dense and contiguous, or sparse.
#[derive(Clone, Debug)]
enum Points<'a> {
    Dense(CowArray<'a, f64, Ix2>),
    Sparse(CsrView<'a>),
    OwnedSparse(Csr),
}

#[derive(Clone, Debug)]
pub(super) enum Searcher {
    /// The lengths of the training rows.
    Brute(Array1<f64>),
    Tree(Tree),
}

impl<'a> Points<'a> {
    fn dense(rows: ArrayView2<'a, f64>) -> Self {
        Points::Dense(match rows.is_standard_layout() {
            true => CowArray::from(rows),
            false => CowArray::from(rows.as_standard_layout().into_owned()),
        })
    }

    fn view(&self) -> Rows<'_> {
        match self {
            Points::Dense(dense) => Rows::Dense(dense.view()),
            Points::Sparse(sparse) => Rows::Sparse(*sparse),
            Points::OwnedSparse(sparse) => Rows::Sparse(sparse.view()),
        }
    }

    fn into_owned(self) -> Points<'static> {
        match self {
            Points::Dense(dense) => Points::Dense(CowArray::from(dense.into_owned())),
            Points::Sparse(sparse) => Points::OwnedSparse(sparse.to_owned()),
            Points::OwnedSparse(sparse) => Points::OwnedSparse(sparse),
        }
    }
}

impl<'a> Index<'a> {
    /// Prepares the search; `leaf_size` is how many rows a leaf of a tree holds at most, unless
    /// they are all equal.
    pub fn build(
        rows: Rows<'a>,
        metric: Metric,
        algorithm: SearchAlgorithm,
        leaf_size: usize,
        run: &Run,
    ) -> Result<Self> {
        let points = match rows {
            Rows::Dense(dense) => Points::dense(dense),
            Rows::Sparse(sparse) => Points::Sparse(sparse),
        };
        Index::prepare(points, metric, algorithm, leaf_size, run)
    }

    /// The same index with rows of its own.
    pub fn into_owned(self) -> Index<'static> {
        Index {
            points: self.points.into_owned(),
            metric: self.metric,
            algorithm: self.algorithm,
            leaf_size: self.leaf_size,
            searcher: self.searcher,
        }
    }

    fn prepare(
        points: Points<'a>,
        metric: Metric,
        algorithm: SearchAlgorithm,
        leaf_size: usize,
        run: &Run,
    ) -> Result<Self> {
        metric.check()?;
        if leaf_size == 0 {
            return Err(Error::parameter("leaf_size", 0, "it must be at least 1"));
        }
        if points.view().n_rows() == 0 {
            return Err(Error::data(
                "there are no rows to search for neighbours; give at least one",
            ));
        }
        metric.check_rows(points.view())?;
        let grow = |dense: &CowArray<'_, f64, Ix2>, hull| {
            Tree::build(dense.view(), metric, hull, leaf_size, run).map(Searcher::Tree)
        };
        let searcher = match (&points, choose(points.view(), metric, algorithm)) {
            (Points::Dense(dense), SearchAlgorithm::KdTree) => grow(dense, Hull::Box)?,
            (Points::Dense(dense), SearchAlgorithm::BallTree) => grow(dense, Hull::Ball)?,
            _ => Searcher::Brute(squared_norms(points.view()).mapv(f64::sqrt)),
        };
        Ok(Index {
            points,
            metric,
            algorithm,
            leaf_size,
            searcher,
        })
    }

    /// The training rows.
    pub fn rows(&self) -> Rows<'_> {
        self.points.view()
    }

    /// Number of training rows.
    pub fn n_rows(&self) -> usize {
        self.rows().n_rows()
    }

    /// How distances are measured.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The `k` nearest training rows of each query, in parallel over the queries.
    pub fn nearest(&self, queries: Rows<'_>, k: usize, run: &Run) -> Result<Neighbors> {
        self.check_count(k)?;
        let shape = (queries.n_rows(), k);
        let mut indices = vec![0; queries.n_rows() * k];
        let mut distances = vec![0.0; queries.n_rows() * k];
        let places = indices.chunks_mut(k).zip(distances.chunks_mut(k));
        let mut places: Vec<_> = places.collect();
        self.answer(queries, k, &mut places, 1, run, |rows, lengths, place| {
            let (indices, distances) = &mut place[0];
            indices.copy_from_slice(rows);
            distances.copy_from_slice(lengths);
        })?;
        Ok(Neighbors {
            indices: Array2::from_shape_vec(shape, indices).expect("k neighbours per query"),
            distances: Array2::from_shape_vec(shape, distances).expect("k neighbours per query"),
        })
    }

    /// Calls `answer` for each query, in parallel, with its `k` nearest training rows, their distances
    /// and its place of `width` values in the output: for those who need no list of all neighbours,
    /// which would take more memory than most answers.
    ///
    /// ```
    /// use didact_core::{Rows, Run};
    /// use didact_math::{distance::Metric, neighbors::{Index, SearchAlgorithm}};
    /// use ndarray::array;
    /// let (training, run) = (array![[0.0], [1.0], [10.0]], Run::new());
    /// let index = Index::build(Rows::Dense(training.view()), Metric::Euclidean, SearchAlgorithm::Auto, 30, &run)?;
    /// let (queries, mut farther) = (array![[0.75], [7.0]], [0.0; 2]);
    /// index.answer(Rows::Dense(queries.view()), 2, &mut farther, 1, &run, |_, distances, place| {
    ///     place[0] = distances[1];
    /// })?;
    /// assert_eq!(farther, [0.75, 6.0]);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    ///
    /// # Panics
    /// When the output has not `width` values for each query.
    pub fn answer<T: Send>(
        &self,
        queries: Rows<'_>,
        k: usize,
        output: &mut [T],
        width: usize,
        run: &Run,
        answer: impl Fn(&[usize], &mut [f64], &mut [T]) + Sync,
    ) -> Result<()> {
        assert_eq!(output.len(), width * queries.n_rows(), "a place for each");
        self.check_count(k)?;
        let queries = self.adapt(queries)?;
        let end = |best: Best, place: &mut [T]| {
            let found = best.into_sorted();
            let rows: Vec<usize> = found.iter().map(|candidate| candidate.row).collect();
            // In the memory of the candidates.
            let mut distances: Vec<f64> = found
                .into_iter()
                .map(|candidate| self.metric.distance_of(candidate.rank))
                .collect();
            answer(&rows, &mut distances, place);
        };
        self.search(queries.view(), output, width, run, |_| Best::new(k), end)
    }

    fn check_count(&self, k: usize) -> Result<()> {
        if k == 0 {
            return Err(Error::parameter("n_neighbors", 0, "it must be at least 1"));
        }
        if k > self.n_rows() {
            let requirement = format!(
                "there are only {} rows; ask for at most that many",
                self.n_rows()
            );
            return Err(Error::parameter("n_neighbors", k, requirement));
        }
        Ok(())
    }

    /// The training rows at most `radius` away from each query and their distances, nearest
    /// first and equally near ones in rising order.
    pub fn within(
        &self,
        queries: Rows<'_>,
        radius: f64,
        run: &Run,
    ) -> Result<Vec<Vec<(usize, f64)>>> {
        check_radius(radius)?;
        let queries = self.adapt(queries)?;
        let queries = queries.view();
        let (is_wanted, limit) = self.border(radius);
        let mut found = vec![Vec::new(); queries.n_rows()];
        let begin = |_: &mut _| Within {
            limit,
            is_wanted: &is_wanted,
            found: Vec::new(),
        };
        let distance = |found: Candidate| (found.row, self.metric.distance_of(found.rank));
        let end = |mut collector: Within<_>, place: &mut [Vec<(usize, f64)>]| {
            collector.found.sort_unstable();
            place[0] = collector.found.into_iter().map(distance).collect();
        };
        self.search(queries, &mut found, 1, run, begin, end)?;
        Ok(found)
    }

    /// The training rows at most `radius` away from each query, in an order of no meaning but
    /// always the same: for those who only count or connect, faster than [`Index::within`].
    pub fn rows_within(
        &self,
        queries: Rows<'_>,
        radius: f64,
        run: &Run,
    ) -> Result<Vec<Vec<usize>>> {
        check_radius(radius)?;
        let queries = self.adapt(queries)?;
        let queries = queries.view();
        let (is_wanted, limit) = self.border(radius);
        let mut found = vec![Vec::new(); queries.n_rows()];
        let begin = |place: &mut [Vec<usize>]| RowsWithin {
            limit,
            is_wanted: &is_wanted,
            found: std::mem::take(&mut place[0]),
        };
        let end = |collector: RowsWithin<_>, place: &mut [Vec<usize>]| place[0] = collector.found;
        self.search(queries, &mut found, 1, run, begin, end)?;
        Ok(found)
    }

    /// Whether a rank is within the radius, and a rank a little beyond it, so that only the former
    /// decides at the border.
    fn border(&self, radius: f64) -> (impl Fn(f64) -> bool + Sync + use<>, f64) {
        let metric = self.metric;
        let limit = metric.ranking_of(radius) * (1.0 + 1e-12) + f64::MIN_POSITIVE;
        (move |rank: f64| metric.distance_of(rank) <= radius, limit)
    }

    /// Searches for all queries in parallel. Each has a place of `width` values in the output, with
    /// which its collector begins and ends.
    fn search<T: Send, C: Collect>(
        &self,
        queries: Rows<'_>,
        output: &mut [T],
        width: usize,
        run: &Run,
        begin: impl Fn(&mut [T]) -> C + Sync,
        end: impl Fn(C, &mut [T]) + Sync,
    ) -> Result<()> {
        let size = self.queries_per_task();
        match (&self.searcher, queries) {
            (Searcher::Tree(tree), Rows::Dense(queries)) => {
                let mut places = in_order(output.chunks_mut(width), along_curve(queries));
                parallel::fill(&mut places, 1, size, run, |_, places| {
                    for (query, place) in places {
                        run.check()?;
                        let mut collector = begin(place);
                        let query = queries.row(*query);
                        let query = query.to_slice().expect("queries are contiguous");
                        tree.search(query, &mut collector);
                        end(collector, place);
                    }
                    Ok(())
                })
            }
            (Searcher::Brute(norms), queries) => {
                parallel::fill(output, width, size, run, |range, piece| {
                    let mut collectors: Vec<C> = piece.chunks_mut(width).map(&begin).collect();
                    let (rows, queries) = (self.rows(), queries.slice(range));
                    brute::search(rows, norms, self.metric, queries, &mut collectors, run)?;
                    for (collector, place) in collectors.into_iter().zip(piece.chunks_mut(width)) {
                        end(collector, place);
                    }
                    Ok(())
                })
            }
            _ => unreachable!("a tree has dense rows, and queries are brought into their form"),
        }
    }

    fn queries_per_task(&self) -> usize {
        let d = self.rows().n_columns();
        match self.searcher {
            // Fewer queries would waste the matrix product that they share.
            Searcher::Brute(_) => rows_per_task(self.n_rows() * d).max(brute::QUERIES),
            // A guess: some tens of leaves are opened for a query. Queries differ in that, so threads
            // take turns.
            Searcher::Tree(_) => rows_per_task(32 * self.leaf_size * d).min(128),
        }
    }

    /// Brings the queries into the form of the training rows.
    fn adapt<'q>(&self, queries: Rows<'q>) -> Result<Points<'q>> {
        let (expected, found) = (self.rows().n_columns(), queries.n_columns());
        if expected != found {
            return Err(Error::Columns { expected, found });
        }
        self.metric.check_rows(queries)?;
        Ok(match (self.rows().is_sparse(), queries) {
            (false, Rows::Dense(dense)) => Points::dense(dense),
            (false, Rows::Sparse(sparse)) => Points::Dense(CowArray::from(sparse.to_dense())),
            (true, Rows::Sparse(sparse)) => Points::Sparse(sparse),
            (true, Rows::Dense(dense)) => Points::OwnedSparse(Csr::from_dense(dense)),
        })
    }
}

/// The places of the queries, each with the number of its query, in the order of these numbers.
fn in_order<T>(places: impl Iterator<Item = T>, order: Vec<usize>) -> Vec<(usize, T)> {
    let mut places: Vec<Option<T>> = places.map(Some).collect();
    let take = |query: usize| places[query].take().map(|place| (query, place));
    order.into_iter().filter_map(take).collect()
}

fn check_radius(radius: f64) -> Result<()> {
    match radius >= 0.0 {
        true => Ok(()),
        false => Err(Error::parameter(
            "radius",
            radius,
            "it must be a number not below 0",
        )),
    }
}

/// The way that suits the rows. Measured on normal data of ten and a hundred thousand rows, boxes
/// win up to eight columns; beyond, or for few rows, matrix products beat every tree. Balls are
/// for rows that lie near a curved surface of few dimensions, which only the user can know.
fn choose(rows: Rows<'_>, metric: Metric, algorithm: SearchAlgorithm) -> SearchAlgorithm {
    if rows.is_sparse() || !metric.suits_trees() {
        return SearchAlgorithm::Brute;
    }
    match (algorithm, rows.n_rows(), rows.n_columns()) {
        (SearchAlgorithm::Auto, 0..=200, _) => SearchAlgorithm::Brute,
        (SearchAlgorithm::Auto, _, 1..=8) => SearchAlgorithm::KdTree,
        (SearchAlgorithm::Auto, _, _) => SearchAlgorithm::Brute,
        (chosen, _, _) => chosen,
    }
}

/// What is saved of an index.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Index")]
struct Saved<'a> {
    points: SavedPoints<'a>,
    metric: Metric,
    algorithm: SearchAlgorithm,
    leaf_size: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Points", rename_all = "kebab-case")]
enum SavedPoints<'a> {
    Dense(CowArray<'a, f64, Ix2>),
    Sparse(Cow<'a, Csr>),
}

impl Serialize for Index<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let points = match &self.points {
            Points::Dense(dense) => SavedPoints::Dense(CowArray::from(dense.view())),
            Points::Sparse(sparse) => SavedPoints::Sparse(Cow::Owned(sparse.to_owned())),
            Points::OwnedSparse(sparse) => SavedPoints::Sparse(Cow::Borrowed(sparse)),
        };
        let saved = Saved {
            points,
            metric: self.metric,
            algorithm: self.algorithm,
            leaf_size: self.leaf_size,
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Index<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Saved {
            points,
            metric,
            algorithm,
            leaf_size,
        } = Saved::deserialize(deserializer)?;
        let points = match points {
            // An array in Fortran order is saved as such.
            SavedPoints::Dense(dense) => {
                Points::Dense(CowArray::from(dense.as_standard_layout().into_owned()))
            }
            SavedPoints::Sparse(sparse) => Points::OwnedSparse(sparse.into_owned()),
        };
        Index::prepare(points, metric, algorithm, leaf_size, &Run::new()).map_err(D::Error::custom)
    }
}
