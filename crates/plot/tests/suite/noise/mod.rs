//! Data that look random and are the same on every machine.

use ndarray::Array2;

/// Numbers that look random: a linear congruential generator.
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Noise(seed)
    }

    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn gaussian(&mut self) -> f64 {
        let (u, v) = (self.uniform().max(1e-12), self.uniform());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// Three blobs, a class each.
pub(crate) fn blobs(per_class: usize) -> (Array2<f64>, Vec<usize>) {
    let mut noise = Noise::new(7);
    let centers = [[1.0, 1.0], [4.0, 1.5], [2.5, 4.0]];
    let spreads = [[0.6, 0.5], [0.5, 0.8], [0.9, 0.4]];
    let labels: Vec<usize> = (0..3 * per_class).map(|row| row % 3).collect();
    let rows = Array2::from_shape_fn((labels.len(), 2), |(row, column)| {
        centers[labels[row]][column] + spreads[labels[row]][column] * noise.gaussian()
    });
    (rows, labels)
}
