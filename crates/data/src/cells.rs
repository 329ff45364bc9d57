//! What the text of one cell can mean: a number, yes or no, a time, or a word.

use crate::number::leading_number;
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

/// A decimal number, as the standard library reads it.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    match leading_number(text.as_bytes()) {
        Some((value, length)) if length == text.len() => Some(value),
        _ => text.parse().ok(),
    }
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

    /// Whether some word, such as -999, could be taken for a number.
    pub(crate) fn has_numbers(&self) -> bool {
        let is_number = |word: &String| leading_number(word.as_bytes()).is_some();
        self.words.iter().any(is_number)
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
    fn hard_numbers_read_as_in_the_standard_library() {
        for text in [
            "1e400",
            "-1e400",
            "1e-400",
            "5e-324",
            "2.4703282292062328e-324",
            "2.4703282292062327e-324",
            "2.2250738585072011e-308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "9007199254740993",
            "9007199254740992.5",
            "9007199254740993.00000000000000000000001",
            "0.500000000000000166533453693773481063544750213623046875",
            "nan",
            "-nan",
            "infinity",
            ".5",
            "5.",
            "+1",
            "1_000",
            " 1",
            "1 ",
            "1e",
            "e1",
            "-.e1",
            "00000000000000000000000001",
        ] {
            let bits = |number: Option<f64>| number.map(f64::to_bits);
            assert_eq!(bits(parse_number(text)), bits(text.parse().ok()), "{text}");
        }
    }

    #[test]
    fn missing_words_that_look_like_numbers_are_known() {
        assert!(!Missing::new(&crate::ReadOptions::default().missing).has_numbers());
        assert!(Missing::new(&["NA".to_owned(), "-999".to_owned()]).has_numbers());
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

        #[test]
        fn every_text_reads_as_in_the_standard_library(
            text in "[-+]?([0-9]{0,30}\\.?[0-9]{0,30}([eE][-+]?[0-9]{0,4})?|nan|inf|[-+.eE_ 0-9]{0,12})",
        ) {
            let bits = |number: Option<f64>| number.map(f64::to_bits);
            prop_assert_eq!(bits(parse_number(&text)), bits(text.parse().ok()));
        }
    }
}
