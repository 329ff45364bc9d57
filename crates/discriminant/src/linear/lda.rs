//! Linear discriminant analysis.

use super::axes::{DiscriminantAxes, discriminant_axes, weighted_shifts};
use super::metric::Metric;
use super::model::LinearDiscriminantModel;
use super::moments::{ClassMoments, rows_of_class};
use super::shrinkage::ledoit_wolf;
use crate::priors::ClassPrior;
use didact_core::{Accepts, Error, Fit, Labelled, LearnInPieces, Next, Result, Run};
use didact_math::linalg::{a_times_bt, at_times_b, generalised_eigen};
use didact_probability::gaussian::GaussianEstimate;
use ndarray::{Array1, Array2, Axis, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Separates classes by linear boundaries, and finds the axes along which they lie apart.
///
/// The classes are taken as Gaussian with one covariance S_w, so the boundaries are planes:
/// ln P(c | x) = x·S_w⁻¹μ_c − ½μ_c·S_w⁻¹μ_c + ln π_c up to a summand. The axes maximise the ratio of
/// the scatter between classes to that within, S_b·v = λ·S_w·v; there is at most one less than
/// there are classes. Where S_w has no inverse, directions without spread are left out.
///
/// ```
/// use didact_core::{Classify, Fit, Transform};
/// use didact_discriminant::Lda;
/// let iris = didact_datasets::iris();
/// let model = Lda::default().fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert_eq!(right, 147);
/// assert_eq!(model.transform(iris.samples())?.into_dense().dim(), (150, 2));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LinearDiscriminantAnalysis")]
pub struct Lda {
    /// How the covariance within the classes is inverted.
    pub solver: LdaSolver,
    /// How far the covariance is drawn towards a sphere: a number from 0 to 1, `auto` for what
    /// Ledoit and Wolf found best, or null for not at all. Not with the solver `svd`.
    pub shrinkage: Option<Shrinkage>,
    /// The probability of each class in label order; learned from the rows where absent.
    pub priors: Option<Vec<f64>>,
    /// How many axes to keep, at most one less than there are classes.
    #[schemars(range(min = 1))]
    pub n_components: Option<usize>,
    /// How much each class counts in the scatter within and between classes.
    pub class_weighting: ClassWeighting,
    /// Whether the model keeps the covariance within the classes.
    pub store_covariance: bool,
    /// Directions count as without spread below this share of the deviations of the columns.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
}

/// How the covariance within the classes is inverted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LdaSolver {
    /// By its singular values: safe where columns depend on each other, and for more columns
    /// than rows.
    #[default]
    Svd,
    /// By a Cholesky factor, and the axes from the generalised eigenproblem.
    Eigen,
    /// By a Cholesky factor, and the axes from a problem with one row per class: the fastest.
    Lsqr,
}

/// How far a covariance is drawn towards a sphere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shrinkage {
    /// As far as Ledoit and Wolf found best for each class.
    Auto,
    /// By this share.
    #[serde(untagged)]
    Share(#[schemars(range(min = 0.0, max = 1.0))] f64),
}

/// How much each class counts in the scatter within and between classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeighting {
    /// As its probability.
    #[default]
    Priors,
    /// As any other.
    Equal,
}

impl Default for Lda {
    fn default() -> Self {
        Lda {
            solver: LdaSolver::Svd,
            shrinkage: None,
            priors: None,
            n_components: None,
            class_weighting: ClassWeighting::Priors,
            store_covariance: false,
            tol: 1e-4,
        }
    }
}

/// What is known of the classes before the boundaries are drawn.
pub(super) struct Problem {
    pub(super) moments: ClassMoments,
    pub(super) priors: Array1<f64>,
    /// How much each class counts in the scatter between classes; they add up to one.
    pub(super) between: Array1<f64>,
    /// The common mean.
    pub(super) xbar: Array1<f64>,
    /// Rows √weight·(mean − common mean).
    pub(super) shifts: Array2<f64>,
}

