//! The body of model files and of summaries that travel: CBOR, written and read through serde.
//!
//! The bytes describe themselves (names of fields, kinds of values), so any CBOR tool can show
//! them. Sequences of real numbers are packed as typed arrays (RFC 8746, tag 86: binary64,
//! little endian), which makes a matrix eight bytes a value without a line in the models.
//! Reading never allocates more than the input can fill, and never recurses without limit.

use crate::{Error, Result};
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use serde::ser::{self, Serialize};
use std::fmt::Display;

const TAG_FLOAT64_LITTLE_ENDIAN: u64 = 86;
const DEEPEST: usize = 64;

/// Writes a value.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>> {
    let mut encoder = Encoder::default();
    value
        .serialize(&mut encoder)
        .map_err(|Fault(message)| Error::ModelFile(message))?;
    Ok(encoder.output)
}

/// Reads a value; the whole input must be used up.
pub fn from_bytes<T: DeserializeOwned>(input: &[u8]) -> Result<T> {
    let mut decoder = Decoder { input, depth: 0 };
    let value = T::deserialize(&mut decoder)
        .map_err(|Fault(message)| Error::ModelFile(format!("the body is damaged: {message}")))?;
    match decoder.input.is_empty() {
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

#[derive(Default)]
struct Encoder {
    output: Vec<u8>,
    /// Whether the item written last was a real number: decides what can be packed.
    wrote_float: bool,
}

impl Encoder {
    fn head(&mut self, major: u8, argument: u64) {
        self.wrote_float = false;
        self.output.extend(head_bytes(major, argument));
    }

    fn byte(&mut self, byte: u8) {
        self.wrote_float = false;
        self.output.push(byte);
    }

    fn text(&mut self, text: &str) {
        self.head(major::TEXT, text.len() as u64);
        self.output.extend_from_slice(text.as_bytes());
    }

    /// Starts `{variant: …}`, the form of an enum variant with content.
    fn variant(&mut self, name: &str) {
        self.head(major::MAP, 1);
        self.text(name);
    }
}

/// The first bytes of an item: its kind and, in the shortest form, its argument.
fn head_bytes(major: u8, argument: u64) -> Vec<u8> {
    let kind = major << 5;
    let bytes = argument.to_be_bytes();
    match argument {
        0..=23 => vec![kind | argument as u8],
        24..=0xff => vec![kind | 24, argument as u8],
        0x100..=0xffff => [&[kind | 25], &bytes[6..]].concat(),
        0x1_0000..=0xffff_ffff => [&[kind | 26], &bytes[4..]].concat(),
        _ => [&[kind | 27], &bytes[..]].concat(),
    }
}

/// Elements are written as they come; at the end the head is put before them, and if all of
/// them were real numbers they are packed in place.
struct Elements<'a> {
    encoder: &'a mut Encoder,
    start: usize,
    count: u64,
    all_floats: bool,
}

impl<'a> Elements<'a> {
    fn new(encoder: &'a mut Encoder) -> Self {
        let start = encoder.output.len();
        Elements {
            encoder,
            start,
            count: 0,
            all_floats: true,
        }
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> std::result::Result<(), Fault> {
        value.serialize(&mut *self.encoder)?;
        self.count += 1;
        self.all_floats &= self.encoder.wrote_float;
        Ok(())
    }

    fn finish(self) -> std::result::Result<(), Fault> {
        let output = &mut self.encoder.output;
        let mut head = head_bytes(major::ARRAY, self.count);
        if self.all_floats && self.count > 0 {
            head = head_bytes(major::TAG, TAG_FLOAT64_LITTLE_ENDIAN);
            head.extend(head_bytes(major::BYTES, 8 * self.count));
            for index in 0..self.count as usize {
                let from = self.start + 9 * index + 1;
                let mut value: [u8; 8] = output[from..from + 8].try_into().expect("eight bytes");
                value.reverse();
                let to = self.start + 8 * index;
                output[to..to + 8].copy_from_slice(&value);
            }
            output.truncate(self.start + 8 * self.count as usize);
        }
        output.splice(self.start..self.start, head);
        self.encoder.wrote_float = false;
        Ok(())
    }
}

type Written = std::result::Result<(), Fault>;

impl<'a> ser::Serializer for &'a mut Encoder {
    type Ok = ();
    type Error = Fault;
    type SerializeSeq = Elements<'a>;
    type SerializeTuple = Elements<'a>;
    type SerializeTupleStruct = Elements<'a>;
    type SerializeTupleVariant = Elements<'a>;
    type SerializeMap = Entries<'a>;
    type SerializeStruct = Entries<'a>;
    type SerializeStructVariant = Entries<'a>;

    fn serialize_bool(self, value: bool) -> Written {
        self.byte(if value { TRUE } else { FALSE });
        Ok(())
    }
    fn serialize_i8(self, value: i8) -> Written {
        self.serialize_i64(value.into())
    }
    fn serialize_i16(self, value: i16) -> Written {
        self.serialize_i64(value.into())
    }
    fn serialize_i32(self, value: i32) -> Written {
        self.serialize_i64(value.into())
    }
    fn serialize_i64(self, value: i64) -> Written {
        match value {
            0.. => self.head(major::UNSIGNED, value as u64),
            // −1 − n is written as n, and !value is −1 − value.
            _ => self.head(major::NEGATIVE, !value as u64),
        }
        Ok(())
    }
    fn serialize_u8(self, value: u8) -> Written {
        self.serialize_u64(value.into())
    }
    fn serialize_u16(self, value: u16) -> Written {
        self.serialize_u64(value.into())
    }
    fn serialize_u32(self, value: u32) -> Written {
        self.serialize_u64(value.into())
    }
    fn serialize_u64(self, value: u64) -> Written {
        self.head(major::UNSIGNED, value);
        Ok(())
    }
    fn serialize_f32(self, value: f32) -> Written {
        self.serialize_f64(value.into())
    }
    fn serialize_f64(self, value: f64) -> Written {
        self.byte(FLOAT64);
        self.output.extend_from_slice(&value.to_be_bytes());
        self.wrote_float = true;
        Ok(())
    }
    fn serialize_char(self, value: char) -> Written {
        self.text(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }
    fn serialize_str(self, value: &str) -> Written {
        self.text(value);
        Ok(())
    }
    fn serialize_bytes(self, value: &[u8]) -> Written {
        self.head(major::BYTES, value.len() as u64);
        self.output.extend_from_slice(value);
        Ok(())
    }
    fn serialize_none(self) -> Written {
        self.byte(NULL);
        Ok(())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(&mut *self)?;
        // An absent neighbour would make the packed form ambiguous: options are never packed.
        self.wrote_float = false;
        Ok(())
    }
    fn serialize_unit(self) -> Written {
        self.serialize_none()
    }
    fn serialize_unit_struct(self, _name: &'static str) -> Written {
        self.serialize_none()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.text(variant);
        Ok(())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Written {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        self.variant(variant);
        value.serialize(&mut *self)?;
        self.wrote_float = false;
        Ok(())
    }
    fn serialize_seq(self, _: Option<usize>) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self))
    }
    fn serialize_tuple(self, _: usize) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self))
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> std::result::Result<Elements<'a>, Fault> {
        self.variant(variant);
        Ok(Elements::new(self))
    }
    fn serialize_map(self, _: Option<usize>) -> std::result::Result<Entries<'a>, Fault> {
        Ok(Entries::new(self))
    }
    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> std::result::Result<Entries<'a>, Fault> {
        Ok(Entries::new(self))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> std::result::Result<Entries<'a>, Fault> {
        self.variant(variant);
        Ok(Entries::new(self))
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

