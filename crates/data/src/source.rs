//! Where bytes come from: a file, standard input, or memory.

use crate::{Format, ReadOptions};
use didact_core::{Error, Result};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a table is read from; the path `-` is standard input.
///
/// ```
/// use didact_data::{ReadOptions, Source, read_table};
/// let source = Source::bytes("heights.csv", "name,height\nAnn,1.7\nBob,1.9\n");
/// assert_eq!(read_table(source, &ReadOptions::default())?.n_rows(), 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Source {
    /// A file.
    File(PathBuf),
    /// What is piped in.
    StandardInput,
    /// Bytes in memory under the name that messages and format detection use.
    Bytes {
        /// A file name for messages; its extension tells the format.
        name: String,
        /// The content.
        bytes: Arc<[u8]>,
    },
}

impl Source {
    /// Bytes in memory that read like a file of that name.
    pub fn bytes(name: impl Into<String>, bytes: impl AsRef<[u8]>) -> Source {
        Source::Bytes {
            name: name.into(),
            bytes: bytes.as_ref().into(),
        }
    }

    /// The name for messages.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::StandardInput => "standard input".to_owned(),
            Source::Bytes { name, .. } => name.clone(),
        }
    }

    /// Opens the source; standard input can be opened once only.
    pub(crate) fn open(&self) -> Result<Input> {
        match self {
            Source::File(path) => Input::of_file(path),
            Source::StandardInput => Ok(Input::Pipe(Box::new(std::io::stdin()))),
            Source::Bytes { bytes, .. } => Ok(Input::Memory(Cursor::new(bytes.clone()))),
        }
    }

    /// Reads everything, unpacked.
    pub(crate) fn read_all(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open()?
            .unpacked()
            .and_then(|mut reader| reader.read_to_end(&mut bytes))
            .map_err(|error| self.complain(describe(&error)))?;
        Ok(bytes)
    }

    /// An error about this source.
    pub(crate) fn complain(&self, message: impl std::fmt::Display) -> Error {
        Error::file(self.name(), message)
    }

    /// The format by option, extension, or first bytes, in this order.
    pub(crate) fn format(&self, options: &ReadOptions, head: &[u8]) -> Result<Format> {
        let by_content = Format::from_content(head);
        let by_name = match self {
            Source::File(path) => Format::from_name(&path.to_string_lossy()),
            Source::StandardInput => None,
            Source::Bytes { name, .. } => Format::from_name(name),
        };
        // A stream under the extension of a file (and the reverse) is common and harmless.
        let by_name = match (by_name, by_content) {
            (Some(Format::Arrow | Format::ArrowStream), Some(found))
                if matches!(found, Format::Arrow | Format::ArrowStream) =>
            {
                Some(found)
            }
            _ => by_name,
        };
        options
            .format
            .or(by_name)
            .or(by_content)
            .ok_or_else(|| self.complain("the file is empty; a table needs at least one row"))
    }
}

impl From<&str> for Source {
    fn from(path: &str) -> Self {
        Source::from(Path::new(path))
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        match path.as_os_str() == "-" {
            true => Source::StandardInput,
            false => Source::File(path.to_owned()),
        }
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Source::from(path.as_path())
    }
}

impl From<&PathBuf> for Source {
    fn from(path: &PathBuf) -> Self {
        Source::from(path.as_path())
    }
}

impl From<String> for Source {
    fn from(path: String) -> Self {
        Source::from(path.as_str())
    }
}

/// The two bytes that every gzip file starts with.
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// An opened source.
pub(crate) enum Input {
    /// A file on disk, which can be read again from its start.
    Disk(File),
    /// Bytes in memory.
    Memory(Cursor<Arc<[u8]>>),
    /// Something that flows by once.
    Pipe(Box<dyn Read + Send>),
}

impl Input {
    fn of_file(path: &Path) -> Result<Input> {
        let complain = |error: std::io::Error| Error::file(path.display(), describe(&error));
        let file = File::open(path).map_err(complain)?;
        let facts = file.metadata().map_err(complain)?;
        if facts.is_dir() {
            return Err(Error::file(
                path.display(),
                "this is a directory; give the path of a file in it",
            ));
        }
        match facts.is_file() {
            true => Ok(Input::Disk(file)),
            false => Ok(Input::Pipe(Box::new(file))),
        }
    }

