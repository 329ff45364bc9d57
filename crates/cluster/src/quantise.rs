//! Vector quantisation: rows written as numbers of a code book.

use crate::KMeans;
use crate::sketch::distinct_sample;
use didact_core::{Error, Fit, Result, Rows, Run, Samples};
use didact_math::distance::nearest_center;
use ndarray::{Array2, ArrayView2, Axis};

/// Rows written as entries of a code book: the colours of an image as a palette.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantised {
    /// The code book, one vector per row.
    pub codebook: Array2<f64>,
    /// The entry of each row.
    pub codes: Vec<usize>,
    /// The mean squared distance of the rows to their entries.
    pub distortion: f64,
}

impl Quantised {
    /// The rows with each replaced by its entry.
    pub fn restored(&self) -> Array2<f64> {
        self.codebook.select(Axis(0), &self.codes)
    }

    /// Bits of the code book and the codes, where a vector takes `bits_per_vector`: 24 for a
    /// colour. Each code takes ⌈log₂ k⌉ bits.
    pub fn bits(&self, bits_per_vector: usize) -> usize {
        let k = self.codebook.nrows();
        let bits_per_code = k.next_power_of_two().trailing_zeros() as usize;
        self.codes.len() * bits_per_code + k * bits_per_vector
    }

    /// How many times fewer bits that is than all vectors written out.
    pub fn compression_ratio(&self, bits_per_vector: usize) -> f64 {
        (self.codes.len() * bits_per_vector) as f64 / self.bits(bits_per_vector) as f64
    }
}

/// Finds a code book of at most `n_codes` vectors for the rows and writes the rows in it.
///
/// The code book comes from k-means. Where there are no more distinct rows than codes, they are
/// the code book and nothing is lost.
///
/// ```
/// use didact_cluster::quantise;
/// use didact_core::{Rows, Run};
/// use ndarray::array;
/// // Four pixels of two colours and a shade.
/// let pixels = array![[255.0, 0.0, 0.0], [254.0, 0.0, 0.0], [0.0, 0.0, 255.0], [0.0, 0.0, 255.0]];
/// let image = quantise(Rows::Dense(pixels.view()), 2, 0, &Run::new())?;
/// assert_eq!(image.distortion, 0.125);
/// assert_eq!(image.bits(24), 4 + 48);
/// assert_eq!(quantise(Rows::Dense(pixels.view()), 3, 0, &Run::new())?.restored(), pixels);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn quantise(rows: Rows<'_>, n_codes: usize, random_state: u64, run: &Run) -> Result<Quantised> {
    if n_codes == 0 {
        return Err(Error::parameter("n_codes", 0, "it must be at least 1"));
    }
    if rows.n_rows() == 0 {
        return Err(Error::data(
            "there are no rows to quantise; give at least one",
        ));
    }
    let samples = Samples::from(rows);
    let (distinct, _) = distinct_sample(&samples, n_codes + 1, random_state, run)?;
    let codebook = match distinct.view().n_rows() <= n_codes {
        true => distinct.into_dense(),
        false => {
            let method = KMeans {
                n_clusters: n_codes,
                random_state,
                ..KMeans::default()
            };
            let model = method.fit_with(samples.view(), run)?;
            model.cluster_centers().to_owned()
        }
    };
    quantise_with(samples.rows(), codebook.view(), run)
}

/// Writes the rows in a given code book: the code of a row is its nearest entry, the lowest where
/// several are equally near.
pub fn quantise_with(
    rows: Rows<'_>,
    codebook: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<Quantised> {
    if codebook.nrows() == 0 {
        return Err(Error::data("the code book has no rows; give at least one"));
    }
    if codebook.ncols() != rows.n_columns() {
        return Err(Error::Columns {
            expected: codebook.ncols(),
            found: rows.n_columns(),
        });
    }
    let found = nearest_center(rows, codebook, run)?;
    Ok(Quantised {
        codebook: codebook.to_owned(),
        distortion: found.squared_distances.mean().unwrap_or(0.0),
        codes: found.labels,
    })
}
