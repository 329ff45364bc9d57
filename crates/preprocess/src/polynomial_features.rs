//! Polynomial features: products of the columns, in which a plane becomes a curve.

use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Fit, Model, OwnedRows, Result, Rows, Run,
    Samples, Transform, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// More products than this are refused; one row of them takes eighty megabytes.
const MOST: usize = 10_000_000;

/// Adds the products of the columns up to a degree.
///
/// From d columns come all monomials up to degree k, C(d+k, k) with the constant one, in the order
/// of their degrees: (a, b) becomes (1, a, b, a², ab, b²) for k = 2. A plane in these is a curve of
/// degree k in the columns, so that linear methods tell an exclusive or or a circle from the rest.
/// Scaled `for-kernel`, each monomial is multiplied with the root of how often it occurs in
/// (1 + Σxᵢ)ᵏ, which makes inner products of rows the polynomial kernel: φ(x)·φ(y) = (x·y + 1)ᵏ.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_preprocess::PolynomialFeatures;
/// let x = ndarray::array![[2.0, 3.0]];
/// let model = PolynomialFeatures::default().fit((&x).into())?;
/// let products = model.transform(&x)?.into_dense();
/// assert_eq!(products, ndarray::array![[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolynomialFeatures {
    /// The highest degree of a product.
    #[schemars(range(min = 1, max = 64))]
    pub degree: usize,
    /// Whether only products of different columns are made.
    pub interaction_only: bool,
    /// Whether the constant one is among them.
    pub include_bias: bool,
    /// What the products are multiplied with.
    pub scaling: MonomialScaling,
}

/// What monomials are multiplied with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MonomialScaling {
    /// They stay as they are.
    #[default]
    None,
    /// Roots of multinomial coefficients, so that inner products are the polynomial kernel.
    ForKernel,
}

impl Default for PolynomialFeatures {
    fn default() -> Self {
        PolynomialFeatures {
            degree: 2,
            interaction_only: false,
            include_bias: true,
            scaling: MonomialScaling::None,
        }
    }
}

/// Which products are made of how many columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolynomialFeaturesModel {
    parameters: PolynomialFeatures,
    n_columns: usize,
    n_outputs: usize,
}

/// A product of one column with a monomial that was made before.
struct Step {
    /// The place of that monomial; the constant one is at place 0.
    before: usize,
    column: usize,
}

impl Fit<Samples<'_>> for PolynomialFeatures {
    type Model = PolynomialFeaturesModel;

    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, _run: &Run) -> Result<PolynomialFeaturesModel> {
        if self.interaction_only && self.scaling == MonomialScaling::ForKernel {
            return Err(Error::parameter(
                "scaling",
                "for-kernel",
                "without the powers there is no kernel; with interaction_only it must be none",
            ));
        }
        let n_columns = data.n_columns();
        let monomials = self.count(n_columns).filter(|&count| count <= MOST);
        let Some(monomials) = monomials else {
            return Err(Error::parameter(
                "degree",
                self.degree,
                format!("{n_columns} columns would make more than {MOST} products; lower it"),
            ));
        };
        Ok(PolynomialFeaturesModel {
            n_outputs: monomials - usize::from(!self.include_bias),
            parameters: self.clone(),
            n_columns,
        })
    }
}

impl PolynomialFeatures {
    /// The number of monomials with the constant one; none where it is beyond all numbers.
    fn count(&self, n_columns: usize) -> Option<usize> {
        match self.interaction_only {
            // C(d+k, k), multiplied up so that every quotient is whole.
            false => (1..=self.degree).try_fold(1usize, |count, k| {
                Some(count.checked_mul(n_columns + k)? / k)
            }),
            // C(d, 0) + C(d, 1) + … + C(d, k).
            true => {
                let (mut term, mut count) = (1usize, 1usize);
                for k in 1..=self.degree.min(n_columns) {
                    term = term.checked_mul(n_columns + 1 - k)? / k;
                    count = count.checked_add(term)?;
                }
                Some(count)
            }
        }
    }

    /// How each monomial but the constant one comes from an earlier one, in rising degrees.
    fn steps(&self, n_columns: usize) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        // The monomials of the degree before, each with the first column that may follow it.
        let mut before = vec![(0, 0)];
        for _ in 0..self.degree {
            let mut next = Vec::new();
            for (place, first) in before {
                for column in first..n_columns {
                    steps.push(Step {
                        before: place,
                        column,
                    });
                    next.push((steps.len(), column + usize::from(self.interaction_only)));
                }
            }
            before = next;
        }
        steps
    }
}