    /// Number of bytes, where it is known.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Input::Disk(file) => file.metadata().ok().map(|facts| facts.len()),
            Input::Memory(cursor) => Some(cursor.get_ref().len() as u64),
            Input::Pipe(_) => None,
        }
    }

    /// The first bytes, unpacked, and the input with them still in it.
    pub(crate) fn peek(mut self) -> std::io::Result<(Vec<u8>, Input)> {
        const HEAD: u64 = 1 << 14;
        let mut head = Vec::new();
        self.by_ref().take(HEAD).read_to_end(&mut head)?;
        let input = match self {
            Input::Pipe(rest) => Input::Pipe(Box::new(Cursor::new(head.clone()).chain(rest))),
            other => other.again()?,
        };
        if head.starts_with(&GZIP) {
            // The head of a packed file ends in the middle; what could be unpacked suffices.
            let mut unpacked = Vec::new();
            let _ = MultiGzDecoder::new(head.as_slice()).read_to_end(&mut unpacked);
            head = unpacked;
        }
        Ok((head, input))
    }

    /// The input as something that can be read again: a pipe is copied to a temporary file.
    pub(crate) fn rewindable(self) -> std::io::Result<Input> {
        match self {
            Input::Pipe(mut pipe) => {
                let mut file = tempfile::tempfile()?;
                std::io::copy(&mut pipe, &mut file)?;
                file.seek(SeekFrom::Start(0))?;
                Ok(Input::Disk(file))
            }
            other => Ok(other),
        }
    }

    /// A second reader from the start; pipes have none.
    pub(crate) fn again(&self) -> std::io::Result<Input> {
        match self {
            Input::Disk(file) => {
                let mut copy = file.try_clone()?;
                copy.seek(SeekFrom::Start(0))?;
                Ok(Input::Disk(copy))
            }
            Input::Memory(cursor) => Ok(Input::Memory(Cursor::new(cursor.get_ref().clone()))),
            Input::Pipe(_) => Err(std::io::Error::other("a pipe cannot be read twice")),
        }
    }

    /// The bytes with gzip unpacked, for reading them more than once.
    pub(crate) fn into_unpacked(self) -> std::io::Result<Unpacked> {
        match self {
            Input::Disk(file) if !is_packed(&file)? => Ok(Unpacked::Disk(file)),
            Input::Memory(cursor) if !cursor.get_ref().starts_with(&GZIP) => {
                Ok(Unpacked::Shared(cursor.into_inner()))
            }
            other => {
                let mut bytes = Vec::new();
                other.unpacked()?.read_to_end(&mut bytes)?;
                Ok(Unpacked::Own(bytes))
            }
        }
    }

    /// The bytes with gzip unpacked.
    pub(crate) fn unpacked(mut self) -> std::io::Result<Box<dyn Read + Send>> {
        let mut head = Vec::new();
        self.by_ref().take(2).read_to_end(&mut head)?;
        let packed = head == GZIP;
        let whole = Cursor::new(head).chain(BufReader::with_capacity(1 << 16, self));
        Ok(match packed {
            true => Box::new(MultiGzDecoder::new(whole)),
            false => Box::new(whole),
        })
    }
}

/// Whether a file starts like one of gzip; it is then read from its start again.
fn is_packed(mut file: &File) -> std::io::Result<bool> {
    let mut head = Vec::new();
    file.by_ref().take(2).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(head == GZIP)
}

/// Bytes that can be read as often as needed.
pub(crate) enum Unpacked {
    /// A file on disk, which need not fit into memory.
    Disk(File),
    /// Bytes in memory that somebody else may hold, too.
    Shared(Arc<[u8]>),
    /// Bytes that came packed or through a pipe.
    Own(Vec<u8>),
}

impl Unpacked {
    /// Number of bytes, as far as it is known.
    pub(crate) fn length(&self) -> u64 {
        match self {
            Unpacked::Disk(file) => file.metadata().map_or(0, |facts| facts.len()),
            Unpacked::Shared(bytes) => bytes.len() as u64,
            Unpacked::Own(bytes) => bytes.len() as u64,
        }
    }

    /// A reader from the start.
    pub(crate) fn reader(&self) -> std::io::Result<Box<dyn Read + Send + '_>> {
        Ok(match self {
            Unpacked::Disk(file) => {
                let mut file: &File = file;
                file.seek(SeekFrom::Start(0))?;
                Box::new(file)
            }
            Unpacked::Shared(bytes) => Box::new(&bytes[..]),
            Unpacked::Own(bytes) => Box::new(bytes.as_slice()),
        })
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Input::Disk(file) => file.read(buffer),
            Input::Memory(cursor) => cursor.read(buffer),
            Input::Pipe(pipe) => pipe.read(buffer),
        }
    }
}

/// What an operating system error means to a person.
pub(crate) fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        std::io::ErrorKind::IsADirectory => {
            "this is a directory; give the path of a file in it".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_and_directories_are_clear_errors() {
        let folder = tempfile::tempdir().unwrap();
        let say = |path: &Path| {
            Source::from(path)
                .read_all()
                .map(|_| ())
                .unwrap_err()
                .to_string()
        };
        assert!(say(&folder.path().join("none.csv")).ends_with("there is no such file"));
        assert!(say(folder.path()).contains("this is a directory"));
    }

    #[test]
    fn a_dash_is_standard_input() {
        assert!(matches!(Source::from("-"), Source::StandardInput));
        assert!(matches!(Source::from("-.csv"), Source::File(_)));
    }
}
