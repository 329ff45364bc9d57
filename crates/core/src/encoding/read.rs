//! Reading: CBOR to serde. Nothing is allocated that the input could not fill.

use super::{Fault, NULL, TAG_FLOAT64_LITTLE_ENDIAN, Written, fault, major};
use serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};

/// Nothing that is written is nested more deeply than this.
const DEEPEST: usize = 64;

pub(super) struct Decoder<'de> {
    /// What has not been read yet.
    input: &'de [u8],
    depth: usize,
}

impl<'de> Decoder<'de> {
    pub(super) fn new(input: &'de [u8]) -> Self {
        Decoder { input, depth: 0 }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.input.is_empty()
    }

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
