//! How much higher a merge is than those just below it.

use super::Dendrogram;
use ndarray::Array2;

impl Dendrogram {
    /// One row per merge: mean, standard deviation (n − 1) and number of the heights of the merge
    /// and those at most `depth` − 1 levels below it, and how many such deviations the merge lies
    /// above their mean; zero where they are all equal.
    pub fn inconsistency(&self, depth: usize) -> Array2<f64> {
        let mut table = Array2::zeros((self.merges().len(), 4));
        let mut heights = Vec::new();
        let mut pending = Vec::new();
        for (index, mut row) in table.rows_mut().into_iter().enumerate() {
            heights.clear();
            pending.push((index, depth.max(1)));
            while let Some((merge, levels)) = pending.pop() {
                let merge = self.merges()[merge];
                heights.push(merge.height);
                let below = [merge.left, merge.right]
                    .into_iter()
                    .filter_map(|node| node.checked_sub(self.n_leaves()));
                pending.extend(
                    below
                        .filter(|_| levels > 1)
                        .map(|merge| (merge, levels - 1)),
                );
            }
            let count = heights.len() as f64;
            let mean = heights.iter().sum::<f64>() / count;
            let squares: f64 = heights.iter().map(|height| (height - mean).powi(2)).sum();
            let deviation = match heights.len() {
                1 => 0.0,
                _ => (squares / (count - 1.0)).sqrt(),
            };
            row[0] = mean;
            row[1] = deviation;
            row[2] = count;
            if deviation > 0.0 {
                row[3] = (self.merges()[index].height - mean) / deviation;
            }
        }
        table
    }
}
