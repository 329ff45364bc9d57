//! The methods of this family that users can choose from.

use crate::{
    HatLossSvm, HatLossSvmModel, LabelPropagation, LabelSpreading, LaplacianRls, LaplacianRlsModel,
    PropagationModel, SemiSupervisedMixture, SemiSupervisedMixtureModel, SemiSupervisedNaiveBayes,
    SemiSupervisedNaiveBayesModel, TransductiveSvm, TransductiveSvmModel,
};
use didact_core::any_data::OfPartlyLabelled;
use didact_core::{Entry, Modelling, Task, Values};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<LabelPropagation>("label-propagation")
            .family("semi-supervised")
            .serves(&["label-propagation", "transductive-contract"])
            .card(
                Modelling::Discriminative,
                "variation along the edges, fᵀLf, with known labels fixed",
                "O(n·log n) for the graph with few columns, then products with its edges",
            )
            .route::<OfPartlyLabelled, PropagationModel>(Task::Classification)
            .classifier()
            .into(),
        Entry::of::<LabelSpreading>("label-spreading")
            .family("semi-supervised")
            .serves(&["label-spreading-soft"])
            .card(
                Modelling::Discriminative,
                "variation along the edges and distance to the labels, ½fᵀLf + (λ/2)·Σ(f − y)²",
                "O(n·log n) for the graph with few columns, then products with its edges",
            )
            .route::<OfPartlyLabelled, PropagationModel>(Task::Classification)
            .classifier()
            .into(),
        Entry::of::<LaplacianRls>("laplacian-rls")
            .family("semi-supervised")
            .serves(&["manifold-regularisation"])
            .card(
                Modelling::Discriminative,
                "fᵀLf + (λ₁/2)‖f‖² + (λ₂/2)·Σ(f − y)² in the space of a kernel",
                "O(n³); memory O(n²)",
            )
            .route::<OfPartlyLabelled, LaplacianRlsModel>(Task::Classification)
            .classifier()
            .into(),
        Entry::of::<SemiSupervisedMixture>("semi-supervised-mixture")
            .family("semi-supervised")
            .serves(&["ss-em-clamped", "ss-gmm-seeded"])
            .card(
                Modelling::Generative,
                "Σ ln πᵧN(x; μᵧ, Σᵧ) over known classes plus Σ ln Σₖ πₖN(x; μₖ, Σₖ) over the other rows",
                "O(n·k·d²) per iteration",
            )
            .route::<OfPartlyLabelled, SemiSupervisedMixtureModel>(Task::Classification)
            .classifier()
            .into(),
        Entry::of::<SemiSupervisedNaiveBayes>("semi-supervised-naive-bayes")
            .family("semi-supervised")
            .serves(&["ss-em-clamped"])
            .card(
                Modelling::Generative,
                "smoothed likelihood of counts with and without their class",
                "O(n·k·d) per iteration, less where rows are sparse",
            )
            .route::<OfPartlyLabelled, SemiSupervisedNaiveBayesModel>(Task::Classification)
            .classifier()
            .values(Values::Counts)
            .into(),
        Entry::of::<TransductiveSvm>("transductive-svm")
            .family("semi-supervised")
            .serves(&["tsvm-label-switching"])
            .card(
                Modelling::Discriminative,
                "½‖w‖² + C·Σξ + C*·Σξ* over machines and over the classes of rows without one",
                "some dozen machines of all rows for each class",
            )
            .route::<OfPartlyLabelled, TransductiveSvmModel>(Task::Classification)
            .classifier()
            .into(),
        Entry::of::<HatLossSvm>("hat-loss-svm")
            .family("semi-supervised")
            .serves(&["tsvm-subgradient"])
            .card(
                Modelling::Discriminative,
                "½‖w‖² + C·Σ [1 − y·f(x)]₊ + C*·Σ [1 − |f(x)|]₊",
                "O(n·d) per step",
            )
            .route::<OfPartlyLabelled, HatLossSvmModel>(Task::Classification)
            .classifier()
            .into(),
    ]
}
