//! Cost against the size of the problem.

use super::{not_empty, same_length};
use crate::layer::{Dot, Stroke};
use crate::panel::Panel;
use crate::picture::Picture;
use crate::scale::Axis;
use crate::theme::Ink;
use didact_core::Result;

/// One method's costs: its name, the sizes, and the cost at each.
#[derive(Clone, Copy, Debug)]
pub struct Growth<'a> {
    /// What the legend says, such as the method and its exponent.
    pub name: &'a str,
    /// The sizes of the problem.
    pub sizes: &'a [f64],
    /// The cost at each size.
    pub costs: &'a [f64],
}

/// Costs of methods as the problem grows, on logarithmic axes: a power law is a straight line
/// whose slope is its exponent, and what bends upwards grows faster than any power.
///
/// ```
/// use didact_plot::{Growth, growth};
/// let quadratic = Growth { name: "n²", sizes: &[1.0, 2.0, 4.0], costs: &[1.0, 4.0, 16.0] };
/// assert!(growth("Rows", "Seconds", &[quadratic])?.svg().contains("n²"));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn growth(size_name: &str, cost_name: &str, methods: &[Growth<'_>]) -> Result<Picture> {
    not_empty("methods", methods.len())?;
    let mut panel = Panel::new(
        Axis::new(size_name).logarithmic(true),
        Axis::new(cost_name).logarithmic(true),
    );
    for (series, method) in methods.iter().enumerate() {
        let (sizes, costs) = (method.sizes, method.costs);
        same_length("sizes", sizes.len(), "costs", costs.len())?;
        let points = || sizes.iter().zip(costs).map(|(&size, &cost)| [size, cost]);
        let stroke = Stroke::new(Ink::Series(series)).thin();
        panel.line("cost", Some(method.name), points(), stroke);
        panel.points("points", None, points(), Dot::series(series).sized(3.0));
    }
    Ok(Picture::new("Growth of the cost", vec![panel]))
}
