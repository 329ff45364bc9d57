//! What one grouping tells about another, in nats.

use super::contingency::Contingency;
use didact_math::numeric::{CompensatedSum, x_log_x};
use serde::Serialize;

/// What mutual information is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalizer {
    /// The smaller entropy.
    Minimum,
    /// √(H(C)·H(K)).
    Geometric,
    /// The mean of the entropies.
    Arithmetic,
    /// The larger entropy.
    Maximum,
}

impl Normalizer {
    fn of(self, left: f64, right: f64) -> f64 {
        match self {
            Normalizer::Minimum => left.min(right),
            Normalizer::Geometric => (left * right).sqrt(),
            Normalizer::Arithmetic => (left + right) / 2.0,
            Normalizer::Maximum => left.max(right),
        }
    }
}

impl Contingency {
    /// I(C;K) = Σ pᵢⱼ ln(pᵢⱼ/(pᵢ·pⱼ)).
    pub fn mutual_information(&self) -> f64 {
        let total = self.n_rows();
        let term = |&(i, j, count): &(usize, usize, f64)| {
            let expected = self.truth[i] * self.predicted[j] / total;
            count / total * (count / expected).ln()
        };
        let sum: CompensatedSum = self.cells.iter().map(term).collect();
        // Never negative, and nothing but rounding where it is below the precision.
        match sum.value() < f64::EPSILON {
            true => 0.0,
            false => sum.value(),
        }
    }

    /// Mutual information as a share of an average of the entropies.
    ///
    /// One where neither grouping separates anything.
    pub fn normalized_mutual_information(&self, normalizer: Normalizer) -> f64 {
        if self.truth.len() == 1 && self.predicted.len() == 1 {
            return 1.0;
        }
        match self.mutual_information() {
            0.0 => 0.0,
            shared => shared / normalizer.of(entropy(&self.truth), entropy(&self.predicted)),
        }
    }

    /// Mutual information beyond what chance gives to groups of these sizes, as a share of what is
    /// possible.
    ///
    /// One where neither grouping separates anything, zero where only one of them does.
    pub fn adjusted_mutual_information(&self, normalizer: Normalizer) -> f64 {
        match (self.truth.len(), self.predicted.len()) {
            (1, 1) => return 1.0,
            (1, _) | (_, 1) => return 0.0,
            _ => {}
        }
        let expected = self.expected_mutual_information();
        let away_from_zero = |value: f64| match value < 0.0 {
            true => value.min(-f64::EPSILON),
            false => value.max(f64::EPSILON),
        };
        let possible = normalizer.of(entropy(&self.truth), entropy(&self.predicted)) - expected;
        let gained = self.mutual_information() - expected;
        away_from_zero(gained) / away_from_zero(possible)
    }

    /// 1 − H(C|K)/H(C): whether each predicted group holds one true group only.
    pub fn homogeneity(&self) -> f64 {
        share(self.mutual_information(), entropy(&self.truth))
    }

    /// 1 − H(K|C)/H(K): whether each true group is in one predicted group only.
    pub fn completeness(&self) -> f64 {
        share(self.mutual_information(), entropy(&self.predicted))
    }

    /// (1+β)·h·c/(β·h + c) of homogeneity h and completeness c.
    pub fn v_measure(&self, beta: f64) -> f64 {
        let (homogeneity, completeness) = (self.homogeneity(), self.completeness());
        match homogeneity + completeness == 0.0 {
            true => 0.0,
            false => {
                (1.0 + beta) * homogeneity * completeness / (beta * homogeneity + completeness)
            }
        }
    }

