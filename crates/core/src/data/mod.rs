//! The kinds of data that methods learn from.
//!
//! The kind says what is known about the targets: nothing ([`Samples`]), a class
//! ([`Labelled`]), real numbers ([`Measured`]), some classes ([`PartlyLabelled`]), or the same
//! over [`Sequences`]. Each is cheap to make from borrowed arrays; dense rows that are not
//! contiguous in C order are copied once, here, so that algorithms can rely on slices.

mod decisions;
mod labelled;
mod measured;
mod ratings;
mod samples;
mod sequences;

pub use decisions::{Decisions, Outcome};
pub use labelled::{Labelled, Linked, PartlyLabelled};
pub use measured::Measured;
pub use ratings::Ratings;
pub use samples::Samples;
pub(crate) use samples::check_finite;
pub use sequences::{LabelledSequences, Sequences};

use crate::{Accepts, Error, Result};

/// What [`crate::Fit`] asks of a kind of data: that it can be checked before a method sees it.
pub trait FitData {
    /// An error that says what is wrong with the data for a method that accepts `accepts`.
    fn check(&self, accepts: Accepts) -> Result<()>;

    /// Number of rows, items or ratings.
    fn n_rows(&self) -> usize;
}

fn check_length(what: &str, found: usize, rows: usize) -> Result<()> {
    match found == rows {
        true => Ok(()),
        false => Err(Error::data(format!(
            "there are {found} {what} for {rows} rows"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Labels, PartialLabels};
    use ndarray::{Array2, ShapeBuilder, array};

    #[test]
    fn fortran_order_and_strides_become_contiguous() {
        let mut fortran = Array2::zeros((3, 2).f());
        fortran.assign(&array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let samples = Samples::from(&fortran);
        assert!(samples.dense().unwrap().is_standard_layout());
        assert_eq!(samples.dense().unwrap(), fortran);
        let wide = array![[1.0, 9.0, 2.0], [3.0, 9.0, 4.0]];
        let strided = wide.slice(ndarray::s![.., ..;2]);
        assert_eq!(
            Samples::from(strided).dense().unwrap(),
            array![[1.0, 2.0], [3.0, 4.0]]
        );
    }

    #[test]
    fn messages_name_what_is_wrong() {
        let x = array![[1.0], [2.0]];
        let say = |result: Result<Samples<'_>>| result.unwrap_err().to_string();
        assert_eq!(
            say(Samples::from(&x).weighted(&[1.0])),
            "there are 1 weights for 2 rows"
        );
        assert!(say(Samples::from(&x).weighted(&[1.0, -2.0])).contains("row 1 is -2"));
        assert!(say(Samples::from(&x).weighted(&[0.0, 0.0])).contains("all weights are zero"));
        let lengths = Sequences::new(&x, &[1]).unwrap_err().to_string();
        assert_eq!(
            lengths,
            "the lengths of the sequences add up to 1 but there are 2 rows"
        );
        assert!(
            Sequences::new(&x, &[2, 0])
                .unwrap_err()
                .to_string()
                .contains("sequence 1")
        );
        let labels = Labels::from_indices(vec![0]);
        assert!(Labelled::new(&x, &labels).is_err());
        assert!(Linked::new(&x, &[(0, 2)], &[]).is_err());
    }

    // 000a:GEN-01, 001:OV-03, 002a:CL01: full, partial, link-only and absent labels.
    #[test]
    fn every_label_state_has_a_kind_of_data() {
        let x = array![[1.0], [2.0]];
        let full = Labels::from_names(["a", "b"]);
        let partial = PartialLabels::from_names([Some("a"), None]);
        assert!(Samples::from(&x).check(Accepts::empty()).is_ok());
        assert!(
            Labelled::new(&x, &full)
                .unwrap()
                .check(Accepts::empty())
                .is_ok()
        );
        assert!(
            PartlyLabelled::new(&x, &partial)
                .unwrap()
                .check(Accepts::empty())
                .is_ok()
        );
        assert!(
            Linked::new(&x, &[(0, 1)], &[])
                .unwrap()
                .check(Accepts::empty())
                .is_ok()
        );
    }

    #[test]
    fn slices_keep_weights_and_targets_beside_their_rows() {
        let x = array![[1.0], [2.0], [3.0]];
        let weights = [1.0, 2.0, 3.0];
        let targets = [4.0, 5.0, 6.0];
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let measured = Measured::new(samples, &targets).unwrap();
        let tail = measured.slice(1..3);
        assert_eq!(tail.samples.weights().unwrap().to_vec(), [2.0, 3.0]);
        assert_eq!(tail.targets, array![[5.0], [6.0]]);
        assert_eq!(tail.samples.dense().unwrap(), array![[2.0], [3.0]]);
        assert_eq!(
            measured.samples.select(&[2, 0]).weights().unwrap().to_vec(),
            [3.0, 1.0]
        );
    }
}
