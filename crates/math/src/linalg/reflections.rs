//! Reflections I − v·vᵀ ⁄ τ, one by one and in panels.

use super::sweep::{GROUP, add_columns, inner_products};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj, make_householder_in_place,
};
use faer::linalg::matmul::matmul;
use faer::prelude::ReborrowMut;
use faer::{Accum, ColMut, Conj, Mat, MatMut, MatRef, Par};
use pulp::{Arch, Simd, WithSimd};

/// How many reflections are found before the matrix behind them is changed.
pub(super) const PANEL: usize = 32;

/// Makes a vector a direction that reflects it onto its first entry, behind the entry that it has then; gives
/// τ, which is infinite where there is nothing to reflect.
pub(super) fn reflect(vector: &mut [f64]) -> f64 {
    let (head, rest) = vector.split_first_mut().expect("a vector has an entry");
    make_householder_in_place(head, ColMut::from_slice_mut(rest)).tau
}

/// Writes a direction that is zero before `start` and one there.
pub(super) fn write_direction(direction: &mut [f64], start: usize, rest: &[f64]) {
    direction[..start].fill(0.0);
    direction[start] = 1.0;
    direction[start + 1..][..rest.len()].copy_from_slice(rest);
}

/// Writes the triangle that joins the reflections of a panel into the columns from `first` on: one after
/// the other they are I − V·S⁻¹·Vᵀ with a triangle S above the diagonal, for which S + Sᵀ = Vᵀ·V (Joffrain
/// and others 2006).
pub(super) fn join(joints: &mut Mat<f64>, directions: &Mat<f64>, first: usize, scales: &[f64]) {
    let width = scales.len();
    let mut joint = joints.as_mut().submatrix_mut(0, first, width, width);
    let height = directions.nrows() - first;
    let directions = directions.as_ref().submatrix(first, 0, height, width);
    let transposed = directions.transpose();
    matmul(
        joint.rb_mut(),
        Accum::Replace,
        transposed,
        directions,
        1.0,
        Par::Seq,
    );
    for (place, &scale) in scales.iter().enumerate() {
        joint[(place, place)] = scale;
    }
}

/// Replaces columns x by Q·x, where Q is a product of reflections.
pub(super) fn turn(
    reflections: MatRef<'_, f64>,
    joints: MatRef<'_, f64>,
    columns: MatMut<'_, f64>,
    parts: Par,
) {
    let scratch = apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(
        reflections.nrows(),
        joints.nrows(),
        columns.ncols(),
    );
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        reflections,
        joints,
        Conj::No,
        columns,
        parts,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
}

/// How often each of the columns of two matrices is added.
pub(super) type Factors = [[f64; PANEL]; 2];

/// The entries of the first columns in a row, to be subtracted.
pub(super) fn entries(columns: &[Mat<f64>; 2], row: usize, count: usize) -> Factors {
    let mut factors = [[0.0; PANEL]; 2];
    for (factors, columns) in factors.iter_mut().zip(columns) {
        for (place, factor) in factors[..count].iter_mut().enumerate() {
            *factor = -columns[(row, place)];
        }
    }
    factors
}

/// The inner products of the first columns, from a row on, with a vector, to be subtracted.
pub(super) fn along(
    columns: &[Mat<f64>; 2],
    counts: [usize; 2],
    start: usize,
    vector: &[f64],
) -> Factors {
    Arch::new().dispatch(Along {
        columns,
        counts,
        start,
        vector,
    })
}

/// Adds columns, from a row on, times their factors.
pub(super) fn combine(
    columns: &[Mat<f64>; 2],
    factors: &Factors,
    start: usize,
    output: &mut [f64],
) {
    Arch::new().dispatch(Combine {
        columns,
        factors,
        start,
        output,
    });
}

/// Two columns of either matrix, from a row on.
#[inline(always)]
fn pair([first, second]: &[Mat<f64>; 2], place: usize, start: usize) -> [&[f64]; GROUP] {
    [
        &first.col_as_slice(place)[start..],
        &first.col_as_slice(place + 1)[start..],
        &second.col_as_slice(place)[start..],
        &second.col_as_slice(place + 1)[start..],
    ]
}

struct Along<'a> {
    columns: &'a [Mat<f64>; 2],
    counts: [usize; 2],
    start: usize,
    vector: &'a [f64],
}

impl WithSimd for Along<'_> {
    type Output = Factors;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Factors {
        let mut factors = [[0.0; PANEL]; 2];
        for place in (0..self.counts[0].max(self.counts[1])).step_by(2) {
            let pair = pair(self.columns, place, self.start);
            let [a, b, c, d] = inner_products(simd, pair, self.vector);
            factors[0][place] = -a;
            factors[0][place + 1] = -b;
            factors[1][place] = -c;
            factors[1][place + 1] = -d;
        }
        for (factors, count) in factors.iter_mut().zip(self.counts) {
            factors[count..].fill(0.0);
        }
        factors
    }
}

struct Combine<'a> {
    columns: &'a [Mat<f64>; 2],
    factors: &'a Factors,
    start: usize,
    output: &'a mut [f64],
}

impl WithSimd for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let [first, second] = self.factors;
        for place in (0..self.columns[0].ncols()).step_by(2) {
            let factors = [
                first[place],
                first[place + 1],
                second[place],
                second[place + 1],
            ];
            if factors != [0.0; GROUP] {
                add_columns(
                    simd,
                    pair(self.columns, place, self.start),
                    factors,
                    self.output,
                );
            }
        }
    }
}
