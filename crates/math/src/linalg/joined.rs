//! Rows of two matrices side by side, on their way into panels.

/// Some rows of X with those of Y at their right, less a vector, each times its weight.
pub(super) struct Joined<'a> {
    pub(super) x: &'a [f64],
    pub(super) y: &'a [f64],
    /// How many columns X and Y have.
    pub(super) columns: (usize, usize),
    pub(super) less: &'a [f64],
    pub(super) weights: Option<&'a [f64]>,
}

impl Joined<'_> {
    /// Writes up to `M` columns of all rows, from a first one on.
    #[inline(always)]
    pub(super) fn write<const M: usize>(&self, first: usize, output: &mut [[f64; M]]) {
        match first + M <= self.columns.0 {
            true => self.write_whole(first, output),
            false => self.write_rest(first, output),
        }
        if let Some(weights) = self.weights {
            for (output, weight) in output.iter_mut().zip(weights) {
                output.iter_mut().for_each(|value| *value *= weight);
            }
        }
    }

    #[inline(always)]
    fn write_whole<const M: usize>(&self, first: usize, output: &mut [[f64; M]]) {
        let mut less = [0.0; M];
        less.copy_from_slice(&self.less[first..first + M]);
        for (row, output) in self.x.chunks_exact(self.columns.0).zip(output) {
            let mut values = [0.0; M];
            values.copy_from_slice(&row[first..first + M]);
            for place in 0..M {
                values[place] -= less[place];
            }
            *output = values;
        }
    }

    #[inline(always)]
    fn write_rest<const M: usize>(&self, first: usize, output: &mut [[f64; M]]) {
        let (d, further) = self.columns;
        // Columns first..border are of X, border..end of Y.
        let (border, end) = (d.max(first), (d + further).min(first + M));
        for (row, output) in output.iter_mut().enumerate() {
            let from_x = &self.x[row * d..][first.min(d)..d];
            let from_y = &self.y[row * further..][border - d..end - d];
            let values = from_x.iter().chain(from_y);
            for ((output, value), less) in output.iter_mut().zip(values).zip(&self.less[first..]) {
                *output = value - less;
            }
        }
    }
}
