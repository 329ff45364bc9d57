//! The splits of a tree as lines in the plane, or as points on the line.

use super::Tree;
use didact_core::Shape;
use ndarray::Array2;

impl Tree {
    /// The borders between the regions of the nodes, within the bounds of the training rows; for
    /// one or two columns.
    pub(crate) fn borders(&self, bounds: &[(f64, f64)]) -> Option<Shape> {
        match bounds {
            [_] => self.points(),
            [_, _] => self.segments(bounds),
            _ => None,
        }
    }

    fn points(&self) -> Option<Shape> {
        let asking = self.nodes.iter().filter(|node| !node.is_leaf());
        let mut thresholds: Vec<f64> = asking.flat_map(|node| self.thresholds(node)).collect();
        thresholds.retain(|threshold| threshold.is_finite());
        let count = thresholds.len();
        let points = Array2::from_shape_vec((count, 1), thresholds).ok()?;
        (count > 0).then_some(Shape::Points { points })
    }

    fn segments(&self, bounds: &[(f64, f64)]) -> Option<Shape> {
        let (mut points, mut edges) = (Vec::new(), Vec::new());
        let mut waiting = vec![(0, [bounds[0], bounds[1]])];
        while let Some((place, region)) = waiting.pop() {
            let node = &self.nodes[place];
            if node.is_leaf() {
                continue;
            }
            let asked = node.feature as usize;
            let thresholds = self.thresholds(node);
            for (index, child) in node.children().enumerate() {
                let mut part = region;
                if let Some(&low) = index
                    .checked_sub(1)
                    .and_then(|before| thresholds.get(before))
                {
                    part[asked].0 = low;
                }
                if let Some(&high) = thresholds.get(index).filter(|high| high.is_finite()) {
                    part[asked].1 = high;
                }
                waiting.push((child, part));
            }
            for &threshold in thresholds.iter().filter(|threshold| threshold.is_finite()) {
                let (low, high) = region[1 - asked];
                edges.push((points.len() / 2, points.len() / 2 + 1));
                for end in [low, high] {
                    let mut point = [end; 2];
                    point[asked] = threshold;
                    points.extend(point);
                }
            }
        }
        let points = Array2::from_shape_vec((points.len() / 2, 2), points).ok()?;
        (!edges.is_empty()).then_some(Shape::Edges { points, edges })
    }
}
