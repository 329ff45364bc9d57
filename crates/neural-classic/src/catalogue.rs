//! The networks that users can choose from.

use crate::{Adaline, HebbianPca, Hopfield, Som};
use didact_core::{Entry, Modelling};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<Adaline>("adaline")
            .family("neural-classic")
            .serves(&["adaline"])
            .card(
                Modelling::Discriminative,
                "squared error ½Σ(z − w·x − b)², descended by the delta rule",
                "O(n·d·min(n, d)), then O(min(n, d)²) per pass, or O(n·d) per pass row by row",
            )
            .classifier()
            .regressor()
            .into(),
        Entry::of::<Som>("som")
            .family("neural-classic")
            .serves(&["som"])
            .card(
                Modelling::Descriptive,
                "distance of rows to their nodes, with neighbours on the grid drawn along",
                "O(n·d·k) per pass for k nodes",
            )
            .properties(&[
                (
                    "many columns",
                    "cost grows linearly, but distances tell groups apart less and less",
                ),
                (
                    "irregular shapes",
                    "yes: several neighbouring nodes share a group and follow its shape",
                ),
                (
                    "outliers",
                    "little protection: a far row draws a corner of the map, and its neighbours",
                ),
                (
                    "order dependence",
                    "none in batches; row by row the order matters, so it is random",
                ),
            ])
            .clusterer()
            .into(),
        Entry::of::<Hopfield>("hopfield")
            .family("neural-classic")
            .serves(&["hopfield", "hopfield-capacity"])
            .card(
                Modelling::Descriptive,
                "a minimum of the energy −½·Σ w_ij·sᵢ·sⱼ at every stored pattern",
                "O(n·d²) to store, O(d²) per sweep of a recall",
            )
            .transformer()
            .into(),
        Entry::of::<HebbianPca>("hebbian-pca")
            .family("neural-classic")
            .serves(&["oja-hebbian-pca"])
            .card(
                Modelling::Descriptive,
                "largest variance along orthogonal axes, climbed by Hebbian learning",
                "O(n·d²), then O(p·d²) per step, or O(n·p·d) per pass row by row",
            )
            .transformer()
            .into(),
    ]
}
