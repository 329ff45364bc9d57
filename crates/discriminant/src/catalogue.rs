//! The entries of this family in the catalogue.

use crate::*;
use didact_core::{Entry, Modelling, Values};

/// The algorithms of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<GaussianNB>("gaussian-nb")
            .family("discriminant")
            .serves(&["naive-bayes-attributes"])
            .card(
                Modelling::Generative,
                "likelihood of Σⱼ ln N(xⱼ; μ, σ²) in each class",
                "O(n·d)",
            )
            .classifier()
            .labelled_in_pieces()
            .into(),
        Entry::of::<MultinomialNB>("multinomial-nb")
            .family("discriminant")
            .serves(&["naive-bayes-multinomial"])
            .card(
                Modelling::Generative,
                "likelihood of Σⱼ xⱼ·ln θⱼ in each class, smoothed by α",
                "O(number of counts)",
            )
            .classifier()
            .labelled_in_pieces()
            .values(Values::Counts)
            .into(),
        Entry::of::<ComplementNB>("complement-nb")
            .family("discriminant")
            .serves(&["naive-bayes-multinomial"])
            .card(
                Modelling::Discriminative,
                "likelihood of Σⱼ xⱼ·ln θ̃ⱼ in the complement of each class, smoothed by α",
                "O(number of counts)",
            )
            .classifier()
            .labelled_in_pieces()
            .values(Values::Counts)
            .into(),
        Entry::of::<BernoulliNB>("bernoulli-nb")
            .family("discriminant")
            .serves(&["naive-bayes-attributes"])
            .card(
                Modelling::Generative,
                "likelihood of Σⱼ ln p^xⱼ(1 − p)^(1 − xⱼ) in each class, smoothed by α",
                "O(number of counts)",
            )
            .classifier()
            .labelled_in_pieces()
            .into(),
        Entry::of::<CategoricalNB>("categorical-nb")
            .family("discriminant")
            .serves(&["naive-bayes-attributes"])
            .card(
                Modelling::Generative,
                "likelihood of Σⱼ ln P(xⱼ) in each class, smoothed by α",
                "O(n·d)",
            )
            .classifier()
            .labelled_in_pieces()
            .values(Values::Categories)
            .into(),
        Entry::of::<MixedNB>("mixed-nb")
            .family("discriminant")
            .serves(&["naive-bayes-attributes"])
            .card(
                Modelling::Generative,
                "likelihood, posterior mode or predictive law of each column in each class",
                "O(n·d)",
            )
            .classifier()
            .labelled_in_pieces()
            .into(),
        Entry::of::<Lda>("lda")
            .family("discriminant")
            .serves(&["lda"])
            .card(
                Modelling::Discriminative,
                "ratio of the scatter between classes to the scatter within",
                "O(n·d·min(n, d))",
            )
            .classifier()
            .labelled_in_pieces()
            .into(),
        Entry::of::<FisherDiscriminant>("fisher-discriminant")
            .family("discriminant")
            .serves(&["fisher-discriminant"])
            .card(
                Modelling::Discriminative,
                "(μ̃₁ − μ̃₂)²/(s̃₁² + s̃₂²) of the projected classes",
                "O(n·d²)",
            )
            .classifier()
            .labelled_in_pieces()
            .into(),
        Entry::of::<Qda>("qda")
            .family("discriminant")
            .serves(&["gaussian-bayes-qda"])
            .card(
                Modelling::Generative,
                "likelihood of ln N(x; μ, Σ) in each class",
                "O(n·d²)",
            )
            .classifier()
            .labelled_in_pieces()
            .into(),
    ]
}
