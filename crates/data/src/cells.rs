//! What the text of one cell can mean: a number, yes or no, a time, or a word.

use crate::time::parse_time;
use didact_core::ColumnKind;

/// The kinds that every value of a column seen so far can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidates(u8);

const NUMBER: u8 = 1;
const BOOLEAN: u8 = 2;
const TIME: u8 = 4;
const UNSEEN: u8 = 8;

impl Candidates {
    /// Nothing seen yet: everything is possible.
    pub(crate) const ALL: Candidates = Candidates(NUMBER | BOOLEAN | TIME | UNSEEN);
    /// Only a word can be meant.
    pub(crate) const WORD: Candidates = Candidates(0);

    /// What one text can mean.
    pub(crate) fn of_text(text: &str) -> Candidates {
        Candidates(if parse_number(text).is_some() {
            NUMBER
        } else if parse_boolean(text).is_some() {
            BOOLEAN
        } else if parse_time(text).is_some() {
            TIME
        } else {
            0
        })
    }

    /// Exactly one kind.
    pub(crate) fn only(kind: ColumnKind) -> Candidates {
        Candidates(match kind {
            ColumnKind::Number => NUMBER,
            ColumnKind::Boolean => BOOLEAN,
            ColumnKind::Time => TIME,
            ColumnKind::Category => 0,
        })
    }

    /// What both can mean.
    pub(crate) fn and(self, other: Candidates) -> Candidates {
        Candidates(self.0 & other.0)
    }

    /// Whether a further text cannot narrow the choice.
    pub(crate) fn is_settled(self) -> bool {
        self == Candidates::WORD
    }

    /// Whether no value was seen at all.
    pub(crate) fn is_unseen(self) -> bool {
        self.0 & UNSEEN != 0
    }

    /// The kind of the column; one without any value counts as numbers.
    pub(crate) fn kind(self) -> ColumnKind {
        match self.0 {
            bits if bits & NUMBER != 0 => ColumnKind::Number,
            bits if bits & BOOLEAN != 0 => ColumnKind::Boolean,
            bits if bits & TIME != 0 => ColumnKind::Time,
            _ => ColumnKind::Category,
        }
    }
}

/// The powers of ten that are exact in double precision and that the short path needs.
const POWERS: [f64; 16] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// A decimal number.
///
/// Up to 15 digits without an exponent are an exact integer divided by an exact power of ten,
/// which rounds correctly; everything else goes to the standard library.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let (negative, body) = match bytes.first()? {
        b'-' => (true, &bytes[1..]),
        b'+' => (false, &bytes[1..]),
        _ => (false, bytes),
    };
    if body.is_empty() || body.len() > 16 {
        return text.parse().ok();
    }
    let (mut mantissa, mut digits, mut after_point, mut point) = (0_u64, 0, 0, false);
    for &byte in body {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                digits += 1;
                after_point += usize::from(point);
            }
            b'.' if !point => point = true,
            _ => return text.parse().ok(),
        }
    }
    if digits == 0 {
        return None;
    }
    if digits > 15 {
        return text.parse().ok();
    }
    let value = mantissa as f64 / POWERS[after_point];
    Some(if negative { -value } else { value })
}

/// Yes or no in words.
pub(crate) fn parse_boolean(text: &str) -> Option<bool> {
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match text.len() {
        2 if is("no") => Some(false),
        3 if is("yes") => Some(true),
        4 if is("true") => Some(true),
        5 if is("false") => Some(false),
        _ => None,
    }
}

/// The shortest text that reads back as the same number.
pub(crate) fn format_number(value: f64) -> String {
    let size = value.abs();
    match value == 0.0 || (1e-5..1e16).contains(&size) || !value.is_finite() {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

/// The words that stand for a missing value.
#[derive(Clone, Debug)]
pub(crate) struct Missing {
    words: Vec<String>,
    longest: usize,
    /// Whether some word starts with this byte: most cells need no further look.
    first_bytes: [bool; 256],
    empty: bool,
}

impl Missing {
    pub(crate) fn new(words: &[String]) -> Missing {
        let mut first_bytes = [false; 256];
        for word in words {
            if let Some(&byte) = word.as_bytes().first() {
                first_bytes[byte as usize] = true;
            }
        }
        Missing {
            longest: words.iter().map(String::len).max().unwrap_or(0),
            empty: words.iter().any(String::is_empty),
            words: words.to_vec(),
            first_bytes,
        }
    }

    /// Whether the text stands for a missing value.
    pub(crate) fn contains(&self, text: &str) -> bool {
        match text.as_bytes().first() {
            None => self.empty,
            Some(&byte) => {
                self.first_bytes[byte as usize]
                    && text.len() <= self.longest
                    && self.words.iter().any(|word| word == text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_usual_notation_of_a_number_is_read() {
        for (text, value) in [
            ("3", 3.0),
            ("-0.5", -0.5),
            ("+7", 7.0),
            (".25", 0.25),
            ("4.", 4.0),
            ("1e-3", 1e-3),
            ("0.1", 0.1),
            ("123456789012345678", 123456789012345678.0),
            ("-inf", f64::NEG_INFINITY),
        ] {
            assert_eq!(parse_number(text), Some(value), "{text}");
        }
        for text in [
            "", "-", "+", ".", "1.2.3", "1,5", "0x10", "1_000", "--1", "abc", "1 2",
        ] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }

    #[test]
    fn kinds_narrow_down_to_words() {
        let of = |texts: &[&str]| {
            texts
                .iter()
                .fold(Candidates::ALL, |all, text| {
                    all.and(Candidates::of_text(text))
                })
                .kind()
        };
        assert_eq!(of(&["1", "2.5"]), ColumnKind::Number);
        assert_eq!(of(&["TRUE", "no"]), ColumnKind::Boolean);
        assert_eq!(of(&["2024-01-01", "2024-01-01T10:00"]), ColumnKind::Time);
        assert_eq!(of(&["1", "true"]), ColumnKind::Category);
        assert_eq!(of(&[]), ColumnKind::Number);
    }

    proptest! {
        #[test]
        fn numbers_round_trip(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO) {
            prop_assert_eq!(parse_number(&format_number(value)).map(f64::to_bits), Some(value.to_bits()));
        }

        #[test]
        fn the_short_path_rounds_like_the_standard_library(text in "[-+]?[0-9]{0,9}\\.?[0-9]{0,9}") {
            prop_assert_eq!(parse_number(&text), text.parse::<f64>().ok());
        }
    }
}