impl ser::SerializeSeq for Elements<'_> {
    type Ok = ();
    type Error = Fault;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.push(value)
    }
    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeTuple for Elements<'_> {
    type Ok = ();
    type Error = Fault;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.push(value)
    }
    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeTupleStruct for Elements<'_> {
    type Ok = ();
    type Error = Fault;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.push(value)
    }
    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeTupleVariant for Elements<'_> {
    type Ok = ();
    type Error = Fault;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.push(value)
    }
    fn end(self) -> Written {
        self.finish()
    }
}

/// Keys and values of a map or struct; the head, which counts them, is put before at the end.
struct Entries<'a> {
    encoder: &'a mut Encoder,
    start: usize,
    count: u64,
}

impl<'a> Entries<'a> {
    fn new(encoder: &'a mut Encoder) -> Self {
        let start = encoder.output.len();
        Entries {
            encoder,
            start,
            count: 0,
        }
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.encoder.text(name);
        self.count += 1;
        value.serialize(&mut *self.encoder)
    }

    fn finish(self) -> Written {
        let head = head_bytes(major::MAP, self.count);
        self.encoder.output.splice(self.start..self.start, head);
        self.encoder.wrote_float = false;
        Ok(())
    }
}

impl ser::SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = Fault;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        self.count += 1;
        key.serialize(&mut *self.encoder)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        value.serialize(&mut *self.encoder)
    }
    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeStruct for Entries<'_> {
    type Ok = ();
    type Error = Fault;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.field(name, value)
    }
    fn end(self) -> Written {
        self.finish()
    }
}

