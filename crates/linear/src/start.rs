//! Learning from nothing, or from an earlier model.

/// Makes `$learn`, which is given an earlier model or none, the way an algorithm learns.
macro_rules! learns_from_start {
    ($algorithm:ty, $data:ident => $model:ty, $accepts:expr, $learn:expr) => {
        impl didact_core::Fit<didact_core::$data<'_>> for $algorithm {
            type Model = $model;
            const ACCEPTS: didact_core::Accepts = $accepts;

            fn learn(
                &self,
                data: didact_core::$data<'_>,
                run: &didact_core::Run,
            ) -> didact_core::Result<$model> {
                $learn(self, None, data, run)
            }
        }

        impl didact_core::StartFrom<didact_core::$data<'_>> for $algorithm {
            fn learn_from(
                &self,
                start: &$model,
                data: didact_core::$data<'_>,
                run: &didact_core::Run,
            ) -> didact_core::Result<$model> {
                $learn(self, Some(start), data, run)
            }
        }
    };
}
pub(crate) use learns_from_start;
