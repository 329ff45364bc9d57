//! One JSON object as the cells of a row, borrowed from its line.

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The keys and cells of an object, in their order.
#[derive(Debug, PartialEq)]
pub(crate) struct Row<'a>(pub(crate) Vec<(Cow<'a, str>, Cell<'a>)>);

/// A value of an object.
#[derive(Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Missing,
    Boolean(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List,
    Object,
}

impl fmt::Display for Cell<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Missing => formatter.write_str("null"),
            Cell::Boolean(value) => value.fmt(formatter),
            Cell::Number(value) => value.fmt(formatter),
            Cell::Text(text) => formatter.write_str(text),
            Cell::List => formatter.write_str("a list"),
            Cell::Object => formatter.write_str("an object"),
        }
    }
}

impl<'de> Deserialize<'de> for Row<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Row<'de>, A::Error> {
        let mut cells = Vec::new();
        while let Some((Key(key), cell)) = map.next_entry()? {
            cells.push((key, cell));
        }
        Ok(Row(cells))
    }
}

/// A key that borrows from the line unless it has escapes, which `Cow` by itself never does.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(CellVisitor)? {
            Cell::Text(text) => Ok(Key(text)),
            other => Err(D::Error::custom(format!("the key is {other}"))),
        }
    }
}

impl<'de> Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Cell<'de>, E> {
        Ok(Cell::Missing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Cell<'de>, E> {
        Ok(Cell::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Cell<'de>, E> {
        Ok(Cell::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Cell<'de>, E> {
        Ok(Cell::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Cell<'de>, E> {
        Ok(Cell::Number(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cell<'de>, E> {
        Ok(Cell::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cell<'de>, E> {
        Ok(Cell::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Cell<'de>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cell::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cell<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_is_told_apart_and_plain_text_is_borrowed() {
        let line = r#"{"a": null, "b": true, "c": -3, "d": 2.5e1, "e": "x", "f\u0041": "\n", "g": [1, {}], "h": {"i": 1}}"#;
        let Row(cells) = serde_json::from_str(line).unwrap();
        let names: Vec<&str> = cells.iter().map(|(name, _)| name.as_ref()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e", "fA", "g", "h"]);
        let values: Vec<&Cell<'_>> = cells.iter().map(|(_, cell)| cell).collect();
        assert_eq!(
            values[..4],
            [
                &Cell::Missing,
                &Cell::Boolean(true),
                &Cell::Number(-3.0),
                &Cell::Number(25.0)
            ]
        );
        assert!(matches!(values[4], Cell::Text(Cow::Borrowed("x"))));
        assert!(matches!(values[5], Cell::Text(Cow::Owned(text)) if text == "\n"));
        assert_eq!(values[6..], [&Cell::List, &Cell::Object]);
        for broken in ["[1]", "{\"a\"", "{\"a\": 1} 2", "{\"a\": 1e999}"] {
            assert!(serde_json::from_str::<Row<'_>>(broken).is_err(), "{broken}");
        }
    }
}
