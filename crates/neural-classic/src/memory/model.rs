//! The memory and what is in it.

use super::hopfield::{Hopfield, couplings};
use super::recall::{Network, Recall};
use super::spins::spins;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Error, Features, Model, OwnedRows, Result, Rows, Run, Transform, Value,
    parallel,
};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// What a state is to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// The pattern with that number.
    Stored(usize),
    /// The opposite of the pattern with that number.
    Inverse(usize),
    /// Neither: a mixture of patterns, or on the way.
    Spurious,
}

/// Patterns in the weights of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HopfieldModel {
    settings: Hopfield,
    patterns: Array2<f64>,
    /// The weights times K.
    couplings: Array2<f64>,
}

impl HopfieldModel {
    pub(super) fn new(settings: Hopfield, patterns: Array2<f64>, couplings: Array2<f64>) -> Self {
        HopfieldModel {
            settings,
            patterns,
            couplings,
        }
    }

    /// The weights: symmetric, with zeros on the diagonal.
    pub fn weights(&self) -> Array2<f64> {
        &self.couplings / self.n_features() as f64
    }

    /// The stored patterns of −1 and +1, one per row.
    pub fn patterns(&self) -> &Array2<f64> {
        &self.patterns
    }

    /// Patterns per unit.
    pub fn load(&self) -> f64 {
        self.patterns.nrows() as f64 / self.n_features() as f64
    }

    /// Stores one more pattern. With the Hebbian rule that adds an outer product to the weights,
    /// and one pattern after the other gives what all at once would.
    pub fn store(&mut self, pattern: &[f64]) -> Result<()> {
        let pattern = self.read(pattern)?;
        let row = Array1::from(pattern).insert_axis(Axis(0));
        self.patterns
            .append(Axis(0), row.view())
            .expect("the pattern has one value per unit");
        match self.settings.rule {
            super::StorageRule::Hebbian => {
                self.couplings += &row.t().dot(&row);
                self.couplings.diag_mut().fill(0.0);
            }
            rule => self.couplings = couplings(rule, &self.patterns, &Run::new())?,
        }
        Ok(())
    }

    /// Recalls from a cue, with the energies on the way.
    ///
    /// ```
    /// use didact_core::{Fit, Samples};
    /// use didact_neural_classic::{Hopfield, RecallEnd, StateKind};
    /// use ndarray::array;
    /// let memory = Hopfield::default().fit(Samples::from(&array![[1.0, 1.0, -1.0, -1.0]]))?;
    /// let recall = memory.recall(&[1.0, 1.0, -1.0, 1.0])?;
    /// assert_eq!(recall.end, RecallEnd::Settled);
    /// assert_eq!(memory.identify(recall.state.as_slice().unwrap())?, StateKind::Stored(0));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn recall(&self, cue: &[f64]) -> Result<Recall> {
        Ok(self.network().recall(self.read(cue)?))
    }

    /// Lets units change once, one at a time in the given order; a unit may come up several times.
    pub fn sweep(&self, state: &[f64], order: &[usize]) -> Result<Vec<f64>> {
        let mut state = self.read(state)?;
        if let Some(unit) = order.iter().find(|&&unit| unit >= state.len()) {
            return Err(Error::data(format!(
                "the order names the unit {unit}, which needs a column of that number; there are \
                 {} columns, counted from 0",
                state.len()
            )));
        }
        self.network().one_by_one(&mut state, order);
        Ok(state)
    }

    /// The energy −½·Σ w_ij·sᵢ·sⱼ of a state.
    pub fn energy(&self, state: &[f64]) -> Result<f64> {
        Ok(self.network().energy(&self.read(state)?))
    }

    /// The overlap (1/K)·Σᵢ xᵢsᵢ of a state with each stored pattern: 1 for the pattern itself,
    /// −1 for its opposite.
    pub fn overlaps(&self, state: &[f64]) -> Result<Vec<f64>> {
        let state = self.read(state)?;
        let overlap = |pattern: ndarray::ArrayView1<'_, f64>| {
            let pattern = pattern.to_slice().expect("patterns are contiguous");
            dot(pattern, &state) / state.len() as f64
        };
        Ok(self.patterns.rows().into_iter().map(overlap).collect())
    }

    /// Whether a state is a stored pattern, the opposite of one, or neither; the first that fits.
    pub fn identify(&self, state: &[f64]) -> Result<StateKind> {
        let overlaps = self.overlaps(state)?;
        // Overlaps are whole numbers divided by K, so equality is exact.
        let with = |wanted: f64| overlaps.iter().position(|&overlap| overlap == wanted);
        Ok(match (with(1.0), with(-1.0)) {
            (Some(pattern), _) => StateKind::Stored(pattern),
            (None, Some(pattern)) => StateKind::Inverse(pattern),
            (None, None) => StateKind::Spurious,
        })
    }

    fn network(&self) -> Network<'_> {
        Network {
            settings: &self.settings,
            couplings: &self.couplings,
        }
    }

    /// A state as −1 and +1.
    fn read(&self, state: &[f64]) -> Result<Vec<f64>> {
        let view = ArrayView2::from_shape((1, state.len()), state).expect("one row");
        didact_core::abilities::check_rows(self, Rows::Dense(view))?;
        Ok(spins(view, self.settings.binarize)?
            .into_raw_vec_and_offset()
            .0)
    }
}

impl Features for HopfieldModel {
    fn n_features(&self) -> usize {
        self.couplings.ncols()
    }
}

impl Transform for HopfieldModel {
    fn n_outputs(&self) -> usize {
        self.n_features()
    }

    /// What is recalled from each row, as −1 and +1.
    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let mut states = spins(rows.dense()?, self.settings.binarize)?;
        let k = self.n_features();
        let chunk = ((1 << 20) / (k * k)).clamp(1, 4096);
        let values = states.as_slice_mut().expect("a new array is contiguous");
        parallel::fill(values, k, chunk, &Run::new(), |_, piece| {
            for state in piece.chunks_exact_mut(k) {
                let (recalled, _) = self.network().settle(state.to_vec(), |_| ());
                state.copy_from_slice(&recalled);
            }
            Ok(())
        })?;
        Ok(OwnedRows::Dense(states))
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        input_names.to_vec()
    }
}

impl Model for HopfieldModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "weights",
            meaning: "The weight between every two units, zero from a unit to itself.",
            get: |model| Value::from(model.weights()),
        },
        Attribute {
            name: "n_patterns",
            meaning: "Number of stored patterns.",
            get: |model| Value::from(model.patterns.nrows()),
        },
        Attribute {
            name: "load",
            meaning: "Patterns per unit; beyond 0.138 random ones fade with the Hebbian rule.",
            get: |model| Value::from(model.load()),
        },
    ];

    fn validate(&self) -> Result<()> {
        let (n, k) = self.patterns.dim();
        ensure_consistent(
            n > 0
                && k > 0
                && self.couplings.dim() == (k, k)
                && self.couplings.is_standard_layout()
                && self.patterns.is_standard_layout()
                && self.settings.max_iter > 0
                && self.patterns.iter().all(|value| value.abs() == 1.0)
                && self.couplings.iter().all(|value| value.is_finite()),
        )
    }
}
