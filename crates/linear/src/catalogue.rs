//! The entries of this family in the catalogue.

use crate::*;
use didact_core::{Entry, Modelling};

/// The algorithms of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<LinearRegression>("linear-regression")
            .family("linear")
            .serves(&["ols"])
            .card(
                Modelling::Discriminative,
                "squared error ½‖y − Xw − b‖²",
                "O(n·d²)",
            )
            .regressor()
            .measured_in_pieces()
            .into(),
        Entry::of::<Ridge>("ridge")
            .family("linear")
            .serves(&["ridge"])
            .card(
                Modelling::Discriminative,
                "squared error ½‖y − Xw − b‖² plus α/2‖w‖²",
                "O(n·d·min(n, d))",
            )
            .regressor()
            .measured_in_pieces()
            .into(),
        Entry::of::<Lasso>("lasso")
            .family("linear")
            .serves(&["regularised-erm"])
            .card(
                Modelling::Discriminative,
                "mean squared error ‖y − Xw − b‖²/(2n) plus α‖w‖₁",
                "O(n·d²) once, then O(d·s) per sweep with s weights that are not zero",
            )
            .regressor()
            .measured_warm_start()
            .into(),
        Entry::of::<ElasticNet>("elastic-net")
            .family("linear")
            .serves(&["regularised-erm"])
            .card(
                Modelling::Discriminative,
                "mean squared error ‖y − Xw − b‖²/(2n) plus αρ‖w‖₁ + α(1 − ρ)/2‖w‖²",
                "O(n·d²) once, then O(d·s) per sweep with s weights that are not zero",
            )
            .regressor()
            .measured_warm_start()
            .into(),
        Entry::of::<BayesianLinearRegression>("bayesian-linear-regression")
            .family("linear")
            .serves(&["bayesian-linear-regression"])
            .card(
                Modelling::Discriminative,
                "posterior N(v, Σ) of the weights, variances of highest evidence",
                "O(n·d·min(n, d))",
            )
            .regressor()
            .measured_in_pieces()
            .into(),
        Entry::of::<RecursiveLeastSquares>("recursive-least-squares")
            .family("linear")
            .serves(&["recursive-least-squares"])
            .card(
                Modelling::Discriminative,
                "squared error with older rows faded, from a prior",
                "O(d²) per row",
            )
            .regressor()
            .measured_in_pieces()
            .into(),
        Entry::of::<PrincipalComponentRegression>("principal-component-regression")
            .family("linear")
            .serves(&["principal-component-regression"])
            .card(
                Modelling::Discriminative,
                "squared error on the first principal components",
                "O(n·d·min(n, d))",
            )
            .regressor()
            .measured_in_pieces()
            .into(),
        Entry::of::<PlsRegression>("pls-regression")
            .family("linear")
            .serves(&["pls-regression"])
            .card(
                Modelling::Discriminative,
                "covariance of components and targets, then squared error",
                "O(n·d·min(n, d)) once, then O(d²) per component",
            )
            .regressor()
            .measured_in_pieces()
            .into(),
        Entry::of::<PlsDiscriminant>("pls-discriminant")
            .family("linear")
            .serves(&["pls-regression"])
            .card(
                Modelling::Discriminative,
                "covariance of components and class indicators, then squared error",
                "O(n·d·min(n, d)) once, then O(d²) per component",
            )
            .classifier()
            .into(),
        Entry::of::<HuberRegressor>("huber")
            .family("linear")
            .serves(&["regularised-erm"])
            .card(
                Modelling::Discriminative,
                "Huber loss with its scale plus α‖w‖²",
                "O(n·d) per iteration",
            )
            .regressor()
            .into(),
        Entry::of::<QuantileRegressor>("quantile")
            .family("linear")
            .serves(&["regularised-erm"])
            .card(
                Modelling::Discriminative,
                "mean tilted absolute error plus α‖w‖₁",
                "O(n·d²) per iteration, some tens of iterations",
            )
            .regressor()
            .into(),
        Entry::of::<LogisticRegression>("logistic-regression")
            .family("linear")
            .serves(&[
                "logistic-regression",
                "softmax-regression",
                "linear-decision-function",
            ])
            .card(
                Modelling::Discriminative,
                "cross-entropy −Σ ln P(y|x) plus ‖w‖²/(2C)",
                "O(n·d·k) per iteration, O(n·d²·k²) for Newton",
            )
            .classifier()
            .labelled_warm_start()
            .labelled_in_pieces()
            .into(),
        Entry::of::<BayesianLogisticRegression>("bayesian-logistic-regression")
            .family("linear")
            .serves(&["bayesian-logistic"])
            .card(
                Modelling::Discriminative,
                "posterior of the weights, normal about its mode",
                "O(n·d²) per Newton step, O(d³) once",
            )
            .classifier()
            .into(),
        Entry::of::<Perceptron>("perceptron")
            .family("linear")
            .serves(&["perceptron"])
            .card(
                Modelling::Discriminative,
                "perceptron criterion Σ max(−y·f(x), 0) plus α/2‖w‖²",
                "O(n·d) per pass",
            )
            .classifier()
            .labelled_warm_start()
            .labelled_in_sequence()
            .into(),
        Entry::of::<PassiveAggressiveClassifier>("passive-aggressive")
            .family("linear")
            .serves(&["passive-aggressive"])
            .card(
                Modelling::Discriminative,
                "least change of the weights with hinge loss zero on the current row",
                "O(n·d) per pass",
            )
            .classifier()
            .labelled_warm_start()
            .labelled_in_sequence()
            .into(),
        Entry::of::<PassiveAggressiveRegressor>("passive-aggressive-regressor")
            .family("linear")
            .serves(&["passive-aggressive"])
            .card(
                Modelling::Discriminative,
                "least change of the weights with ε-insensitive loss zero on the current row",
                "O(n·d) per pass",
            )
            .regressor()
            .measured_warm_start()
            .measured_in_sequence()
            .into(),
        Entry::of::<LinearSvc>("linear-svc")
            .family("linear")
            .serves(&["svm-linear-primal", "svm-dual-coordinate"])
            .card(
                Modelling::Discriminative,
                "hinge loss or its square, plus ½‖w‖² or ‖w‖₁",
                "O(n·d) per pass, O(n·d²) per Newton step",
            )
            .classifier()
            .into(),
        Entry::of::<LinearSvr>("linear-svr")
            .family("linear")
            .serves(&["svm-linear-primal", "svm-dual-coordinate"])
            .card(
                Modelling::Discriminative,
                "ε-insensitive loss or its square, plus ½‖w‖²",
                "O(n·d) per pass, O(n·d²) per Newton step",
            )
            .regressor()
            .into(),
        Entry::of::<SgdClassifier>("sgd-classifier")
            .family("linear")
            .serves(&["svm-linear-primal", "sgd"])
            .card(
                Modelling::Discriminative,
                "mean of a point loss plus α·(½‖w‖² or ‖w‖₁)",
                "O(n·d) per pass",
            )
            .classifier()
            .labelled_warm_start()
            .labelled_in_sequence()
            .into(),
        Entry::of::<SgdRegressor>("sgd-regressor")
            .family("linear")
            .serves(&["regularised-erm", "sgd"])
            .card(
                Modelling::Discriminative,
                "mean of a point loss plus α·(½‖w‖² or ‖w‖₁)",
                "O(n·d) per pass",
            )
            .regressor()
            .measured_warm_start()
            .measured_in_sequence()
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Task;

    #[test]
    fn every_algorithm_has_a_summary_a_card_and_a_task() {
        let entries = catalogue();
        assert!(entries.len() > 3);
        for entry in &entries {
            assert!(entry.summary.ends_with('.'), "{}", entry.id);
            assert!(!entry.card.objective.is_empty() && !entry.card.cost.is_empty());
        }
        assert!(
            entries
                .iter()
                .any(|entry| entry.is_for(Task::Classification))
        );
    }
}
