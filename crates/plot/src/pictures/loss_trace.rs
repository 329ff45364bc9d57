//! How the objective of an iterative fit went.

use super::not_empty;
use crate::layer::{Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::{Result, Trace};

/// The objective after each iteration, for one fit or several.
///
/// ```
/// use didact_core::{StopReason, Trace};
/// use didact_plot::loss_trace;
/// let trace = Trace { objective_name: "loss".to_owned(), objectives: vec![3.0, 1.0, 0.9], stop: StopReason::Converged };
/// assert!(loss_trace(&[("first", &trace)])?.svg().contains("Iteration"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn loss_trace(traces: &[(&str, &Trace)]) -> Result<Picture> {
    not_empty("traces", traces.len())?;
    let objective = &traces[0].1.objective_name;
    let same = traces
        .iter()
        .all(|(_, trace)| trace.objective_name == *objective);
    let y_name = if same { objective } else { "Objective" };
    let mut panel = Panel::new(Axis::new("Iteration").whole(), Axis::new(y_name));
    for (series, (name, trace)) in traces.iter().enumerate() {
        let points = || {
            let numbered = trace.objectives.iter().enumerate();
            numbered.map(|(index, value)| [index as f64 + 1.0, *value])
        };
        let label = format!("{name}: {}", trace.stop);
        panel.line(
            "curve",
            Some(&label),
            points(),
            Stroke::new(Ink::Series(series)),
        );
        // A fit of one iteration has no line, and short ones read better with points.
        if trace.objectives.len() <= 40 {
            let before = panel.left_out;
            panel.points("points", None, points(), Dot::series(series).sized(2.8));
            panel.left_out = before;
        }
    }
    Ok(Picture::new("Course of the fit", vec![panel]))
}
