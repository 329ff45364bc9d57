//! A tree as text, one line per range and leaf.

use super::Tree;
use std::fmt::Write;

impl Tree {
    /// The rules of the tree, indented by depth; what is deeper than `max_depth` is counted only.
    pub(crate) fn rules(
        &self,
        name: &dyn Fn(usize) -> String,
        answer: &dyn Fn(usize) -> String,
        max_depth: usize,
    ) -> String {
        let mut text = String::new();
        // Node, depth and the condition that leads to it.
        let mut waiting = vec![(0, 0, String::new())];
        while let Some((place, depth, condition)) = waiting.pop() {
            let indent = |depth: usize| "│  ".repeat(depth);
            let depth = match condition.is_empty() {
                true => depth,
                false => {
                    let _ = writeln!(text, "{}├─ {condition}", indent(depth));
                    depth + 1
                }
            };
            let node = &self.nodes[place];
            if node.is_leaf() {
                let _ = writeln!(text, "{}└─ {}", indent(depth), answer(place));
                continue;
            }
            if depth >= max_depth {
                let _ = writeln!(
                    text,
                    "{}└─ … {} leaves",
                    indent(depth),
                    self.leaves_below(place)
                );
                continue;
            }
            let thresholds = self.thresholds(node);
            let name = name(node.feature as usize);
            for child in node.children().rev() {
                let index = child - node.first_child as usize;
                let mut condition = match (index, thresholds.get(index)) {
                    (0, Some(high)) => format!("{name} < {high:.6}"),
                    (_, Some(high)) => format!("{:.6} ≤ {name} < {high:.6}", thresholds[index - 1]),
                    (_, None) => format!("{name} ≥ {:.6}", thresholds[index - 1]),
                };
                if index == node.missing_child as usize {
                    condition.push_str(" or missing");
                }
                waiting.push((child, depth, condition));
            }
        }
        text
    }

    fn leaves_below(&self, place: usize) -> usize {
        let (mut leaves, mut waiting) = (0, vec![place]);
        while let Some(place) = waiting.pop() {
            let node = &self.nodes[place];
            match node.is_leaf() {
                true => leaves += 1,
                false => waiting.extend(node.children()),
            }
        }
        leaves
    }
}
