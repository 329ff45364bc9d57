//! The algorithms of this crate, one entry each.

use crate::{
    ConstantFeature, PolarCoordinates, PolynomialFeatures, SigmoidFeatures, SimpleImputer,
    StandardScaler,
};
use didact_core::{Entry, Modelling};

/// The entries of this crate.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<StandardScaler>("standard-scaler")
            .family("data")
            .serves(&["feature-scaling"])
            .card(
                Modelling::Descriptive,
                "mean zero and variance one in every column",
                "O(n·d)",
            )
            .transformer()
            .samples_in_pieces()
            .into(),
        Entry::of::<SimpleImputer>("simple-imputer")
            .family("data")
            .serves(&["feature-scaling"])
            .card(Modelling::Descriptive, "no missing value is left", "O(n·d)")
            .transformer()
            .samples_in_pieces()
            .fills_missing()
            .into(),
        Entry::of::<ConstantFeature>("constant-feature")
            .family("data")
            .serves(&["feature-scaling"])
            .card(
                Modelling::Descriptive,
                "a column of ones beside the others",
                "O(n·d)",
            )
            .transformer()
            .into(),
        Entry::of::<PolynomialFeatures>("polynomial-features")
            .family("kernel")
            .serves(&["explicit-feature-maps"])
            .card(
                Modelling::Descriptive,
                "the products of the columns up to a degree",
                "O(n·dᵏ) for degree k",
            )
            .transformer()
            .into(),
        Entry::of::<SigmoidFeatures>("sigmoid-features")
            .family("kernel")
            .serves(&["explicit-feature-maps"])
            .card(
                Modelling::Descriptive,
                "soft steps along directions of the columns",
                "O(n·d·m) for m features",
            )
            .transformer()
            .into(),
        Entry::of::<PolarCoordinates>("polar-coordinates")
            .family("kernel")
            .serves(&["explicit-feature-maps"])
            .card(
                Modelling::Descriptive,
                "the distance from a centre and the angles about it",
                "O(n·d²)",
            )
            .transformer()
            .into(),
    ]
}