impl PolynomialFeaturesModel {
    /// How often each column is a factor of each product.
    pub fn powers(&self) -> Array2<usize> {
        let steps = self.parameters.steps(self.n_columns);
        let mut powers = Array2::zeros((steps.len() + 1, self.n_columns));
        for (index, step) in steps.iter().enumerate() {
            let factors = powers.row(step.before).to_owned();
            powers.row_mut(index + 1).assign(&factors);
            powers[[index + 1, step.column]] += 1;
        }
        powers.slice_move(ndarray::s![self.skipped().., ..])
    }

    /// One where the constant one is left out.
    fn skipped(&self) -> usize {
        usize::from(!self.parameters.include_bias)
    }

    /// What each monomial is multiplied with: the root of k!/(j₀!·j₁!⋯), the powers of the columns
    /// being j₁, j₂, … and j₀ what is left of the degree k.
    fn factors(&self) -> Option<Vec<f64>> {
        if self.parameters.scaling == MonomialScaling::None {
            return None;
        }
        let degree = self.parameters.degree;
        let of_powers = |powers: ndarray::ArrayView1<'_, usize>| {
            let (mut left, mut ways) = (degree, 1.0);
            for &power in powers.iter().filter(|&&power| power > 0) {
                // C(left, power), one factor after the other.
                for k in 0..power {
                    ways *= (left - k) as f64 / (power - k) as f64;
                }
                left -= power;
            }
            ways.sqrt()
        };
        Some(self.powers().rows().into_iter().map(of_powers).collect())
    }
}

impl Features for PolynomialFeaturesModel {
    fn n_features(&self) -> usize {
        self.n_columns
    }
}

impl Transform for PolynomialFeaturesModel {
    fn n_outputs(&self) -> usize {
        self.n_outputs
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let dense = rows.dense()?;
        let (steps, factors) = (self.parameters.steps(self.n_columns), self.factors());
        let mut products = vec![1.0; steps.len() + 1];
        let mut output = Array2::zeros((dense.nrows(), self.n_outputs));
        for (row, mut made) in dense.rows().into_iter().zip(output.rows_mut()) {
            for (index, step) in steps.iter().enumerate() {
                products[index + 1] = products[step.before] * row[step.column];
            }
            let made = made.as_slice_mut().expect("a fresh matrix is contiguous");
            made.copy_from_slice(&products[self.skipped()..]);
            if let Some(factors) = &factors {
                for (value, factor) in made.iter_mut().zip(factors) {
                    *value *= factor;
                }
            }
        }
        match output.iter().all(|value| value.is_finite()) {
            true => Ok(OwnedRows::Dense(output)),
            false => Err(Error::numerical(
                "a product of the columns is too large for a number; scale the columns or lower \
                 the degree",
            )),
        }
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        let of_powers = |powers: ndarray::ArrayView1<'_, usize>| {
            let factors = powers
                .iter()
                .zip(input_names)
                .filter(|(power, _)| **power > 0);
            let words: Vec<String> = factors
                .map(|(power, name)| match power {
                    1 => name.clone(),
                    _ => format!("{name}^{power}"),
                })
                .collect();
            match words.is_empty() {
                true => "1".to_owned(),
                false => words.join(" "),
            }
        };
        self.powers().rows().into_iter().map(of_powers).collect()
    }
}

