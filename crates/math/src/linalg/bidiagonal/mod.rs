//! Matrices made bidiagonal (`reduction.rs`), and singular values and vectors of bidiagonal ones by divide
//! and conquer.
//!
//! Without one row of the middle the matrix falls into two, which are decomposed on their own; what the
//! row does to the two decompositions (`merge.rs`) is a secular equation in the squares of the values, and
//! products of half the size (Gu and Eisenstat 1995).

mod merge;
mod reduction;

use super::svd::decompose_small;
use didact_core::Result;
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, Par};
use merge::Halves;
pub(super) use reduction::{Reduced, padded};

/// Smaller matrices are not divided any more.
const SMALL: usize = 32;

/// Halves of larger matrices are decomposed side by side.
const SHARED: usize = 128;

/// How many values of room [`bidiagonal_svd`] needs.
pub(super) fn bidiagonal_svd_room(n: usize) -> usize {
    3 * n * n
}

/// Decomposes the bidiagonal matrix with this diagonal and these links above it: `diagonal` becomes the
/// singular values, and the columns of `u` and `v`, which are zero before, their vectors. Gives the columns
/// in the order of rising values, in about 8⁄3·n³ operations.
pub(super) fn bidiagonal_svd(
    diagonal: &mut [f64],
    links: &[f64],
    [u, v]: [MatMut<'_, f64>; 2],
    room: &mut [f64],
    parts: Par,
) -> Result<Vec<usize>> {
    let n = diagonal.len();
    let (old, rest) = room.split_at_mut(n * n);
    let (gaps, rotation) = rest.split_at_mut(n * n);
    let square = |values| MatMut::from_column_major_slice_mut(values, n, n);
    let room = Room {
        vectors: square(old),
        gaps: square(gaps),
        rotation: square(rotation),
    };
    divided(diagonal, links, [u, v], room, parts)
}

/// Room for the old vectors of a matrix, for the differences of the secular equation and for
/// the rotation that makes the new vectors of the old; its halves serve the halves of the matrix before.
struct Room<'a> {
    vectors: MatMut<'a, f64>,
    gaps: MatMut<'a, f64>,
    rotation: MatMut<'a, f64>,
}

impl Room<'_> {
    fn split_at(&mut self, middle: usize) -> (Room<'_>, Room<'_>) {
        let (vectors, _, _, other_vectors) = self.vectors.rb_mut().split_at_mut(middle, middle);
        let (gaps, _, _, other_gaps) = self.gaps.rb_mut().split_at_mut(middle, middle);
        let (rotation, _, _, other_rotation) = self.rotation.rb_mut().split_at_mut(middle, middle);
        (
            Room {
                vectors,
                gaps,
                rotation,
            },
            Room {
                vectors: other_vectors,
                gaps: other_gaps,
                rotation: other_rotation,
            },
        )
    }
}

/// Decomposes a matrix of n rows and n or n + 1 columns; in the latter case the last column of `v`
/// becomes the vector that the matrix maps to zero.
fn divided(
    diagonal: &mut [f64],
    links: &[f64],
    [mut u, mut v]: [MatMut<'_, f64>; 2],
    mut room: Room<'_>,
    parts: Par,
) -> Result<Vec<usize>> {
    let n = diagonal.len();
    if n < SMALL {
        return undivided(diagonal, links, [u, v]);
    }
    let row = n / 2;
    let middle = row + 1;
    let link = [diagonal[row], links[row]];
    let (above, below) = diagonal.split_at_mut(middle);
    let (links_above, links_below) = (&links[..row], &links[middle..]);
    let (mut u_above, _, _, u_below) = u.rb_mut().split_at_mut(middle, middle);
    let (v_above, _, _, v_below) = v.rb_mut().split_at_mut(middle, middle);
    let (room_above, room_below) = room.split_at(middle);
    // The row itself is a vector of its own on the left side, of no value yet.
    u_above[(row, row)] = 1.0;
    above[row] = 0.0;
    let vectors = [u_above.submatrix_mut(0, 0, row, row), v_above];
    let above = move || divided(&mut above[..row], links_above, vectors, room_above, parts);
    let below = move || divided(below, links_below, [u_below, v_below], room_below, parts);
    let (above, below) = match parts == Par::Seq || n < SHARED {
        true => (above(), below()),
        false => rayon::join(above, below),
    };
    let mut order = above?;
    order.extend(below?.into_iter().map(|column| column + middle));
    let halves = Halves {
        values: diagonal,
        u,
        v,
        middle,
        room,
    };
    Ok(halves.linked_by(link, order, parts))
}

fn undivided(
    diagonal: &mut [f64],
    links: &[f64],
    [u, v]: [MatMut<'_, f64>; 2],
) -> Result<Vec<usize>> {
    let n = diagonal.len();
    let matrix = Mat::from_fn(n, v.nrows(), |i, j| match j.wrapping_sub(i) {
        0 => diagonal[i],
        1 => links[i],
        _ => 0.0,
    });
    decompose_small(matrix.as_ref(), diagonal, u, v, Par::Seq)?;
    Ok((0..n).rev().collect())
}