    /// Mean mutual information of groupings with these sizes, all equally probable: the sum over
    /// the hypergeometric law of each cell.
    fn expected_mutual_information(&self) -> f64 {
        let total = self.n_rows();
        let log_factorials = log_factorials(total as usize);
        let ln_factorial = |count: f64| log_factorials[count as usize];
        let mut sum = CompensatedSum::default();
        for &a in &self.truth {
            for &b in &self.predicted {
                let mut count = (a + b - total).max(1.0);
                let fixed = ln_factorial(a)
                    + ln_factorial(b)
                    + ln_factorial(total - a)
                    + ln_factorial(total - b)
                    - ln_factorial(total);
                while count <= a.min(b) {
                    let log_probability = fixed
                        - ln_factorial(count)
                        - ln_factorial(a - count)
                        - ln_factorial(b - count)
                        - ln_factorial(total - a - b + count);
                    let information = count / total * (total * count / (a * b)).ln();
                    sum.add(information * log_probability.exp());
                    count += 1.0;
                }
            }
        }
        sum.value()
    }
}

/// H = −Σ p ln p of groups of these sizes.
fn entropy(sizes: &[f64]) -> f64 {
    let total: f64 = sizes.iter().sum();
    let sum: CompensatedSum = sizes.iter().map(|size| -x_log_x(size / total)).collect();
    match sizes.len() {
        1 => 0.0,
        _ => sum.value(),
    }
}

fn share(part: f64, whole: f64) -> f64 {
    match whole > 0.0 {
        true => part / whole,
        false => 1.0,
    }
}

/// ln 0!, ln 1!, … ln n!.
fn log_factorials(n: usize) -> Vec<f64> {
    let mut sum = CompensatedSum::default();
    let mut values = Vec::with_capacity(n + 1);
    values.push(0.0);
    for factor in 1..=n {
        sum.add((factor as f64).ln());
        values.push(sum.value());
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, labels, noisy};
    use super::*;

    // Oracle: scikit-learn's mutual_info_score, normalized_mutual_info_score and
    // adjusted_mutual_info_score with each average_method, homogeneity_score, completeness_score,
    // v_measure_score with β = 1 and 0.5. 001:CLU-17
    #[test]
    fn shared_information_agrees_with_the_oracle() {
        let truth = labels(120, 4, 91);
        let predicted = noisy(&truth, 6, 0.7, 92);
        let table = Contingency::new(&truth, &predicted).unwrap();
        let mut found = vec![table.mutual_information()];
        for normalizer in [
            Normalizer::Minimum,
            Normalizer::Geometric,
            Normalizer::Arithmetic,
            Normalizer::Maximum,
        ] {
            found.push(table.normalized_mutual_information(normalizer));
            found.push(table.adjusted_mutual_information(normalizer));
        }
        found.extend([
            table.homogeneity(),
            table.completeness(),
            table.v_measure(1.0),
            table.v_measure(0.5),
        ]);
        for (found, expected) in found.into_iter().zip(INFORMATION) {
            assert_near(found, expected);
        }
    }

    const INFORMATION: [f64; 13] = [
        0.7944542671390165,
        0.5765946253317397,
        0.5541430056029604,
        0.532646196644275,
        0.50984521302153,
        0.5309765574316637,
        0.5081693319056836,
        0.4920475466388193,
        0.4692395506584157,
        0.5765946253317397,
        0.4920475466388193,
        0.5309765574316637,
        0.5453588258127458,
    ];

    // The same degenerate cases by scikit-learn: 1, 1, 1 for two constant groupings; 0, 0 and
    // (1, 0) for a constant prediction; perfect for one group per row on both sides.
    #[test]
    fn constant_groupings_have_defined_figures() {
        let figures = |truth: &[usize], predicted: &[usize]| {
            let table = Contingency::new(truth, predicted).unwrap();
            [
                table.normalized_mutual_information(Normalizer::Arithmetic),
                table.adjusted_mutual_information(Normalizer::Arithmetic),
                table.homogeneity(),
                table.completeness(),
                table.v_measure(1.0),
            ]
        };
        assert_eq!(figures(&[0, 0, 0], &[1, 1, 1]), [1.0; 5]);
        assert_eq!(figures(&[0, 1, 1], &[2, 2, 2]), [0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(figures(&[0, 0, 0], &[0, 1, 1]), [0.0, 0.0, 1.0, 0.0, 0.0]);
        for figure in figures(&[0, 1, 2, 3], &[3, 2, 1, 0]) {
            assert_near(figure, 1.0);
        }
    }
}
