//! Files to tables and back, and the other containers that data come in.
//!
//! Tables: [`read_table`], [`TableReader`] for files larger than memory, [`write_table`];
//! [`split_roles`] says which column is what, [`describe()`] what is in them. Other containers:
//! sparse rows ([`read_svmlight`]), sequences ([`sequences_from_table`]), tagged text
//! ([`read_tagged`]), ratings ([`ratings_from_table`]), networks ([`read_network`]), grid maps
//! ([`read_grid`]) and pictures ([`read_image`]). Labels of several raters are put together by
//! [`vote`] and [`mean_scores`]; [`check_classes`] and [`check_models`] warn of samples and models
//! that cannot be compared. Nothing here knows an algorithm.

mod all_words;
mod arrow;
mod cells;
mod content;
mod csv;
mod decimal;
mod describe;
mod format;
mod grid;
mod grid_walk;
mod growing;
mod image;
mod json_lines;
mod json_row;
mod network;
mod number;
mod options;
mod pieces;
mod raters;
mod ratings;
mod read;
mod roles;
mod sampling;
mod sequences;
mod source;
mod svmlight;
mod tagged;
mod time;
mod write;

pub use arrow::{batch_from_table, table_from_batch};
pub use content::{Content, read_content, rows_for};
pub use describe::{ColumnSummary, NumberSummary, describe};
pub use format::Format;
pub use grid::{Grid, GridCell, read_grid};
pub use grid_walk::GridWalk;
pub use image::{Image, read_image, write_image};
pub use network::{NetworkSpec, NetworkVariable, read_network};
pub use options::{ReadOptions, Reading, Reject, Rejected};
pub use raters::{Tie, Votes, mean_scores, vote};
pub use ratings::{Duplicates, RatingSet, ratings_from_table};
pub use read::{TableReader, read_report, read_table};
pub use roles::{Parts, Roles, split_roles, target_names};
pub use sampling::{
    ModelSize, Warning, check_classes, check_models, class_counts, comparable_scores, equal_classes,
};
pub use sequences::{SequenceSet, sequences_from_table};
pub use source::Source;
pub use svmlight::{Svmlight, read_svmlight, write_svmlight};
pub use tagged::{TaggedText, read_tagged, write_tagged};
pub use write::{write_atomically, write_table, write_to};
