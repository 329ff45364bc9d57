//! What all models of centres know.

use didact_core::Result;
use didact_core::model::ensure_consistent;
use ndarray::Array2;

/// Fails where centres from a file are damaged or labels name centres that are not there.
pub(crate) fn validate(centers: &Array2<f64>, labels: &[usize]) -> Result<()> {
    ensure_consistent(
        !centers.is_empty()
            && centers.is_standard_layout()
            && centers.iter().all(|value| value.is_finite())
            && labels.iter().all(|&label| label < centers.nrows()),
    )
}

/// Makes a model of a type with the fields `cluster_centers` and `trace` and the method `check`:
/// it knows its centres and its best start besides the attributes that are listed.
macro_rules! center_model {
    (
        $model:ident: $($ability:ident)+ {
            $($name:literal, $meaning:literal, $get:expr;)*
        }
        $(after the iterations {
            $($late_name:literal, $late_meaning:literal, $late_get:expr;)*
        })?
    ) => {
        impl $model {
            /// One centre per row.
            pub fn cluster_centers(&self) -> ndarray::ArrayView2<'_, f64> {
                self.cluster_centers.view()
            }

            /// The history of the best start.
            pub fn trace(&self) -> &didact_core::Trace {
                &self.trace
            }
        }

        impl didact_core::Model for $model {
            const ABILITIES: didact_core::Abilities<Self> =
                didact_core::Abilities::none()$(.$ability())+;
            const ATTRIBUTES: &'static [didact_core::Attribute<Self>] = &[
                didact_core::Attribute {
                    name: "cluster_centers",
                    meaning: "The centre of each cluster, one per row.",
                    get: |model| didact_core::Value::from(&model.cluster_centers),
                },
                $(didact_core::Attribute { name: $name, meaning: $meaning, get: $get },)*
                didact_core::Attribute {
                    name: "n_iter",
                    meaning: "Iterations of the best start.",
                    get: |model| didact_core::Value::from(model.trace.n_iter()),
                },
                didact_core::Attribute {
                    name: "converged",
                    meaning: "Whether the best start converged before the iteration limit.",
                    get: |model| {
                        let converged = didact_core::StopReason::Converged;
                        didact_core::Value::from(model.trace.stop == converged)
                    },
                },
                $($(didact_core::Attribute {
                    name: $late_name,
                    meaning: $late_meaning,
                    get: $late_get,
                },)*)?
            ];
            const FIGURES: &'static [didact_core::Figure<Self>] = &[didact_core::Figure {
                name: "centers",
                meaning: "The centres of the clusters.",
                get: |model| {
                    Some(didact_core::Shape::Points {
                        points: model.cluster_centers.clone(),
                    })
                },
            }];

            fn trace(&self) -> Option<&didact_core::Trace> {
                Some(&self.trace)
            }

            fn validate(&self) -> didact_core::Result<()> {
                self.check()
            }
        }
    };
}
pub(crate) use center_model;
