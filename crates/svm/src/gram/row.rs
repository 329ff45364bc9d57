//! A row of the kernel in memory, in single or double precision.

/// Numbers that kernel values are stored as.
pub(crate) trait Stored: Copy + Default + Send {
    /// The nearest number that can be stored.
    fn rounded(value: f64) -> Self;

    /// What is stored.
    fn value(self) -> f64;
}

impl Stored for f32 {
    #[inline(always)]
    fn rounded(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn value(self) -> f64 {
        f64::from(self)
    }
}

impl Stored for f64 {
    #[inline(always)]
    fn rounded(value: f64) -> Self {
        value
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
}

/// How kernel values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Single,
    Double,
}

impl Precision {
    /// By how much a stored value may be off, in shares of it.
    pub(crate) fn unit(self) -> f64 {
        match self {
            Precision::Single => f64::from(f32::EPSILON) / 2.0,
            Precision::Double => f64::EPSILON / 2.0,
        }
    }

    /// Bytes of a value.
    pub(super) fn bytes(self) -> usize {
        match self {
            Precision::Single => size_of::<f32>(),
            Precision::Double => size_of::<f64>(),
        }
    }
}

/// The kernel of a point with all that can move.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl Row<'_> {
    pub(crate) fn at(&self, place: usize) -> f64 {
        match self {
            Row::Single(values) => values[place].value(),
            Row::Double(values) => values[place],
        }
    }
}

/// A row that is kept.
pub(super) enum KeptRow {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl KeptRow {
    pub(super) fn zeros(precision: Precision, length: usize) -> Self {
        match precision {
            Precision::Single => KeptRow::Single(vec![0.0; length]),
            Precision::Double => KeptRow::Double(vec![0.0; length]),
        }
    }

    pub(super) fn view(&self) -> Row<'_> {
        match self {
            KeptRow::Single(values) => Row::Single(values),
            KeptRow::Double(values) => Row::Double(values),
        }
    }

    /// The values of these places alone.
    pub(super) fn gathered(&self, places: &[usize]) -> Self {
        match self {
            KeptRow::Single(values) => KeptRow::Single(chosen(values, places)),
            KeptRow::Double(values) => KeptRow::Double(chosen(values, places)),
        }
    }
}

fn chosen<T: Copy>(values: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|&place| values[place]).collect()
}