impl ser::SerializeStructVariant for Entries<'_> {
    type Ok = ();
    type Error = Fault;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.field(name, value)
    }
    fn end(self) -> Written {
        self.finish()
    }
}

struct Decoder<'de> {
    /// What has not been read yet.
    input: &'de [u8],
    depth: usize,
}

impl<'de> Decoder<'de> {
    fn take(&mut self, count: u64) -> std::result::Result<&'de [u8], Fault> {
        if count > self.input.len() as u64 {
            return fault("it ends too early");
        }
        let (taken, rest) = self.input.split_at(count as usize);
        self.input = rest;
        Ok(taken)
    }

    fn head(&mut self) -> std::result::Result<(u8, u8, u64), Fault> {
        let first = self.take(1)?[0];
        let (major, info) = (first >> 5, first & 31);
        let argument = match info {
            0..=23 => u64::from(info),
            24..=27 => self
                .take(1 << (info - 24))?
                .iter()
                .fold(0, |number, &byte| number << 8 | u64::from(byte)),
            _ => return fault("an item has no definite length"),
        };
        Ok((major, info, argument))
    }

    fn text(&mut self, length: u64) -> std::result::Result<&'de str, Fault> {
        std::str::from_utf8(self.take(length)?).map_err(|_| Fault("a text is not UTF-8".to_owned()))
    }

    fn nested<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> std::result::Result<T, Fault>,
    ) -> std::result::Result<T, Fault> {
        if self.depth == DEEPEST {
            return fault("it is nested too deeply");
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    fn packed(&mut self) -> std::result::Result<&'de [u8], Fault> {
        let (major, _, length) = self.head()?;
        if major != major::BYTES || length % 8 != 0 {
            return fault("a packed list of numbers is malformed");
        }
        self.take(length)
    }
}

