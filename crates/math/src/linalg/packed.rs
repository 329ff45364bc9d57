//! Vectors packed side by side, on their way into tiles of products.

use super::joined::Joined;
use crate::vectorised::{register_lanes, vectorised};
use didact_core::{Result, Run, parallel};
use ndarray::ArrayView2;

/// How much of the sum goes through one pass: long enough that a tile of the product is seldom
/// loaded and stored, short enough that eight vectors stay in the fastest cache.
const DEPTH: usize = 256;

/// Vectors of a panel where registers hold eight numbers.
pub(super) const WIDEST: usize = 24;

/// Vectors of a panel where they hold fewer.
pub(super) const NARROW: usize = 12;

/// Panels that a thread packs at a time.
const PACKED: usize = 8;

/// Vectors side by side, in panels of as many as suit the registers of this processor: component
/// by component, the vectors of a panel next to each other, zero where there is none.
pub(super) struct Panels {
    /// How many vectors there are.
    pub(super) count: usize,
    width: usize,
    /// How many components of them are packed; at first, how many fit.
    pub(super) depth: usize,
    /// Where the values begin: at the border of a line of the cache.
    start: usize,
    values: Vec<f64>,
}

impl Panels {
    /// Room for parts of vectors with up to so many components in all.
    pub(super) fn new(count: usize, components: usize) -> Self {
        const LINE: usize = 8;
        let width = panel_width();
        let depth = components.min(DEPTH);
        let values = vec![0.0; count.next_multiple_of(width) * depth + LINE];
        Panels {
            count,
            width,
            depth,
            start: values.as_ptr().align_offset(LINE * size_of::<f64>()),
            values,
        }
    }

    /// Takes over vectors that are the columns of rows.
    pub(super) fn pack(&mut self, n_rows: usize, rows: &Joined<'_>, run: &Run) -> Result<()> {
        self.depth = n_rows;
        let width = self.width;
        let size = n_rows * width;
        let values = &mut self.values[self.start..][..self.count.div_ceil(width) * size];
        parallel::fill(values, size, PACKED, run, |panels, packed| {
            for (panel, packed) in panels.zip(packed.chunks_mut(size)) {
                let first = panel * width;
                vectorised(
                    #[inline(always)]
                    || match width {
                        WIDEST => rows.write::<WIDEST>(first, packed.as_chunks_mut().0),
                        _ => rows.write::<NARROW>(first, packed.as_chunks_mut().0),
                    },
                );
            }
            Ok(())
        })
    }

    /// Takes over vectors that are the columns of a matrix.
    pub(super) fn pack_columns(&mut self, matrix: ArrayView2<'_, f64>, run: &Run) -> Result<()> {
        let matrix = matrix.as_standard_layout();
        let rows = Joined {
            x: matrix.as_slice().expect("standard layout is contiguous"),
            y: &[],
            columns: (matrix.ncols(), 0),
            less: &vec![0.0; matrix.ncols()],
            weights: None,
        };
        self.pack(matrix.nrows(), &rows, run)
    }

    /// Takes over some components of vectors that are the rows of a matrix.
    pub(super) fn pack_rows(&mut self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<()> {
        self.depth = rows.ncols();
        let (count, width, depth) = (self.count, self.width, self.depth);
        let panels = count.div_ceil(width);
        let values = &mut self.values[self.start..][..panels * depth * width];
        parallel::fill(values, depth * width, 1, run, |panel, packed| {
            let first = panel.start * width;
            for (place, row) in (first..(first + width).min(count)).enumerate() {
                let row = rows.row(row);
                let targets = packed[place..].iter_mut().step_by(width);
                targets
                    .zip(row)
                    .for_each(|(target, &value)| *target = value);
            }
            Ok(())
        })
    }

    /// Lets `work` write the panels from that of a vector on, `chunk` of them on a thread at a time.
    pub(super) fn write_from(
        &mut self,
        vector: usize,
        chunk: usize,
        run: &Run,
        work: impl Fn(usize, &mut [f64]) + Sync,
    ) -> Result<()> {
        let (width, first) = (self.width, vector / self.width);
        let size = self.depth * width;
        let panels = first..self.count.div_ceil(width);
        let values = &mut self.values[self.start + first * size..][..panels.len() * size];
        parallel::fill(values, size, chunk, run, |some, values| {
            for (panel, values) in some.zip(values.chunks_mut(size)) {
                work((first + panel) * width, values);
            }
            Ok(())
        })
    }

    /// The panel that begins with a vector.
    pub(super) fn panel_at(&self, vector: usize) -> &[f64] {
        self.panel(vector / self.width)
    }

    /// Reads a component of the vectors from one on, with which a panel begins.
    pub(super) fn read_component(&self, component: usize, vector: usize, output: &mut [f64]) {
        let panels = (vector / self.width..).zip(output.chunks_mut(self.width));
        for (panel, output) in panels {
            let values = &self.panel(panel)[component * self.width..][..output.len()];
            output.copy_from_slice(values);
        }
    }

    /// Adds the components of every vector.
    pub(super) fn add_sums(&self, sums: &mut [f64]) {
        vectorised(
            #[inline(always)]
            || match self.width {
                WIDEST => self.add_sums_of::<WIDEST>(sums),
                _ => self.add_sums_of::<NARROW>(sums),
            },
        );
    }

    #[inline(always)]
    fn add_sums_of<const M: usize>(&self, sums: &mut [f64]) {
        for (panel, sums) in sums.chunks_mut(M).enumerate() {
            let mut total = [0.0; M];
            for values in self.panel(panel).as_chunks::<M>().0 {
                for vector in 0..M {
                    total[vector] += values[vector];
                }
            }
            sums.iter_mut()
                .zip(total)
                .for_each(|(sum, part)| *sum += part);
        }
    }

    /// The vectors of a panel, component by component.
    pub(super) fn panel(&self, index: usize) -> &[f64] {
        let size = self.depth * self.width;
        &self.values[self.start + index * size..][..size]
    }
}

/// Vectors per panel: three registers of the widest kind, of which three times eight fit beside
/// what is multiplied, or three times four where there are sixteen registers.
fn panel_width() -> usize {
    match register_lanes() {
        8 => WIDEST,
        _ => NARROW,
    }
}
