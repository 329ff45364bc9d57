//! Spoils clean rows on purpose, so that a method can learn to mend them.

use didact_core::random::{Generator, generator};
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// A way to spoil rows.
///
/// A denoiser learns from pairs of a spoiled and a clean row. A strength of zero leaves the
/// rows as they are.
///
/// ```
/// use didact_datasets::{Corruption, digits};
/// let digits = digits();
/// let noise = Corruption::SaltAndPepper { share: 0.1, low: 0.0, high: 16.0 };
/// let spoiled = noise.apply(digits.features(), 5)?;
/// assert_eq!(spoiled.dim(), (1797, 64));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Corruption {
    /// Sets a share of the values to a fixed one.
    Mask {
        /// Share of the values that are hidden.
        share: f64,
        /// What is written in their place.
        value: f64,
    },
    /// Sets a share of the values to the lowest or the highest one.
    SaltAndPepper {
        /// Share of the values that are replaced.
        share: f64,
        /// The lowest value.
        low: f64,
        /// The highest value.
        high: f64,
    },
    /// Adds normal noise to every value.
    Gaussian {
        /// Standard deviation of the noise.
        deviation: f64,
    },
    /// Draws straight lines across every row, read as an image.
    Lines {
        /// How many pixels a line of the image has.
        width: usize,
        /// How many lines to draw, each horizontal or vertical.
        count: usize,
        /// The value of a drawn pixel.
        value: f64,
    },
}

impl Corruption {
    /// Spoiled rows, in the order of the clean ones; the same seed spoils in the same way.
    pub fn apply(&self, clean: ArrayView2<'_, f64>, seed: u64) -> Result<Array2<f64>> {
        self.check(clean.ncols())?;
        let random = &mut generator(seed, 0);
        let mut spoiled = clean.as_standard_layout().into_owned();
        match *self {
            Corruption::Mask { share, value } => spoiled.mapv_inplace(|clean| {
                let hidden = random.random::<f64>() < share;
                if hidden { value } else { clean }
            }),
            Corruption::SaltAndPepper { share, low, high } => spoiled.mapv_inplace(|clean| {
                let place = random.random::<f64>();
                match place < share {
                    true if place < share / 2.0 => low,
                    true => high,
                    false => clean,
                }
            }),
            Corruption::Gaussian { deviation } => spoiled.mapv_inplace(|clean| {
                let noise: f64 = StandardNormal.sample(random);
                clean + deviation * noise
            }),
            Corruption::Lines {
                width,
                count,
                value,
            } => {
                for mut row in spoiled.rows_mut() {
                    let pixels = row.as_slice_mut().unwrap_or_default();
                    for _ in 0..count {
                        draw_line(pixels, width, value, random);
                    }
                }
            }
        }
        Ok(spoiled)
    }

