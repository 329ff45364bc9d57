//! Writing: serde to CBOR.

use super::{FALSE, FLOAT64, Fault, NULL, TAG_FLOAT64_LITTLE_ENDIAN, TRUE, Written, major};
use serde::ser::{self, Serialize};

#[derive(Default)]
pub(super) struct Encoder {
    output: Vec<u8>,
    /// Whether the item written last was a real number: decides what can be packed.
    wrote_float: bool,
    /// Whether a real number that comes next is an element among others and written packed.
    packs: bool,
}

impl Encoder {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.output
    }

    fn head(&mut self, major: u8, argument: u64) {
        self.wrote_something_else();
        put_head(&mut self.output, major, argument);
    }

    fn byte(&mut self, byte: u8) {
        self.wrote_something_else();
        self.output.push(byte);
    }

    /// What was or will be written is no bare real number.
    fn wrote_something_else(&mut self) {
        self.wrote_float = false;
        self.packs = false;
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

/// Writes the first bytes of an item: its kind and, in the shortest form, its argument.
fn put_head(output: &mut Vec<u8>, major: u8, argument: u64) {
    let kind = major << 5;
    let (first, used) = match argument {
        0..=23 => (argument as u8, 0),
        24..=0xff => (24, 1),
        0x100..=0xffff => (25, 2),
        0x1_0000..=0xffff_ffff => (26, 4),
        _ => (27, 8),
    };
    output.push(kind | first);
    output.extend_from_slice(&argument.to_be_bytes()[8 - used..]);
}

/// Bytes of a real number that is packed.
const PACKED: usize = 8;

/// Elements are written as they come, real numbers packed as long as there is nothing else; at the
/// end the head is put before them.
pub(super) struct Elements<'a> {
    encoder: &'a mut Encoder,
    start: usize,
    count: u64,
    all_floats: bool,
}

impl<'a> Elements<'a> {
    fn new(encoder: &'a mut Encoder, length: Option<usize>) -> Self {
        let start = encoder.output.len();
        encoder.output.reserve(PACKED * length.unwrap_or(0));
        Elements {
            encoder,
            start,
            count: 0,
            all_floats: true,
        }
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> std::result::Result<(), Fault> {
        let place = self.encoder.output.len();
        self.encoder.packs = self.all_floats;
        value.serialize(&mut *self.encoder)?;
        if self.all_floats && !self.encoder.wrote_float {
            self.unpack_before(place);
        }
        self.count += 1;
        Ok(())
    }

    /// Gives the packed numbers before this place their kinds back: something else came after them.
    fn unpack_before(&mut self, place: usize) {
        let output = &mut self.encoder.output;
        let other = output.split_off(place);
        let packed = output.split_off(self.start);
        for value in packed.chunks_exact(PACKED) {
            output.push(FLOAT64);
            output.extend(value.iter().rev());
        }
        output.extend(other);
        self.all_floats = false;
    }

    fn finish(self) -> std::result::Result<(), Fault> {
        let mut head = Vec::new();
        if self.all_floats && self.count > 0 {
            put_head(&mut head, major::TAG, TAG_FLOAT64_LITTLE_ENDIAN);
            put_head(&mut head, major::BYTES, PACKED as u64 * self.count);
        } else {
            put_head(&mut head, major::ARRAY, self.count);
        }
        self.encoder.output.splice(self.start..self.start, head);
        self.encoder.wrote_something_else();
        Ok(())
    }
}

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
        if self.packs {
            self.output.extend_from_slice(&value.to_le_bytes());
        } else {
            self.output.push(FLOAT64);
            self.output.extend_from_slice(&value.to_be_bytes());
        }
        self.wrote_float = true;
        self.packs = false;
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
        // An absent neighbour would make the packed form ambiguous: options are never packed.
        self.packs = false;
        value.serialize(&mut *self)?;
        self.wrote_something_else();
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
        self.wrote_something_else();
        Ok(())
    }
    fn serialize_seq(self, length: Option<usize>) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self, length))
    }
    fn serialize_tuple(self, _: usize) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self, None))
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self, None))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> std::result::Result<Elements<'a>, Fault> {
        self.variant(variant);
        Ok(Elements::new(self, None))
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
pub(super) struct Entries<'a> {
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
        let mut head = Vec::new();
        put_head(&mut head, major::MAP, self.count);
        self.encoder.output.splice(self.start..self.start, head);
        self.encoder.wrote_something_else();
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
