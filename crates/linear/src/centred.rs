//! Products of dense rows, less their center, with a vector; for use within
//! [`vectorised`](didact_math::vectorised).

use didact_math::numeric::sum_of_lanes;

/// Numbers that are computed side by side.
pub(crate) const LANES: usize = 8;

/// Rows that share what is loaded of the weights.
pub(crate) const ROWS: usize = 4;

/// w·(x − center) of some rows.
#[inline(always)]
pub(crate) fn centred_dots<const R: usize>(
    rows: [&[f64]; R],
    center: &[f64],
    weights: &[f64],
) -> [f64; R] {
    let (centers, center_rest) = center.as_chunks::<LANES>();
    let (blocks, weights_rest) = weights.as_chunks::<LANES>();
    let parts = rows.map(|row| row.as_chunks::<LANES>());
    let mut sums = [[0.0; LANES]; R];
    for (block, (center, weights)) in centers.iter().zip(blocks).enumerate() {
        for row in 0..R {
            let values = &parts[row].0[block];
            for lane in 0..LANES {
                let centred = values[lane] - center[lane];
                sums[row][lane] = centred.mul_add(weights[lane], sums[row][lane]);
            }
        }
    }
    let mut dots = [0.0; R];
    for row in 0..R {
        let rest = parts[row].1.iter().zip(center_rest).zip(weights_rest);
        let rest: f64 = rest
            .map(|((x, center), weight)| (x - center) * weight)
            .sum();
        dots[row] = sum_of_lanes(sums[row]) + rest;
    }
    dots
}

/// Adds Σ slope·(x − center) over some rows.
#[inline(always)]
pub(crate) fn add_slopes<const R: usize>(
    rows: [&[f64]; R],
    slopes: [f64; R],
    center: &[f64],
    gradient: &mut [f64],
) {
    let (centers, center_rest) = center.as_chunks::<LANES>();
    let (blocks, gradient_rest) = gradient.as_chunks_mut::<LANES>();
    let parts = rows.map(|row| row.as_chunks::<LANES>());
    for (block, (center, gradient)) in centers.iter().zip(blocks).enumerate() {
        for row in 0..R {
            let values = &parts[row].0[block];
            for lane in 0..LANES {
                let centred = values[lane] - center[lane];
                gradient[lane] = centred.mul_add(slopes[row], gradient[lane]);
            }
        }
    }
    for row in 0..R {
        let rest = gradient_rest.iter_mut().zip(parts[row].1).zip(center_rest);
        for ((gradient, x), center) in rest {
            *gradient += slopes[row] * (x - center);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;

    #[test]
    fn dots_and_slopes_agree_with_the_plain_loops_for_every_width() {
        for d in [1, 7, 8, 9, 50] {
            let (x, numbers) = (random_matrix(4, d, 1), random_matrix(2, d, 2));
            let rows: [&[f64]; 4] = std::array::from_fn(|row| x.row(row).to_slice().unwrap());
            let (center, weights) = (numbers.row(0), numbers.row(1));
            let (center, weights) = (center.to_slice().unwrap(), weights.to_slice().unwrap());
            let found = centred_dots(rows, center, weights);
            let mut gradient = vec![0.5; d];
            add_slopes(rows, found, center, &mut gradient);
            for j in 0..d {
                let expected: f64 = (0..4).map(|i| found[i] * (x[[i, j]] - center[j])).sum();
                assert!((gradient[j] - 0.5 - expected).abs() < 1e-12);
            }
            for i in 0..4 {
                let expected: f64 = (0..d).map(|j| weights[j] * (x[[i, j]] - center[j])).sum();
                assert!((found[i] - expected).abs() < 1e-12);
            }
        }
    }
}
