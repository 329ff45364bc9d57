//! How probable each place is.

use super::decision_map::{finite_on_grid, grid_rows, on_grid};
use crate::cloud::Cloud;
use crate::contour::Grid;
use crate::layer::{Content, Stroke};
use crate::picture::Picture;
use crate::theme::Ink;
use didact_core::{AnyModel, Error, Result, Rows, Shape};
use ndarray::ArrayView2;

/// Places across and up at which the density is computed.
const PLACES: [usize; 2] = [121, 91];

/// Shares of the probability in view that the lines enclose, the largest first, and the shade.
const SHARES: [(f64, f64); 4] = [(0.99, 0.06), (0.95, 0.14), (0.8, 0.26), (0.5, 0.42)];

/// Lines of equal density with the data, and the ellipses of Gaussian models.
///
/// A line encloses the smallest region that holds its share of the probability in view: 50, 80,
/// 95 and 99 %. Ellipses that the model lists among its figures are drawn at one and two
/// standard deviations.
///
/// ```
/// use didact_core::{AnyModel, Result};
/// use didact_plot::{Cloud, density_contours};
/// fn show(cloud: &Cloud<'_>, mixture: &dyn AnyModel) -> Result<()> {
///     density_contours(cloud, mixture)?.save("mixture.png")
/// }
/// ```
pub fn density_contours(cloud: &Cloud<'_>, model: &dyn AnyModel) -> Result<Picture> {
    cloud.check()?;
    let density = model.as_log_density().ok_or_else(|| {
        Error::unsupported("this model has no density; contours need a model that gives one")
    })?;
    if model.n_features() != 2 || cloud.rows.ncols() != 2 {
        return Err(Error::unsupported(format!(
            "density contours are drawn for models of two features; this one has {}",
            model.n_features()
        )));
    }
    let ellipses: Vec<_> = model
        .figures()
        .into_iter()
        .filter(|(_, shape)| matches!(shape, Shape::Ellipsoids { .. }))
        .collect();
    let mut panel = cloud.panel();
    cloud.add_to(&mut panel);
    let notes = crate::overlay::add(&mut panel, &ellipses)?;
    let [x, y] = panel.spans();
    panel.x = panel.x.between(x[0], x[1]);
    panel.y = panel.y.between(y[0], y[1]);
    let grid = Grid::over(x, y, PLACES);
    let rows = grid_rows(cloud, &grid);
    let heights = density.log_density(Rows::Dense(rows.view()))?;
    let heights = finite_on_grid(on_grid(&grid, |row| heights[row]).view())
        .ok_or_else(|| Error::numerical("the density is nowhere finite in this picture"))?;

    let above = std::mem::take(&mut panel.layers);
    for (share, shade) in SHARES {
        let level = level_enclosing(heights.view(), share);
        let rings = grid.regions(heights.view(), level);
        panel.push(
            "region",
            None,
            Content::Region(rings, Ink::Amount(shade), 1.0),
        );
        let lines = grid.lines(heights.view(), level);
        let stroke = Stroke::new(Ink::Amount(0.75)).thin();
        panel.push("contour", None, Content::Lines(lines, stroke));
    }
    panel.layers.extend(above);
    let mut picture = Picture::new("Density", vec![panel])
        .with_note("Lines enclose 50, 80, 95 and 99 % of the probability in view.");
    for note in notes {
        picture = picture.with_note(note);
    }
    Ok(picture)
}

/// The log-density above which the given share of the probability on the grid lies.
fn level_enclosing(log_densities: ArrayView2<'_, f64>, share: f64) -> f64 {
    let mut heights: Vec<f64> = log_densities.iter().copied().collect();
    heights.sort_by(|one, two| two.total_cmp(one));
    let highest = heights[0];
    let weights = heights.iter().map(|height| (height - highest).exp());
    let total: f64 = weights.clone().sum();
    let mut enclosed = 0.0;
    for (height, weight) in heights.iter().zip(weights) {
        enclosed += weight;
        if enclosed >= share * total {
            return *height;
        }
    }
    heights[heights.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn the_line_around_half_of_a_gaussian_is_where_theory_puts_it() {
        // In the plane P(r ≤ R) = 1 − exp(−R²/2), so half lies within R² = 2 ln 2 and the
        // log-density there is −ln 2 relative to the peak.
        let grid = Grid::over([-6.0, 6.0], [-6.0, 6.0], [241, 241]);
        let heights: Vec<f64> = grid.places().map(|[x, y]| -(x * x + y * y) / 2.0).collect();
        let heights = Array2::from_shape_vec((241, 241), heights).unwrap();
        let level = level_enclosing(heights.view(), 0.5);
        assert!((level + std::f64::consts::LN_2).abs() < 0.01, "{level}");
    }
}
