//! Rows drawn from what was learned of the classes.

use super::counts::{CountLaw, Rates};
use super::gaussian::{Gaussians, Spread};
use didact_core::Drawn;
use didact_core::random::Generator;
use ndarray::{Array1, Array2, ArrayView1};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// Longer rows than this are no counts of tokens.
const MOST_TOKENS: f64 = 1e6;

/// Rows of classes drawn by their shares.
pub(super) fn from_gaussians(law: &Gaussians, n_rows: usize, generator: &mut Generator) -> Drawn {
    draw(
        law.weights.view(),
        n_rows,
        law.means.ncols(),
        generator,
        |class, generator| {
            let noise: Array1<f64> = (0..law.means.ncols())
                .map(|_| StandardNormal.sample(generator))
                .collect();
            let deviation = match &law.spreads[class] {
                Spread::Ellipsoid(factor) => factor.lower().dot(&noise),
                Spread::Variances(variances) => variances.mapv(f64::sqrt) * noise,
            };
            &law.means.row(class) + &deviation
        },
    )
}

/// The same for counts: as many tokens as rows have on average, or each column by itself.
pub(super) fn from_rates(law: &Rates, n_rows: usize, generator: &mut Generator) -> Drawn {
    draw(
        law.weights.view(),
        n_rows,
        law.rates.ncols(),
        generator,
        |class, generator| {
            let rates = law.rates.row(class);
            match law.law {
                CountLaw::Bernoulli => {
                    rates.mapv(|rate| f64::from(generator.random::<f64>() < rate))
                }
                CountLaw::Multinomial => {
                    let mut row = Array1::zeros(rates.len());
                    for _ in 0..law.length.round().min(MOST_TOKENS) as usize {
                        row[pick(rates, generator)] += 1.0;
                    }
                    row
                }
            }
        },
    )
}

fn draw(
    shares: ArrayView1<'_, f64>,
    n_rows: usize,
    n_columns: usize,
    generator: &mut Generator,
    mut one: impl FnMut(usize, &mut Generator) -> Array1<f64>,
) -> Drawn {
    let mut rows = Array2::zeros((n_rows, n_columns));
    let mut labels = Vec::with_capacity(n_rows);
    for mut row in rows.rows_mut() {
        let class = pick(shares, generator);
        row.assign(&one(class, generator));
        labels.push(class);
    }
    Drawn { rows, labels }
}

/// A place, as often as its share of the sum says.
fn pick(shares: ArrayView1<'_, f64>, generator: &mut Generator) -> usize {
    let mut left = generator.random::<f64>() * shares.sum();
    let place = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    // Rounding may leave a little at the end: it belongs to the last that can be drawn.
    place.unwrap_or_else(|| shares.iter().rposition(|share| *share > 0.0).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;
    use ndarray::{Axis, array};

    #[test]
    fn drawn_rows_have_the_shares_and_moments_of_their_classes() {
        let law = Gaussians {
            weights: array![0.25, 0.75],
            means: array![[10.0, 0.0], [-10.0, 5.0]],
            spreads: vec![
                Spread::Variances(array![1.0, 4.0]),
                Spread::Variances(array![9.0, 1.0]),
            ],
        };
        let drawn = from_gaussians(&law, 4000, &mut generator(1, 0));
        let second: Vec<usize> = (0..4000).filter(|&row| drawn.labels[row] == 1).collect();
        // Standard errors: √(0.25·0.75 ⁄ 4000) = 0.007; 3 ⁄ √3000 = 0.055.
        assert!((second.len() as f64 / 4000.0 - 0.75).abs() < 0.028);
        let rows = drawn.rows.select(Axis(0), &second);
        let mean = rows.mean_axis(Axis(0)).unwrap();
        assert!(
            (mean[0] + 10.0).abs() < 0.22 && (mean[1] - 5.0).abs() < 0.08,
            "{mean}"
        );
    }

    #[test]
    fn drawn_counts_have_the_mean_length_and_the_rates_of_their_class() {
        let mut law = Rates {
            law: CountLaw::Multinomial,
            weights: array![1.0, 0.0],
            rates: array![[0.2, 0.8], [0.5, 0.5]],
            length: 10.0,
        };
        let drawn = from_rates(&law, 1000, &mut generator(2, 0));
        assert!(drawn.labels.iter().all(|&class| class == 0));
        assert!(
            drawn
                .rows
                .sum_axis(Axis(1))
                .iter()
                .all(|&length| length == 10.0)
        );
        // The standard error of a share of 10 000 tokens is 0.004.
        assert!((drawn.rows.column(0).sum() / 1e4 - 0.2).abs() < 0.016);
        law.law = CountLaw::Bernoulli;
        let drawn = from_rates(&law, 1000, &mut generator(3, 0));
        assert!((drawn.rows.column(1).sum() / 1e3 - 0.8).abs() < 0.05);
    }
}
