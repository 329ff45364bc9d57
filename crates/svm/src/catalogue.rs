//! The methods of this family that users can choose from.

use crate::{NuSvc, NuSvr, Svc, Svr};
use didact_core::{Entry, Modelling};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<Svc>("svc")
            .family("svm")
            .serves(&[
                "svm-c-classifier",
                "svm-hard-margin",
                "svm-smo",
                "svm-certificates",
            ])
            .card(
                Modelling::Discriminative,
                "hinge loss C·Σ max(0, 1 − y·f(x)) plus ½‖w‖², or the widest margin without errors",
                "O(n·d) per step with some steps for each row; O(n²·d) for the kernel of all pairs",
            )
            .classifier()
            .into(),
        Entry::of::<NuSvc>("nu-svc")
            .family("svm")
            .serves(&["svm-nu-classifier"])
            .card(
                Modelling::Discriminative,
                "½‖w‖² − νρ plus the mean of the margin errors max(0, ρ − y·f(x))",
                "O(n·d) per step with some steps for each row; O(n²·d) for the kernel of all pairs",
            )
            .classifier()
            .into(),
        Entry::of::<Svr>("svr")
            .family("svm")
            .serves(&["svr-epsilon", "svm-smo", "svm-certificates"])
            .card(
                Modelling::Discriminative,
                "ε-insensitive loss C·Σ max(0, |y − f(x)| − ε) plus ½‖w‖², or the flattest tube \
                 that holds all targets",
                "O(n·d) per step with some steps for each row; O(n²·d) for the kernel of all pairs",
            )
            .regressor()
            .into(),
        Entry::of::<NuSvr>("nu-svr")
            .family("svm")
            .serves(&["svr-nu"])
            .card(
                Modelling::Discriminative,
                "½‖w‖² plus C·Σ(νε + max(0, |y − f(x)| − ε)), with the best ε",
                "O(n·d) per step with some steps for each row; O(n²·d) for the kernel of all pairs",
            )
            .regressor()
            .into(),
    ]
}