impl Problem {
    pub(super) fn new(
        moments: ClassMoments,
        priors: Array1<f64>,
        between: Array1<f64>,
    ) -> Result<Self> {
        if moments.present().len() < 2 {
            return Err(Error::data(
                "only one class has rows; a discriminant needs rows of at least two classes",
            ));
        }
        let xbar = between.dot(&moments.means);
        let shifts = weighted_shifts(&moments.means, &xbar, &between);
        Ok(Problem {
            moments,
            priors,
            between,
            xbar,
            shifts,
        })
    }

    /// Boundaries and axes in the given metric.
    pub(super) fn model(
        self,
        metric: &Metric,
        axes: DiscriminantAxes,
        n_components: Option<usize>,
        covariance: Option<Array2<f64>>,
    ) -> Result<LinearDiscriminantModel> {
        let ClassMoments { classes, means, .. } = self.moments;
        // About the common mean: far from zero x·S⁻¹μ − ½μ·S⁻¹μ would cancel.
        let mut shifts = &means - &self.xbar;
        for (mut row, prior) in shifts.rows_mut().into_iter().zip(&self.between) {
            if *prior == 0.0 {
                row.fill(0.0);
            }
        }
        let coef = match metric {
            // Directions in which the means do not differ say nothing; leaving them out is
            // what keeps the noise of a nearly singular covariance away.
            Metric::Whitening(_) => {
                let places = shifts.dot(&axes.columns);
                a_times_bt(places.view(), axes.columns.view())
            }
            Metric::Factor(_) => metric.solve_rows(shifts.view()),
        };
        let squares = (&coef * &shifts).sum_axis(Axis(1));
        let intercept = self.priors.mapv(f64::ln) - 0.5 * squares - coef.dot(&self.xbar);
        let numbers = coef.iter().chain(&axes.columns);
        if !numbers.chain(&self.xbar).all(|number| number.is_finite())
            || intercept.iter().any(|number| number.is_nan())
        {
            return Err(Error::numerical(
                "the weights of some columns overflow; \
                 divide the columns by powers of ten so that their values are near one",
            ));
        }
        let most = n_components.unwrap_or(usize::MAX).min(axes.ratios.len());
        let total = axes.ratios.sum().max(f64::MIN_POSITIVE);
        Ok(LinearDiscriminantModel {
            coef: coef.as_standard_layout().into_owned(),
            intercept,
            scalings: axes.columns.slice(s![.., ..most]).to_owned(),
            explained_variance_ratio: axes.ratios.slice(s![..most]).mapv(|ratio| ratio / total),
            priors: self.priors,
            xbar: self.xbar,
            classes,
            means,
            covariance,
        })
    }
}

impl Lda {
    /// Whether the scatter of all classes together is enough.
    fn pooled(&self) -> bool {
        let as_counted = self.priors.is_none() && self.class_weighting == ClassWeighting::Priors;
        let by_svd =
            self.solver == LdaSolver::Svd && self.class_weighting == ClassWeighting::Priors;
        by_svd || as_counted
    }

