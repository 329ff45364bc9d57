//! The text of a table in waves: large blocks of whole records, cut into pieces for the threads.

use super::scan::cut;
use std::io::Read;
use std::ops::Range;

/// Bytes of a wave: enough to keep many threads busy, few enough to stay in the processor's cache.
const WAVE: usize = 4 << 20;

/// Some whole records of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) first_line: usize,
    /// How many they are, blank lines included; a last one without a line feed is not counted.
    pub(crate) records: usize,
}

/// A chunk by its place in the buffer.
struct Cutting {
    place: Range<usize>,
    first_line: usize,
    records: usize,
}

/// Text that is read wave by wave.
pub(crate) struct Waves<R> {
    reader: R,
    buffer: Vec<u8>,
    /// What is read and not yet handed out.
    rest: Range<usize>,
    line: usize,
    at_end: bool,
}

impl<R: Read> Waves<R> {
    /// Starts to read what is about `length` bytes long.
    pub(crate) fn new(reader: R, length: u64) -> std::io::Result<Waves<R>> {
        // A small file must not pay for a large buffer; one byte more shows the end at once.
        let size = length.saturating_add(1).min(WAVE as u64);
        Waves::of_size(reader, size as usize)
    }

    fn of_size(reader: R, size: usize) -> std::io::Result<Waves<R>> {
        let mut waves = Waves {
            reader,
            buffer: vec![0; size],
            rest: 0..0,
            line: 1,
            at_end: false,
        };
        waves.fill()?;
        Ok(waves)
    }

    /// The text that was read and is not yet handed out.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.rest.clone()]
    }

    /// Leaves out the next `bytes`; the line behind them has the number `line`.
    pub(crate) fn skip(&mut self, bytes: usize, line: usize) -> std::io::Result<()> {
        let end = self.hold(|rest| (bytes <= rest.len()).then_some(bytes))?;
        self.rest.start += end;
        self.line = line;
        Ok(())
    }

    /// Reads on until `enough` finds the end of what is asked for in the rest, or all is read;
    /// returns where that ends.
    pub(crate) fn hold(
        &mut self,
        enough: impl Fn(&[u8]) -> Option<usize>,
    ) -> std::io::Result<usize> {
        loop {
            match enough(self.rest()) {
                Some(end) => return Ok(end),
                None if self.at_end => return Ok(self.rest.len()),
                None => self.read_more()?,
            }
        }
    }

    /// The next wave in chunks of `records` records, the last of them shorter; none at the end.
    pub(crate) fn next(
        &mut self,
        delimiter: u8,
        records: usize,
    ) -> std::io::Result<Vec<Chunk<'_>>> {
        let mut places = Vec::new();
        self.fill()?;
        loop {
            while let Some(place) = self.cut_off(delimiter, records) {
                places.push(place);
            }
            if !places.is_empty() || self.at_end {
                break;
            }
            self.read_more()?;
        }
        let chunk = |cutting: Cutting| Chunk {
            bytes: &self.buffer[cutting.place],
            first_line: cutting.first_line,
            records: cutting.records,
        };
        Ok(places.into_iter().map(chunk).collect())
    }

    /// Cuts the next records from the rest, where it holds any as a whole.
    fn cut_off(&mut self, delimiter: u8, records: usize) -> Option<Cutting> {
        let found = cut(self.rest(), delimiter, records);
        // Fewer records than asked for: at the end, what is left may have no line feed.
        let length = match found.records < records && self.at_end {
            true => self.rest.len(),
            false => found.end,
        };
        if length == 0 {
            return None;
        }
        let (start, first_line) = (self.rest.start, self.line);
        self.rest.start += length;
        self.line += found.lines;
        Some(Cutting {
            place: start..self.rest.start,
            first_line,
            records: found.records,
        })
    }

    /// Reads behind the rest, into twice the space where it fills all there is: a record longer
    /// than that is searched for its end again and again, which doubling keeps linear.
    fn read_more(&mut self) -> std::io::Result<()> {
        if self.rest.len() == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        self.fill()
    }

    /// Moves the rest to the front and fills the buffer behind it.
    fn fill(&mut self) -> std::io::Result<()> {
        self.buffer.copy_within(self.rest.clone(), 0);
        self.rest = 0..self.rest.len();
        while self.rest.end < self.buffer.len() && !self.at_end {
            match self.reader.read(&mut self.buffer[self.rest.end..]) {
                Ok(0) => self.at_end = true,
                Ok(count) => self.rest.end += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every chunk as text, with its first line.
    fn chunks(text: &str, size: usize, records: usize) -> Vec<(String, usize)> {
        let mut waves = Waves::of_size(text.as_bytes(), size).unwrap();
        let mut found = Vec::new();
        loop {
            let wave = waves.next(b',', records).unwrap();
            if wave.is_empty() {
                return found;
            }
            for chunk in wave {
                let text = String::from_utf8(chunk.bytes.to_vec()).unwrap();
                found.push((text, chunk.first_line));
            }
        }
    }

    #[test]
    fn a_wave_never_ends_inside_quotes() {
        let text = "a,\"b\nb\nb\"\n\"c\n\"\"\n\",d\ne,f";
        for size in 1..30 {
            let found = chunks(text, size, 1);
            let expected = [
                ("a,\"b\nb\nb\"\n".to_owned(), 1),
                ("\"c\n\"\"\n\",d\n".to_owned(), 4),
                ("e,f".to_owned(), 7),
            ];
            assert_eq!(found, expected, "waves of {size} bytes");
        }
    }

    #[test]
    fn lines_are_held_before_they_are_handed_out() {
        let mut waves = Waves::of_size("a,b\n1,2\n3,4\n5,6".as_bytes(), 4).unwrap();
        let second_line = |rest: &[u8]| memchr::memchr_iter(b'\n', rest).nth(1);
        assert_eq!(waves.hold(second_line).unwrap(), 7);
        assert_eq!(waves.hold(|_| None).unwrap(), 15);
        waves.skip(4, 2).unwrap();
        assert_eq!(waves.rest(), b"1,2\n3,4\n5,6");
        let wave = waves.next(b',', 2).unwrap();
        assert_eq!((wave[0].first_line, wave[0].records), (2, 2));
        assert_eq!((wave[1].first_line, wave[1].records), (4, 0));
    }

    proptest! {
        #[test]
        fn chunks_put_together_are_the_text(
            text in "[a\", \n]{0,80}",
            size in 1..40_usize,
            records in 1..5_usize,
        ) {
            let found = chunks(&text, size, records);
            let together: String = found.iter().map(|(text, _)| text.as_str()).collect();
            prop_assert_eq!(&together, &text);
            let mut line = 1;
            for (text, first_line) in found {
                prop_assert_eq!(first_line, line);
                line += text.matches('\n').count();
            }
        }
    }
}
