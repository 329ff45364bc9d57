//! Model files: data, never code.
//!
//! ```text
//! didact model 1
//! 812 20480 9f86d081884c7d65      bytes of header, bytes of body, checksum of both
//! { "format": 1, … }              the header, JSON that people can read
//! …                               the body, self-describing CBOR (see `didact_core::encoding`)
//! ```
//!
//! Lengths are compared with the size of the file before anything is allocated, and the
//! checksum before anything is decoded. Files are written beside their place and then renamed,
//! so a crash leaves the old file or the new one, never half of one.

use didact_core::{Error, Result};
use didact_data::write_atomically;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// The version of the format that this release writes; it reads all up to this one.
pub const FORMAT: u32 = 1;

const MAGIC: &str = "didact model ";
/// The two first lines are never longer than this.
const LONGEST_PREFIX: usize = 128;

/// Puts header and body together.
pub fn encode(header: &str, body: &[u8]) -> Vec<u8> {
    [
        first_lines(header, body).as_bytes(),
        header.as_bytes(),
        body,
    ]
    .concat()
}

/// The lines before the header.
fn first_lines(header: &str, body: &[u8]) -> String {
    let lengths = format!("{} {}", header.len(), body.len());
    let sum = checksum(&lengths, header.as_bytes(), body);
    format!("{MAGIC}{FORMAT}\n{lengths} {sum:016x}\n")
}

fn checksum(lengths: &str, header: &[u8], body: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(lengths.as_bytes());
    hasher.update(header);
    hasher.update(body);
    hasher.digest()
}

/// The lengths and the checksum that a file claims to have.
struct Prefix<'a> {
    /// Bytes of the two first lines.
    length: usize,
    lengths: &'a str,
    header: usize,
    body: usize,
    checksum: u64,
}

fn damaged(what: &str) -> Error {
    Error::ModelFile(format!("the model file is damaged: {what}"))
}

fn prefix(bytes: &[u8]) -> Result<Prefix<'_>> {
    let start = &bytes[..bytes.len().min(LONGEST_PREFIX)];
    if !start.starts_with(MAGIC.as_bytes()) {
        return Err(Error::ModelFile(
            "this is no didact model file; `didact fit … --out model.didact` writes one".into(),
        ));
    }
    // Both lines must end inside the bytes looked at, else something is missing.
    let mut lines = start
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\n"));
    let mut line = || {
        let line = lines
            .next()
            .flatten()
            .ok_or_else(|| damaged("it ends too early"))?;
        std::str::from_utf8(line).map_err(|_| damaged("its first lines are not text"))
    };
    let (first, second) = (line()?, line()?);
    let format: u32 = first[MAGIC.len()..]
        .parse()
        .map_err(|_| damaged("the format is no number"))?;
    if format == 0 || format > FORMAT {
        return Err(Error::ModelFile(format!(
            "the model file has format {format} but this release reads up to format {FORMAT}; use a newer didact"
        )));
    }
    let (lengths, sum) = second
        .rsplit_once(' ')
        .ok_or_else(|| damaged("the second line is malformed"))?;
    let (header, body) = lengths
        .split_once(' ')
        .ok_or_else(|| damaged("the second line is malformed"))?;
    let number = |text: &str| text.parse().map_err(|_| damaged("a length is no number"));
    let checksum = u64::from_str_radix(sum, 16)
        .ok()
        .filter(|value| format!("{value:016x}") == sum);
    Ok(Prefix {
        length: first.len() + second.len() + 2,
        lengths,
        header: number(header)?,
        body: number(body)?,
        checksum: checksum.ok_or_else(|| damaged("the checksum is malformed"))?,
    })
}

/// Takes header and body apart again, after checking that nothing changed.
pub fn decode(bytes: &[u8]) -> Result<(&str, &[u8])> {
    let prefix = prefix(bytes)?;
    let rest = &bytes[prefix.length.min(bytes.len())..];
    if prefix.header.checked_add(prefix.body) != Some(rest.len()) {
        return Err(damaged(&format!(
            "it should hold {} bytes after its first lines but holds {}",
            prefix.header.saturating_add(prefix.body),
            rest.len()
        )));
    }
    let (header, body) = rest.split_at(prefix.header);
    if checksum(prefix.lengths, header, body) != prefix.checksum {
        return Err(damaged("the checksum does not match"));
    }
    let header = std::str::from_utf8(header).map_err(|_| damaged("the header is not text"))?;
    Ok((header, body))
}

/// Writes a model file so that its place never holds half of it.
pub fn write(path: &Path, header: &str, body: &[u8]) -> Result<()> {
    let first = first_lines(header, body);
    write_atomically(path, |file| {
        for part in [first.as_bytes(), header.as_bytes(), body] {
            file.write_all(part)
                .map_err(|error| Error::file(path.display(), error))?;
        }
        Ok(())
    })
}

/// Reads a model file whole, but only after its first lines prove that it is one and that its
/// size is what they say.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    let fault = |error: std::io::Error| Error::file(path.display(), error);
    let mut file = File::open(path).map_err(fault)?;
    let metadata = file.metadata().map_err(fault)?;
    if metadata.is_dir() {
        return Err(Error::file(
            path.display(),
            "this is a folder, not a model file",
        ));
    }
    let mut bytes = Vec::with_capacity(LONGEST_PREFIX);
    file.by_ref()
        .take(LONGEST_PREFIX as u64)
        .read_to_end(&mut bytes)
        .map_err(fault)?;
    let about_file = |error: Error| match error {
        Error::ModelFile(message) => Error::file(path.display(), message),
        other => other,
    };
    let prefix = prefix(&bytes).map_err(about_file)?;
    let claimed = [prefix.header, prefix.body]
        .into_iter()
        .try_fold(prefix.length, usize::checked_add);
    if metadata.is_file() && claimed.map(|size| size as u64) != Some(metadata.len()) {
        return Err(about_file(damaged(
            "its size is not what its first lines say; it is incomplete",
        )));
    }
    file.read_to_end(&mut bytes).map_err(fault)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_body_come_back() {
        let bytes = encode("{\"a\": 1}", b"body");
        assert_eq!(decode(&bytes).unwrap(), ("{\"a\": 1}", b"body".as_slice()));
        assert!(bytes.starts_with(b"didact model 1\n8 4 "));
        assert_eq!(decode(&encode("", b"")).unwrap(), ("", b"".as_slice()));
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let bytes = encode("{\"a\": 1}", b"some body");
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_err(), "{length}");
        }
        for place in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[place / 8] ^= 1 << (place % 8);
            assert!(decode(&flipped).is_err(), "bit {place}");
        }
    }

    #[test]
    fn a_file_from_the_future_says_so() {
        let mut bytes = encode("{}", b"");
        bytes["didact model ".len()] = b'9';
        let message = decode(&bytes).unwrap_err().to_string();
        assert!(
            message.contains("format 9") && message.contains("newer"),
            "{message}"
        );
    }

    #[test]
    fn other_files_and_lying_lengths_are_refused_before_reading() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.didact");
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        assert!(
            read(&path)
                .unwrap_err()
                .to_string()
                .contains("no didact model file")
        );
        std::fs::write(
            &path,
            "didact model 1\n10 18446744073709551000 0123456789abcdef\n",
        )
        .unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("incomplete"));
        assert!(
            read(folder.path())
                .unwrap_err()
                .to_string()
                .contains("folder")
        );
        write(&path, "{}", b"x").unwrap();
        assert_eq!(decode(&read(&path).unwrap()).unwrap().1, b"x");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
