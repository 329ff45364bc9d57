//! Which rows a member of an ensemble learns from.

use didact_core::random::Generator;
use rand::RngExt;

/// Draws rows, with replacement or without, and gives them rising.
pub(super) fn draw(
    n_rows: usize,
    count: usize,
    replacement: bool,
    random: &mut Generator,
) -> Vec<usize> {
    let mut drawn: Vec<usize> = match replacement {
        true => (0..count).map(|_| random.random_range(0..n_rows)).collect(),
        false => {
            let mut rows: Vec<usize> = (0..n_rows).collect();
            for place in 0..count {
                let other = random.random_range(place..n_rows);
                rows.swap(place, other);
            }
            rows.truncate(count);
            rows
        }
    };
    drawn.sort_unstable();
    drawn
}

/// Draws as many rows as there are, each as often as its share of the weight says.
pub(super) fn draw_by_weight(weights: &[f64], random: &mut Generator) -> Vec<usize> {
    let mut sums = Vec::with_capacity(weights.len());
    let mut total = 0.0;
    for weight in weights {
        total += weight;
        sums.push(total);
    }
    let mut drawn: Vec<usize> = (0..weights.len())
        .map(|_| {
            let place = random.random::<f64>() * total;
            sums.partition_point(|&sum| sum <= place)
                .min(weights.len() - 1)
        })
        .collect();
    drawn.sort_unstable();
    drawn
}

/// The rows that were not drawn.
pub(super) fn left_out(n_rows: usize, drawn: &[usize]) -> Vec<usize> {
    let mut is_drawn = vec![false; n_rows];
    drawn.iter().for_each(|&row| is_drawn[row] = true);
    (0..n_rows).filter(|&row| !is_drawn[row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;

    // 002a:EN02: the text draws plain subsets, the cited paper with replacement; both are offered.
    #[test]
    fn with_replacement_a_third_of_the_rows_is_left_out_and_without_it_none() {
        let mut random = generator(0, 0);
        let bootstrap = draw(10_000, 10_000, true, &mut random);
        // (1 − 1/n)ⁿ = e⁻¹ with a standard deviation of about 0.0031.
        let share = left_out(10_000, &bootstrap).len() as f64 / 1e4;
        assert!((share - (-1.0_f64).exp()).abs() < 4.0 * 0.0031, "{share}");
        let mut plain = draw(1000, 400, false, &mut random);
        plain.dedup();
        assert_eq!(plain.len(), 400);
    }
}
