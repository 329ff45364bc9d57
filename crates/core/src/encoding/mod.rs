//! The body of model files and of summaries that travel: CBOR, written and read through serde.
//!
//! The bytes describe themselves (names of fields, kinds of values), so any CBOR tool can show
//! them. Sequences of real numbers are packed as typed arrays (RFC 8746, tag 86: binary64,
//! little endian), which makes a matrix eight bytes a value without a line in the models.
//! Reading never allocates more than the input can fill, and never recurses without limit.

mod read;
mod write;

use crate::{Error, Result};
use serde::de::{self, Deserialize};
use serde::ser::{self, Serialize};
use std::fmt::Display;

const TAG_FLOAT64_LITTLE_ENDIAN: u64 = 86;

/// Writes a value.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut encoder = write::Encoder::default();
    value
        .serialize(&mut encoder)
        .map_err(|Fault(message)| Error::ModelFile(message))?;
    Ok(encoder.into_bytes())
}

/// Reads a value; the whole input must be used up.
pub fn from_bytes<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Result<T> {
    let mut decoder = read::Decoder::new(input);
    let value = T::deserialize(&mut decoder)
        .map_err(|Fault(message)| Error::ModelFile(format!("the body is damaged: {message}")))?;
    match decoder.is_finished() {
        true => Ok(value),
        false => Err(Error::ModelFile(
            "the body is damaged: bytes are left over".to_owned(),
        )),
    }
}

/// What serde reports while writing or reading.
#[derive(Debug)]
struct Fault(String);

impl Display for Fault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl ser::Error for Fault {
    fn custom<T: Display>(message: T) -> Self {
        Fault(message.to_string())
    }
}

impl de::Error for Fault {
    fn custom<T: Display>(message: T) -> Self {
        Fault(message.to_string())
    }
}

type Written = std::result::Result<(), Fault>;

fn fault<T>(message: &str) -> std::result::Result<T, Fault> {
    Err(Fault(message.to_owned()))
}

/// The kinds of CBOR items (RFC 8949, section 3.1).
mod major {
    pub(super) const UNSIGNED: u8 = 0;
    pub(super) const NEGATIVE: u8 = 1;
    pub(super) const BYTES: u8 = 2;
    pub(super) const TEXT: u8 = 3;
    pub(super) const ARRAY: u8 = 4;
    pub(super) const MAP: u8 = 5;
    pub(super) const TAG: u8 = 6;
    pub(super) const SIMPLE: u8 = 7;
}

const FALSE: u8 = 0xf4;
const TRUE: u8 = 0xf5;
const NULL: u8 = 0xf6;
const FLOAT64: u8 = 0xfb;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassName, Classes};
    use ndarray::{Array2, Array3};
    use serde::ser::SerializeSeq;
    use serde::{Deserialize, Serialize, Serializer};
    use std::collections::BTreeMap;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Choice {
        Nothing,
        One(f64),
        Two(u8, String),
        Named { depth: i64, values: Vec<f64> },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Everything {
        matrix: Array2<f64>,
        tensor: Array3<f64>,
        classes: Classes,
        choices: Vec<Choice>,
        holes: Vec<Option<f64>>,
        map: BTreeMap<String, Vec<usize>>,
        pair: (f64, i32),
        flags: Vec<bool>,
        empty: Vec<f64>,
        unit: (),
        letter: char,
    }

    fn everything() -> Everything {
        Everything {
            matrix: Array2::from_shape_fn((3, 4), |(i, j)| i as f64 - 0.1 * j as f64),
            tensor: Array3::zeros((0, 2, 2)),
            classes: Classes::new([ClassName::Integer(-5), ClassName::Text("ü".into())]),
            choices: vec![
                Choice::Nothing,
                Choice::One(f64::INFINITY),
                Choice::Two(7, "x".repeat(300)),
                Choice::Named {
                    depth: i64::MIN,
                    values: vec![1.0; 70_000],
                },
            ],
            holes: vec![Some(1.0), None, Some(f64::MIN_POSITIVE)],
            map: BTreeMap::from([("a".into(), vec![0, 23, 24, 255, 256, 65_536, usize::MAX])]),
            pair: (0.5, -1),
            flags: vec![true, false],
            empty: vec![],
            unit: (),
            letter: 'é',
        }
    }

    #[test]
    fn everything_comes_back_as_it_was() {
        let bytes = to_bytes(&everything()).unwrap();
        assert_eq!(from_bytes::<Everything>(&bytes).unwrap(), everything());
    }

    #[test]
    fn matrices_take_eight_bytes_a_value() {
        let matrix = Array2::<f64>::zeros((100, 100));
        assert!(to_bytes(&matrix).unwrap().len() < 80_000 + 100);
    }

    #[test]
    fn real_numbers_keep_every_bit() {
        let values = vec![f64::NAN, -0.0, f64::NEG_INFINITY, 1e-310, 0.1 + 0.2];
        let back: Vec<f64> = from_bytes(&to_bytes(&values).unwrap()).unwrap();
        let bits = |values: &[f64]| {
            values
                .iter()
                .map(|value| value.to_bits())
                .collect::<Vec<_>>()
        };
        assert_eq!(bits(&back), bits(&values));
    }

    /// Items of which serde is told another number than come.
    struct Announced<T>(Option<usize>, Vec<T>);

    impl<T: Serialize> Serialize for Announced<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            let mut elements = serializer.serialize_seq(self.0)?;
            self.1
                .iter()
                .try_for_each(|item| elements.serialize_element(item))?;
            elements.end()
        }
    }

    #[test]
    fn elements_are_counted_whatever_was_announced() {
        let reals = vec![0.1; 40];
        let texts = vec!["x"; 40];
        for announced in [None, Some(0), Some(1), Some(40), Some(300)] {
            assert_eq!(
                to_bytes(&Announced(announced, reals.clone())).unwrap(),
                to_bytes(&reals).unwrap()
            );
            assert_eq!(
                to_bytes(&Announced(announced, texts.clone())).unwrap(),
                to_bytes(&texts).unwrap()
            );
            assert_eq!(
                to_bytes(&Announced::<f64>(announced, vec![])).unwrap(),
                to_bytes(&Vec::<f64>::new()).unwrap()
            );
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let small = Everything {
            choices: vec![
                Choice::Named {
                    depth: 3,
                    values: vec![1.0, 2.0],
                },
                Choice::Nothing,
            ],
            ..everything()
        };
        let bytes = to_bytes(&small).unwrap();
        for length in 0..bytes.len() {
            assert!(
                from_bytes::<Everything>(&bytes[..length]).is_err(),
                "{length}"
            );
        }
    }

    #[test]
    fn a_lying_length_and_endless_nesting_are_errors() {
        // A list that claims 2⁶⁰ items, and ten thousand nested lists.
        let lying = [0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0, 1];
        assert!(from_bytes::<Vec<u64>>(&lying).is_err());
        let nested = vec![0x81; 10_000];
        assert!(from_bytes::<serde_json::Value>(&nested).is_err());
    }
}
