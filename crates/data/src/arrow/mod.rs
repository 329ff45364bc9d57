//! Arrow memory, Arrow files and streams, and Parquet.

mod files;
mod from_arrow;
mod to_arrow;

pub(crate) use files::{ArrowBatches, write_file, write_parquet, write_stream};
pub use from_arrow::table_from_batch;
pub use to_arrow::batch_from_table;