    fn check(&self, n_columns: usize) -> Result<()> {
        let wrong = |name: &str, value: f64, requirement: &str| {
            Err(Error::parameter(name, value, requirement))
        };
        match *self {
            Corruption::Mask { share, .. } | Corruption::SaltAndPepper { share, .. }
                if !(0.0..=1.0).contains(&share) =>
            {
                wrong("share", share, "it must be at least 0 and at most 1")
            }
            Corruption::Mask { value, .. } | Corruption::Lines { value, .. }
                if !value.is_finite() =>
            {
                wrong("value", value, "it must be a finite number")
            }
            Corruption::SaltAndPepper { low, high, .. }
                if !(low.is_finite() && high.is_finite() && low <= high) =>
            {
                wrong("low", low, "it must be finite and at most high")
            }
            Corruption::Gaussian { deviation } if !(deviation >= 0.0 && deviation.is_finite()) => {
                wrong("deviation", deviation, "it must be finite and not negative")
            }
            Corruption::Lines { width, .. } if width == 0 || !n_columns.is_multiple_of(width) => {
                Err(Error::parameter(
                    "width",
                    width,
                    format!("it must divide the {n_columns} columns of a row"),
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Draws one horizontal or vertical line, both alike, at a random place.
fn draw_line(pixels: &mut [f64], width: usize, value: f64, random: &mut Generator) {
    if pixels.is_empty() {
        return;
    }
    let height = pixels.len() / width;
    if random.random() {
        let start = width * random.random_range(0..height);
        pixels[start..start + width].fill(value);
    } else {
        let start = random.random_range(0..width);
        pixels
            .iter_mut()
            .skip(start)
            .step_by(width)
            .for_each(|pixel| *pixel = value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digits;

    fn share_changed(left: &Array2<f64>, right: &Array2<f64>) -> f64 {
        let changed = left.iter().zip(right).filter(|(a, b)| a != b).count();
        changed as f64 / left.len() as f64
    }

    // 000b:D47: with nothing spoiled the pairs are those of a plain autoencoder.
    #[test]
    fn no_strength_leaves_the_rows_alone() {
        let clean = digits();
        let nothing = [
            Corruption::Mask {
                share: 0.0,
                value: 9.0,
            },
            Corruption::SaltAndPepper {
                share: 0.0,
                low: 0.0,
                high: 16.0,
            },
            Corruption::Gaussian { deviation: 0.0 },
            Corruption::Lines {
                width: 8,
                count: 0,
                value: 9.0,
            },
        ];
        for corruption in nothing {
            assert_eq!(
                corruption.apply(clean.features(), 1).unwrap(),
                clean.features()
            );
        }
    }

    // 000b:D47. 100 000 values: a share of 0.3 has standard error 0.0014.
    #[test]
    fn the_share_of_spoiled_values_is_the_one_asked_for() {
        let clean = Array2::from_elem((1000, 100), 0.5);
        let mask = Corruption::Mask {
            share: 0.3,
            value: 0.0,
        };
        let masked = mask.apply(clean.view(), 2).unwrap();
        assert!((share_changed(&clean, &masked) - 0.3).abs() < 0.006);
        assert!(masked.iter().all(|value| [0.0, 0.5].contains(value)));
        let salt = Corruption::SaltAndPepper {
            share: 0.3,
            low: 0.0,
            high: 1.0,
        };
        let salted = salt.apply(clean.view(), 2).unwrap();
        let share = |wanted: f64| {
            salted.iter().filter(|value| **value == wanted).count() as f64 / salted.len() as f64
        };
        assert!((share(0.0) - 0.15).abs() < 0.005 && (share(1.0) - 0.15).abs() < 0.005);
    }

    // 000b:D47. The standard error of a standard deviation from n values is σ/√(2n).
    #[test]
    fn gaussian_noise_has_the_deviation_asked_for_and_no_bias() {
        let clean = Array2::zeros((1000, 100));
        let noisy = Corruption::Gaussian { deviation: 2.0 }
            .apply(clean.view(), 3)
            .unwrap();
        assert!(noisy.mean().unwrap().abs() < 4.0 * 2.0 / 100_000f64.sqrt());
        assert!((noisy.std(0.0) - 2.0).abs() < 4.0 * 2.0 / 200_000f64.sqrt());
    }

    // 000b:D47
    #[test]
    fn a_line_fills_exactly_one_row_or_column_of_the_image() {
        let clean = Array2::zeros((50, 12));
        let lines = Corruption::Lines {
            width: 4,
            count: 1,
            value: 1.0,
        };
        let spoiled = lines.apply(clean.view(), 4).unwrap();
        let mut seen = [false; 2];
        for row in spoiled.rows() {
            let drawn: Vec<usize> = (0..12).filter(|&pixel| row[pixel] == 1.0).collect();
            let horizontal =
                drawn.len() == 4 && drawn[0].is_multiple_of(4) && drawn[3] == drawn[0] + 3;
            let vertical = drawn.len() == 3 && drawn[1] == drawn[0] + 4 && drawn[2] == drawn[1] + 4;
            assert!(horizontal || vertical, "{drawn:?}");
            seen[usize::from(vertical)] = true;
        }
        assert_eq!(seen, [true, true]);
    }

    #[test]
    fn wrong_parameters_are_named() {
        let rows = Array2::zeros((2, 10));
        let say =
            |corruption: Corruption| corruption.apply(rows.view(), 0).unwrap_err().to_string();
        let mask = Corruption::Mask {
            share: 1.5,
            value: 0.0,
        };
        assert_eq!(
            say(mask),
            "share is 1.5; it must be at least 0 and at most 1"
        );
        let lines = Corruption::Lines {
            width: 3,
            count: 1,
            value: 1.0,
        };
        assert_eq!(
            say(lines),
            "width is 3; it must divide the 10 columns of a row"
        );
        assert!(say(Corruption::Gaussian { deviation: -1.0 }).starts_with("deviation is -1"));
    }

    #[test]
    fn the_same_seed_spoils_in_the_same_way() {
        let rows = digits().features().to_owned();
        let noise = Corruption::Gaussian { deviation: 1.0 };
        let spoil = |seed| noise.apply(rows.view(), seed).unwrap();
        assert_eq!(spoil(1), spoil(1));
        assert_ne!(spoil(1), spoil(2));
    }
}