impl<'de> de::Deserializer<'de> for &mut Decoder<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> std::result::Result<V::Value, Fault> {
        let (major, info, argument) = self.head()?;
        match major {
            major::UNSIGNED => visitor.visit_u64(argument),
            major::NEGATIVE => match i64::try_from(argument) {
                Ok(number) => visitor.visit_i64(!number),
                Err(_) => fault("a number is too large"),
            },
            major::BYTES => visitor.visit_borrowed_bytes(self.take(argument)?),
            major::TEXT => visitor.visit_borrowed_str(self.text(argument)?),
            major::ARRAY => self.nested(|decoder| {
                let mut items = Items {
                    decoder,
                    left: argument,
                };
                let value = visitor.visit_seq(&mut items)?;
                match items.left {
                    0 => Ok(value),
                    _ => fault("a list is longer than expected"),
                }
            }),
            major::MAP => self.nested(|decoder| {
                let mut items = Items {
                    decoder,
                    left: argument,
                };
                let value = visitor.visit_map(&mut items)?;
                match items.left {
                    0 => Ok(value),
                    _ => fault("a map is longer than expected"),
                }
            }),
            major::TAG if argument == TAG_FLOAT64_LITTLE_ENDIAN => {
                let values = self.packed()?.chunks_exact(8).map(|chunk| {
                    f64::from_le_bytes(chunk.try_into().expect("chunks of eight bytes"))
                });
                let mut values = de::value::SeqDeserializer::new(values);
                let value = visitor.visit_seq(&mut values)?;
                values.end()?;
                Ok(value)
            }
            major::SIMPLE => match (info, argument) {
                (20, _) => visitor.visit_bool(false),
                (21, _) => visitor.visit_bool(true),
                (22, _) => visitor.visit_unit(),
                (27, bits) => visitor.visit_f64(f64::from_bits(bits)),
                _ => fault("an item is of an unknown kind"),
            },
            _ => fault("an item is of an unknown kind"),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(
        self,
        visitor: V,
    ) -> std::result::Result<V::Value, Fault> {
        if self.input.first() == Some(&NULL) {
            self.take(1)?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> std::result::Result<V::Value, Fault> {
        self.nested(|decoder| visitor.visit_newtype_struct(decoder))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, Fault> {
        let (major, _, argument) = self.head()?;
        match (major, argument) {
            (major::TEXT, length) => visitor.visit_enum(self.text(length)?.into_deserializer()),
            (major::MAP, 1) => self.nested(|decoder| visitor.visit_enum(Variant { decoder })),
            _ => fault("a choice is malformed"),
        }
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// What is left of a list or map.
struct Items<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
    left: u64,
}

impl Items<'_, '_> {
    /// Every item takes at least one byte, so a wrong count cannot ask for more memory.
    fn bounded_hint(&self) -> Option<usize> {
        Some(self.left.min(self.decoder.input.len() as u64) as usize)
    }
}

impl<'de> de::SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = Fault;
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> std::result::Result<Option<T::Value>, Fault> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.decoder).map(Some)
    }
    fn size_hint(&self) -> Option<usize> {
        self.bounded_hint()
    }
}

impl<'de> de::MapAccess<'de> for &mut Items<'_, 'de> {
    type Error = Fault;
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> std::result::Result<Option<K::Value>, Fault> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.decoder).map(Some)
    }
    fn next_value_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> std::result::Result<T::Value, Fault> {
        seed.deserialize(&mut *self.decoder)
    }
    fn size_hint(&self) -> Option<usize> {
        self.bounded_hint()
    }
}

/// An enum variant with content.
struct Variant<'a, 'de> {
    decoder: &'a mut Decoder<'de>,
}

impl<'de> de::EnumAccess<'de> for Variant<'_, 'de> {
    type Error = Fault;
    type Variant = Self;
    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> std::result::Result<(T::Value, Self), Fault> {
        let value = seed.deserialize(&mut *self.decoder)?;
        Ok((value, self))
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_, 'de> {
    type Error = Fault;
    fn unit_variant(self) -> Written {
        fault("a choice has content where none belongs")
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> std::result::Result<T::Value, Fault> {
        seed.deserialize(self.decoder)
    }
    fn tuple_variant<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> std::result::Result<V::Value, Fault> {
        de::Deserializer::deserialize_any(self.decoder, visitor)
    }
    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, Fault> {
        de::Deserializer::deserialize_any(self.decoder, visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClassName, Classes};
    use ndarray::{Array2, Array3};
    use serde::{Deserialize, Serialize};
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
