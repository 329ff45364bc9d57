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

/// The place of a head, which counts what follows it. What serde announces is written at once; at
/// the end the head is replaced where something else came, which moves all that follows.
struct Head {
    start: usize,
    /// Bytes of the head that was written.
    length: usize,
}

impl Head {
    fn announce(output: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let start = output.len();
        write(output);
        let length = output.len() - start;
        Head { start, length }
    }

    /// Where the counted items begin.
    fn end(&self) -> usize {
        self.start + self.length
    }

    fn settle(&mut self, output: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        let mut head = Vec::new();
        write(&mut head);
        let written = self.start..self.end();
        if output[written.clone()] != head {
            self.length = head.len();
            output.splice(written, head);
        }
    }
}

/// Elements are written as they come, real numbers packed as long as there is nothing else.
pub(super) struct Elements<'a> {
    encoder: &'a mut Encoder,
    head: Head,
    /// How many serde announced; none where it does not know.
    expected: u64,
    count: u64,
    all_floats: bool,
}

impl<'a> Elements<'a> {
    fn new(encoder: &'a mut Encoder, length: Option<usize>) -> Self {
        encoder.output.reserve(PACKED * length.unwrap_or(0));
        let expected = length.unwrap_or(0) as u64;
        // Most that is long is real numbers; anything else shows with the first element.
        let head = Head::announce(&mut encoder.output, |output| {
            put_head_of_elements(output, expected, true);
        });
        Elements {
            encoder,
            head,
            expected,
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
        let packed = output.split_off(self.head.end());
        self.head.settle(output, |output| {
            put_head_of_elements(output, self.expected, false);
        });
        for value in packed.chunks_exact(PACKED) {
            output.push(FLOAT64);
            output.extend(value.iter().rev());
        }
        output.extend(other);
        self.all_floats = false;
    }

    fn finish(mut self) -> std::result::Result<(), Fault> {
        self.head.settle(&mut self.encoder.output, |output| {
            put_head_of_elements(output, self.count, self.all_floats);
        });
        self.encoder.wrote_something_else();
        Ok(())
    }
}

/// The head of so many elements, packed where all of them are real numbers.
fn put_head_of_elements(output: &mut Vec<u8>, count: u64, all_floats: bool) {
    if all_floats && count > 0 {
        put_head(output, major::TAG, TAG_FLOAT64_LITTLE_ENDIAN);
        put_head(output, major::BYTES, PACKED as u64 * count);
    } else {
        put_head(output, major::ARRAY, count);
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
    fn serialize_tuple(self, length: usize) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self, Some(length)))
    }
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> std::result::Result<Elements<'a>, Fault> {
        Ok(Elements::new(self, Some(length)))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> std::result::Result<Elements<'a>, Fault> {
        self.variant(variant);
        Ok(Elements::new(self, Some(length)))
    }
    fn serialize_map(self, length: Option<usize>) -> std::result::Result<Entries<'a>, Fault> {
        Ok(Entries::new(self, length.unwrap_or(0)))
    }
    fn serialize_struct(
        self,
        _: &'static str,
        length: usize,
    ) -> std::result::Result<Entries<'a>, Fault> {
        Ok(Entries::new(self, length))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> std::result::Result<Entries<'a>, Fault> {
        self.variant(variant);
        Ok(Entries::new(self, length))
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

/// Keys and values of a map or struct.
pub(super) struct Entries<'a> {
    encoder: &'a mut Encoder,
    head: Head,
    count: u64,
}

impl<'a> Entries<'a> {
    fn new(encoder: &'a mut Encoder, expected: usize) -> Self {
        let head = Head::announce(&mut encoder.output, |output| {
            put_head(output, major::MAP, expected as u64);
        });
        Entries {
            encoder,
            head,
            count: 0,
        }
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.encoder.text(name);
        self.count += 1;
        value.serialize(&mut *self.encoder)
    }

    fn finish(mut self) -> Written {
        self.head.settle(&mut self.encoder.output, |output| {
            put_head(output, major::MAP, self.count);
        });
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
