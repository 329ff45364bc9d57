//! Text tables: values between delimiters, one row per line, quotes as in RFC 4180.
//!
//! Beyond the RFC: blank lines are skipped, spaces around unquoted values are trimmed, and a
//! quote inside an unquoted value stands for itself. A quoted word that spells a missing value,
//! such as `"NA"`, is that word in a column of words; a quoted nothing is still missing.

mod dialect;
mod parse;
mod read;
mod scan;
mod stream;
mod waves;
mod write;

pub(crate) use read::{as_text, read};
pub(crate) use stream::CsvBatches;
pub(crate) use write::{time_text, write};