impl Model for PolynomialFeaturesModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[Attribute {
        name: "n_output_features",
        meaning: "number of products.",
        get: |model| Value::from(model.n_outputs),
    }];

    fn validate(&self) -> Result<()> {
        let PolynomialFeatures { degree, .. } = self.parameters;
        let is_sound = (1..=64).contains(&degree) && (1..=MOST).contains(&self.n_columns);
        let monomials = self
            .parameters
            .count(self.n_columns)
            .filter(|&count| count <= MOST);
        ensure_consistent(is_sound && monomials == Some(self.n_outputs + self.skipped()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    fn products(parameters: &PolynomialFeatures, x: &Array2<f64>) -> Array2<f64> {
        let model = parameters.fit(x.into()).unwrap();
        model.transform(x).unwrap().into_dense()
    }

    // 000a:SUP-18: C(d+k, k) monomials, cross terms included, as PolynomialFeatures of scikit-learn.
    #[test]
    fn all_monomials_up_to_the_degree_are_there_in_order() {
        let x = array![[2.0, 3.0, 5.0]];
        let cubic = PolynomialFeatures {
            degree: 3,
            ..PolynomialFeatures::default()
        };
        let found = products(&cubic, &x);
        let expected = [
            1.0, 2.0, 3.0, 5.0, 4.0, 6.0, 10.0, 9.0, 15.0, 25.0, 8.0, 12.0, 20.0, 18.0, 30.0, 50.0,
            27.0, 45.0, 75.0, 125.0,
        ];
        assert_eq!(found.row(0).to_vec(), expected);
        for (d, k, count) in [(1, 5, 6), (4, 2, 15), (10, 4, 1001)] {
            let x = Array2::ones((1, d));
            let parameters = PolynomialFeatures {
                degree: k,
                ..PolynomialFeatures::default()
            };
            assert_eq!(products(&parameters, &x).ncols(), count);
        }
    }

    #[test]
    fn products_of_different_columns_and_no_constant_on_request() {
        let parameters = PolynomialFeatures {
            degree: 3,
            interaction_only: true,
            include_bias: false,
            ..PolynomialFeatures::default()
        };
        let x = array![[2.0, 3.0, 5.0]];
        assert_eq!(
            products(&parameters, &x),
            array![[2.0, 3.0, 5.0, 6.0, 10.0, 15.0, 30.0]]
        );
        let model = parameters.fit((&x).into()).unwrap();
        let names = model.output_names(&["a".into(), "b".into(), "c".into()]);
        assert_eq!(names, ["a", "b", "c", "a b", "a c", "b c", "a b c"]);
    }

    // 001:KER-02: φ(x) = (1, √2x₁, √2x₂, x₁², √2x₁x₂, x₂²), and φ(x)·φ(y) = (x·y + 1)ᵏ.
    #[test]
    fn scaled_for_the_kernel_inner_products_are_the_polynomial_kernel() {
        for degree in 1..=5 {
            let parameters = PolynomialFeatures {
                degree,
                scaling: MonomialScaling::ForKernel,
                ..PolynomialFeatures::default()
            };
            let x = array![[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]];
            let found = products(&parameters, &x);
            let kernel = (x.row(0).dot(&x.row(1)) + 1.0).powi(degree as i32);
            assert!(
                (found.row(0).dot(&found.row(1)) - kernel).abs() < 1e-12 * kernel.abs().max(1.0)
            );
        }
        let quadratic = PolynomialFeatures {
            scaling: MonomialScaling::ForKernel,
            ..PolynomialFeatures::default()
        };
        let (found, root) = (products(&quadratic, &array![[2.0, 3.0]]), 2f64.sqrt());
        let expected = [1.0, 2.0 * root, 3.0 * root, 4.0, 6.0 * root, 9.0];
        for (value, expected) in found.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-14);
        }
    }

    // 001:T-11: (x·x' + 1)² = 144 = 1 + 6 + 16 + 48 + 9 + 64 for x = (1, 2), x' = (3, 4).
    #[test]
    fn the_printed_pair_has_its_printed_products() {
        let quadratic = PolynomialFeatures {
            scaling: MonomialScaling::ForKernel,
            ..PolynomialFeatures::default()
        };
        let found = products(&quadratic, &array![[1.0, 2.0], [3.0, 4.0]]);
        let terms = &found.row(0) * &found.row(1);
        // In the order 1, a, b, a², ab, b² of the monomials.
        for (found, expected) in terms.iter().zip([1.0, 6.0, 16.0, 9.0, 48.0, 64.0]) {
            assert!((found - expected).abs() < 1e-13);
        }
        assert!((terms.sum() - 144.0).abs() < 1e-12);
    }

    // 001:OV-04: a linear model on quadratic features fits a quadratic exactly.
    #[test]
    fn a_quadratic_is_a_plane_in_the_quadratic_features() {
        // A grid of four by three points lies on no conic.
        let x = Array2::from_shape_fn((12, 2), |(i, j)| [i % 4, i / 4][j] as f64 - 1.0);
        let quadratic = |a: f64, b: f64| 2.0 - a + 0.5 * b + 3.0 * a * a - 2.0 * a * b + b * b;
        let y = Array2::from_shape_fn((12, 1), |(i, _)| quadratic(x[[i, 0]], x[[i, 1]]));
        let features = products(&PolynomialFeatures::default(), &x);
        let found = didact_math::linalg::pseudo_solve(features.view(), y.view(), None).unwrap();
        for (found, expected) in found.solution.iter().zip([2.0, -1.0, 0.5, 3.0, -2.0, 1.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    // 000a:fx-T8, 001:KER-03: the exclusive or is the sign of ab, a plane among the products.
    #[test]
    fn an_exclusive_or_is_a_plane_in_the_products() {
        let x = array![[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]];
        let found = products(&PolynomialFeatures::default(), &x);
        let plane: Array1<f64> = array![0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert_eq!(found.dot(&plane), array![1.0, 1.0, -1.0, -1.0]);
    }

    #[test]
    fn too_many_products_and_values_beyond_numbers_are_refused() {
        let wide = Array2::ones((1, 1000));
        let parameters = PolynomialFeatures {
            degree: 4,
            ..PolynomialFeatures::default()
        };
        let message = parameters.fit((&wide).into()).unwrap_err().to_string();
        assert!(message.contains("degree"), "{message}");
        let huge = array![[1e300]];
        let model = parameters.fit((&huge).into()).unwrap();
        assert!(model.transform(&huge).is_err());
    }
}