    fn check(&self, n_classes: usize, n_columns: usize) -> Result<()> {
        let most = n_classes.saturating_sub(1).min(n_columns);
        match (self.n_components, self.shrinkage) {
            (Some(count), _) if count > most => Err(Error::parameter(
                "n_components",
                count,
                format!("{n_classes} classes of {n_columns} columns have at most {most} axes"),
            )),
            (_, Some(Shrinkage::Auto)) if self.solver == LdaSolver::Svd => {
                Err(self.no_shrinkage("auto"))
            }
            (_, Some(Shrinkage::Share(share))) if self.solver == LdaSolver::Svd => {
                Err(self.no_shrinkage(&share.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn no_shrinkage(&self, value: &str) -> Error {
        Error::parameter(
            "shrinkage",
            value,
            "the solver svd has none; set solver to eigen or lsqr",
        )
    }

    fn problem(&self, moments: ClassMoments) -> Result<Problem> {
        self.check(moments.classes.len(), moments.n_columns())?;
        let prior = ClassPrior {
            parameter: "priors",
            given: self.priors.as_deref(),
            uniform: false,
            smoothing: 0.0,
            needs_rows: true,
        };
        let priors = prior.probabilities(&moments.weights, &moments.classes)?;
        let between = match self.class_weighting {
            ClassWeighting::Priors => priors.clone(),
            ClassWeighting::Equal => {
                let present = moments.present();
                let mut equal = Array1::zeros(priors.len());
                for &class in &present {
                    equal[class] = 1.0 / present.len() as f64;
                }
                equal
            }
        };
        Problem::new(moments, priors, between)
    }

    /// The covariance within the classes, drawn towards a sphere where that is asked for.
    fn covariance(&self, problem: &Problem) -> Array2<f64> {
        let moments = &problem.moments;
        let mut covariance = if moments.scatters.len() < moments.weights.len() {
            moments.within() / moments.total()
        } else {
            let zero = Array2::zeros((moments.n_columns(), moments.n_columns()));
            moments.present().into_iter().fold(zero, |sum, class| {
                let share = problem.between[class] / moments.weights[class];
                sum + &moments.scatters[class] * share
            })
        };
        if let Some(Shrinkage::Share(share)) = self.shrinkage {
            let middle = covariance.diag().mean().unwrap_or(0.0);
            covariance *= 1.0 - share;
            covariance
                .diag_mut()
                .mapv_inplace(|value| value + share * middle);
        }
        covariance
    }

    fn model_of_moments(&self, moments: ClassMoments) -> Result<LinearDiscriminantModel> {
        let problem = self.problem(moments)?;
        let covariance = self.covariance(&problem);
        self.model_of_covariance(problem, covariance)
    }

    fn model_of_covariance(
        &self,
        problem: Problem,
        covariance: Array2<f64>,
    ) -> Result<LinearDiscriminantModel> {
        let kept = self.store_covariance.then(|| covariance.clone());
        let metric = match self.solver {
            LdaSolver::Svd => Metric::whiten(&covariance, self.tol)?,
            LdaSolver::Eigen | LdaSolver::Lsqr => Metric::of(&covariance, self.tol)?,
        };
        let axes = self.axes(&problem, &metric, kept.as_ref())?;
        problem.model(&metric, axes, self.n_components, kept)
    }

    fn axes(
        &self,
        problem: &Problem,
        metric: &Metric,
        covariance: Option<&Array2<f64>>,
    ) -> Result<DiscriminantAxes> {
        let (LdaSolver::Eigen, Metric::Factor(factor)) = (self.solver, metric) else {
            return discriminant_axes(&problem.shifts, metric, self.tol);
        };
        let between = at_times_b(problem.shifts.view(), problem.shifts.view());
        let within = match covariance {
            Some(covariance) => covariance.clone(),
            None => a_times_bt(factor.lower(), factor.lower()),
        };
        let eigen = generalised_eigen(between.view(), within.view())?;
        let most = problem.moments.present().len() - 1;
        let floor = self.tol * self.tol * eigen.values[0].max(0.0);
        let values = eigen.values.iter().take(most);
        let kept = values.take_while(|&&ratio| ratio > floor).count();
        Ok(DiscriminantAxes {
            columns: eigen.vectors.slice(s![.., ..kept]).to_owned(),
            ratios: eigen.values.slice(s![..kept]).to_owned(),
        })
    }

    /// More columns than rows: the rows themselves are smaller than their products.
    fn model_of_rows(&self, data: &Labelled<'_>, run: &Run) -> Result<LinearDiscriminantModel> {
        let problem = self.problem(ClassMoments::means_only(data, run)?)?;
        let total = problem.moments.total();
        let mut parts = Vec::new();
        for class in problem.moments.present() {
            run.check()?;
            let rows = rows_of_class(data, class);
            let mut centred = &rows.dense()? - &problem.moments.means.row(class);
            for (row, mut values) in centred.rows_mut().into_iter().enumerate() {
                values *= (rows.weight(row) / total).sqrt();
            }
            parts.push(centred);
        }
        let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
        let root = ndarray::concatenate(Axis(0), &views)
            .map_err(|_| Error::data("the classes have different columns; give them the same"))?;
        if !root.iter().all(|value| value.is_finite()) {
            return Err(Error::numerical(
                "the centred columns overflow; divide them by a power of ten",
            ));
        }
        let metric = Metric::whiten_rows(&root, self.tol)?;
        let axes = discriminant_axes(&problem.shifts, &metric, self.tol)?;
        problem.model(&metric, axes, self.n_components, None)
    }

    /// The mean of the covariances of the classes, each shrunk in units of its own deviations.
    fn shrunk_by_itself(
        &self,
        data: &Labelled<'_>,
        problem: &Problem,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let d = data.samples.n_columns();
        let mut covariance = Array2::zeros((d, d));
        for class in problem.moments.present() {
            run.check()?;
            let rows = rows_of_class(data, class);
            let x = rows.dense()?;
            let centred = &x - &problem.moments.means.row(class);
            let mut deviations = match rows.weights() {
                None => x.std_axis(Axis(0), 0.0),
                Some(weights) => {
                    let column = weights.insert_axis(Axis(1));
                    let squares = (&centred * &centred * column).sum_axis(Axis(0));
                    (squares / weights.sum()).mapv(f64::sqrt)
                }
            };
            deviations.mapv_inplace(|deviation| if deviation > 0.0 { deviation } else { 1.0 });
            let scaled = centred / &deviations;
            let found = match rows.weights() {
                None => GaussianEstimate::ledoit_wolf(scaled.view())?.covariance,
                Some(weights) => ledoit_wolf(&scaled, weights),
            };
            let share = problem.between[class];
            covariance.zip_mut_with(
                &Array2::from_shape_fn((d, d), |(i, j)| {
                    share * found[[i, j]] * deviations[i] * deviations[j]
                }),
                |sum, part| *sum += part,
            );
        }
        Ok(covariance)
    }
}

impl Fit<Labelled<'_>> for Lda {
    type Model = LinearDiscriminantModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<LinearDiscriminantModel> {
        let wide = data.samples.n_columns() > data.labels.len();
        if wide && self.solver == LdaSolver::Svd && self.pooled() && !self.store_covariance {
            return self.model_of_rows(&data, run);
        }
        if self.shrinkage == Some(Shrinkage::Auto) {
            let problem = self.problem(ClassMoments::means_only(&data, run)?)?;
            let covariance = self.shrunk_by_itself(&data, &problem, run)?;
            return self.model_of_covariance(problem, covariance);
        }
        self.model_of_moments(ClassMoments::new(&data, self.pooled(), run)?)
    }
}

impl LearnInPieces<Labelled<'_>> for Lda {
    type State = ();
    type Summary = ClassMoments;

    fn start(&self) -> Result<()> {
        match self.shrinkage {
            Some(Shrinkage::Auto) => Err(Error::parameter(
                "shrinkage",
                "auto",
                "it needs all rows at once; give a number to learn in pieces",
            )),
            _ => Ok(()),
        }
    }

    fn summarise(&self, _: &(), chunk: Labelled<'_>, _: usize, run: &Run) -> Result<ClassMoments> {
        ClassMoments::new(&chunk, self.pooled(), run)
    }

    fn check_summary(&self, _: &(), summary: &ClassMoments) -> Result<()> {
        summary.check(self.pooled())
    }

    fn merge(&self, left: ClassMoments, right: ClassMoments) -> Result<ClassMoments> {
        left.merge(right)
    }

    fn step(
        &self,
        _: (),
        moments: ClassMoments,
        _: &Run,
    ) -> Result<Next<(), LinearDiscriminantModel>> {
        Ok(Next::Done(self.model_of_moments(moments)?))
    }
}
