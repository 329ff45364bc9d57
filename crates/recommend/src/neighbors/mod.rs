//! Methods that look ratings up: at users with the same taste, at items with the same public.

mod common;
mod item_lists;
mod items;
mod users;

pub(crate) use item_lists::Cosines;
pub use item_lists::{ItemLists, item_similarities};
pub use items::{ItemNeighbors, ItemNeighborsModel};
pub use users::{UserNeighbors, UserNeighborsModel};
