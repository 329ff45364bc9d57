//! Learning from totals of the rows, of all at once or in pieces.

/// Learns in one pass: the method `totals` sums the rows up, sums are merged, and the method
/// `model` makes a model of them. `check` refuses damaged totals; `recall` gives those that a
/// model remembers.
///
/// A macro, because the traits are of another crate and no trait of ours may implement them for
/// several types at once.
macro_rules! learns_from_totals {
    ($algorithm:ty, $totals:ty => $model:ty {
        accepts: $accepts:expr,
        check: $check:expr,
        recall: $recall:expr,
    }) => {
        impl didact_core::Fit<didact_core::Labelled<'_>> for $algorithm {
            type Model = $model;
            const ACCEPTS: didact_core::Accepts = $accepts;

            fn learn(
                &self,
                data: didact_core::Labelled<'_>,
                run: &didact_core::Run,
            ) -> didact_core::Result<$model> {
                self.model(self.totals(&data, run)?)
            }
        }

        impl didact_core::LearnInPieces<didact_core::Labelled<'_>> for $algorithm {
            type State = ();
            type Summary = $totals;

            fn start(&self) -> didact_core::Result<()> {
                Ok(())
            }

            fn summarise(
                &self,
                _: &(),
                chunk: didact_core::Labelled<'_>,
                _: usize,
                run: &didact_core::Run,
            ) -> didact_core::Result<$totals> {
                self.totals(&chunk, run)
            }

            fn check_summary(&self, _: &(), totals: &$totals) -> didact_core::Result<()> {
                let check: fn(&$algorithm, &$totals) -> didact_core::Result<()> = $check;
                check(self, totals)
            }

            fn merge(&self, left: $totals, right: $totals) -> didact_core::Result<$totals> {
                left.merge(right)
            }

            fn step(
                &self,
                _: (),
                totals: $totals,
                _: &didact_core::Run,
            ) -> didact_core::Result<didact_core::Next<(), $model>> {
                Ok(didact_core::Next::Done(self.model(totals)?))
            }

            fn recall(&self, model: &$model) -> Option<$totals> {
                let recall: fn(&$algorithm, &$model) -> Option<$totals> = $recall;
                recall(self, model)
            }
        }
    };
}
pub(crate) use learns_from_totals;
