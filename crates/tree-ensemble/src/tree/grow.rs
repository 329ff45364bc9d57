//! Growing a tree, without recursion: nodes wait in a list until they are split.

use super::problem::{Problem, Summary};
use super::random::Drawn;
use super::rows::NodeRows;
use super::split::{Cut, Least, Room, Searched, exceeds};
use super::{Node, Statistics, Tree};
use crate::columns::MISSING;
use didact_core::random::Generator;
use didact_core::{Result, Run, parallel};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// From this many looked-at places on, the columns of a node are searched in parallel.
const LARGE: usize = 1 << 16;

/// How the cut of a column is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Splitter {
    /// The best of all.
    #[default]
    Best,
    /// One at random in each column, the best of them over the columns.
    Random,
}

/// How far a tree is grown.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    pub(crate) splitter: Splitter,
    pub(crate) max_depth: usize,
    pub(crate) min_samples_split: usize,
    pub(crate) min_samples_leaf: usize,
    pub(crate) min_weight_leaf: f64,
    pub(crate) max_features: usize,
    pub(crate) max_leaf_nodes: Option<usize>,
    /// In the units of the scaled targets.
    pub(crate) min_impurity_decrease: f64,
    pub(crate) max_children: usize,
    /// Whether the order in which columns win that part a node equally well is drawn, so that in a
    /// forest no column is preferred; in a tree the lowest one wins.
    pub(crate) draws_order: bool,
}

/// A node that is not split yet, and how it would be.
struct Waiting {
    place: usize,
    range: Range<usize>,
    depth: usize,
    feature: usize,
    cut: Cut,
    gain: f64,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    /// What gains more comes first, and the older of two that gain the same.
    fn cmp(&self, other: &Self) -> Ordering {
        let gain = self.gain.total_cmp(&other.gain);
        gain.then(other.place.cmp(&self.place))
    }
}

/// Waiting nodes: the last one first, or the best one first where leaves are counted.
enum Frontier {
    Depth(Vec<Waiting>),
    Best(BinaryHeap<Waiting>),
}

impl Frontier {
    fn push(&mut self, node: Waiting) {
        match self {
            Frontier::Depth(stack) => stack.push(node),
            Frontier::Best(heap) => heap.push(node),
        }
    }

    fn pop(&mut self) -> Option<Waiting> {
        match self {
            Frontier::Depth(stack) => stack.pop(),
            Frontier::Best(heap) => heap.pop(),
        }
    }
}

/// Appends the answer of a node to a list, given its rows and what is known of them.
pub(crate) type Answer<'a> = dyn FnMut(&[u32], &Summary, &mut Vec<f64>) + 'a;

struct Grower<'a, 'b> {
    problem: &'a Problem<'a>,
    growth: &'a Growth,
    generator: Generator,
    run: &'a Run,
    rows: NodeRows<'a>,
    room: Room,
    /// The columns in the order in which they are drawn.
    features: Vec<usize>,
    total_weight: f64,
    tree: Tree,
    statistics: Statistics,
    /// What is known of the node at hand.
    summary: Summary,
    /// What each node answers; given the rows of the node and what is known of them.
    answer: &'a mut Answer<'b>,
}

/// Grows a tree on the rows that have a weight. `answer` appends the answer of a node to a list.
pub(crate) fn grow(
    problem: &Problem<'_>,
    growth: &Growth,
    generator: Generator,
    run: &Run,
    answer: &mut Answer<'_>,
) -> Result<Tree> {
    let n_features = problem.columns.len();
    let rows: Vec<u32> = (0..problem.weights.len() as u32)
        .filter(|&row| problem.weights[row as usize] > 0.0)
        .collect();
    let presorted = growth.splitter == Splitter::Best && 3 * growth.max_features >= n_features;
    let all = 0..rows.len();
    let mut grower = Grower {
        problem,
        growth,
        generator,
        run,
        rows: NodeRows::new(problem.columns, rows, presorted),
        room: Room::default(),
        features: (0..n_features).collect(),
        total_weight: 0.0,
        tree: Tree {
            nodes: Vec::new(),
            more_thresholds: Vec::new(),
            values: Vec::new(),
            width: 0,
            statistics: None,
        },
        statistics: Statistics::default(),
        summary: Summary::default(),
        answer,
    };
    if growth.draws_order {
        for place in (1..n_features).rev() {
            let other = grower.generator.random_range(0..=place);
            grower.features.swap(place, other);
        }
    }
    let mut frontier = match growth.max_leaf_nodes {
        None => Frontier::Depth(Vec::new()),
        Some(_) => Frontier::Best(BinaryHeap::new()),
    };
    if let Some(root) = grower.node(all, 0)? {
        frontier.push(root);
    }
    grower.tree.width = grower.tree.values.len();
    let mut n_leaves = 1;
    while let Some(waiting) = frontier.pop() {
        let more_leaves = 1 + waiting.cut.more.len();
        if growth
            .max_leaf_nodes
            .is_some_and(|most| n_leaves + more_leaves > most)
        {
            continue;
        }
        n_leaves += more_leaves;
        grower.split(waiting, &mut frontier)?;
    }
    let mut tree = grower.tree;
    tree.statistics = Some(grower.statistics);
    Ok(tree)
}

impl Grower<'_, '_> {
    /// Adds a node, a leaf for now, and says how it would be split.
    fn node(&mut self, range: Range<usize>, depth: usize) -> Result<Option<Waiting>> {
        self.run.check()?;
        let mut summary = std::mem::take(&mut self.summary);
        self.problem
            .summarise_into(self.rows.of(&range), &mut summary);
        let place = self.tree.nodes.len();
        self.tree.nodes.push(Node::LEAF);
        (self.answer)(self.rows.of(&range), &summary, &mut self.tree.values);
        self.statistics.impurities.push(summary.impurity);
        self.statistics.weights.push(summary.weight);
        self.statistics.n_rows.push(range.len() as f64);
        if place == 0 {
            self.total_weight = summary.weight;
        }
        let found = match self.is_leaf(&range, depth, &summary) {
            true => None,
            false => self.worthwhile(&range, &summary)?,
        };
        self.summary = summary;
        Ok(found.map(|(feature, cut, gain)| Waiting {
            place,
            range,
            depth,
            feature,
            cut,
            gain,
        }))
    }

    /// Whether a node is not split, whatever its columns say.
    fn is_leaf(&self, range: &Range<usize>, depth: usize, summary: &Summary) -> bool {
        let growth = self.growth;
        depth >= growth.max_depth
            || range.len() < growth.min_samples_split
            || range.len() < 2 * growth.min_samples_leaf.max(1)
            || summary.weight < 2.0 * growth.min_weight_leaf
            || summary.impurity <= f64::EPSILON
    }

    /// The best cut and what it gains, if that is enough.
    fn worthwhile(
        &mut self,
        range: &Range<usize>,
        summary: &Summary,
    ) -> Result<Option<(usize, Cut, f64)>> {
        let Some((feature, cut)) = self.search(range, summary)? else {
            return Ok(None);
        };
        let before = match self.problem.impurity {
            super::Impurity::Absolute => -summary.weight * summary.impurity,
            _ => self.problem.merit(&summary.totals, summary.weight),
        };
        let gain = ((cut.merit - before) / self.total_weight).max(0.0);
        let is_too_little = gain + f64::EPSILON < self.growth.min_impurity_decrease;
        Ok((!is_too_little).then_some((feature, cut, gain)))
    }

    /// The best cut over the columns that are looked at; of equally good ones that of the first
    /// column in their order.
    fn search(&mut self, range: &Range<usize>, summary: &Summary) -> Result<Option<(usize, Cut)>> {
        let searched = Searched {
            problem: self.problem,
            rows: &self.rows,
            node: range.clone(),
            summary,
            least: Least {
                rows: self.growth.min_samples_leaf.max(1),
                weight: self.growth.min_weight_leaf,
            },
            max_children: self.growth.max_children,
        };
        let n_features = self.features.len();
        let looked_at = self.growth.max_features.min(n_features);
        if looked_at == n_features && self.growth.splitter == Splitter::Best {
            return search_all(&searched, &self.features, &mut self.room, self.run);
        }
        match self.growth.splitter {
            Splitter::Best => searched.gather(&mut self.room),
            Splitter::Random => searched.prepare_random(&mut self.room),
        }
        // Columns are drawn without replacement; those that are constant here do not count.
        let mut best: Option<(usize, Cut)> = None;
        let mut counted = 0;
        for place in 0..n_features {
            if counted == looked_at {
                break;
            }
            let chosen = self.generator.random_range(place..n_features);
            self.features.swap(place, chosen);
            let feature = self.features[place];
            let cut = match self.growth.splitter {
                Splitter::Best if searched.is_constant(feature) => continue,
                Splitter::Best => searched.best(feature, &mut self.room),
                Splitter::Random => {
                    match searched.random(feature, &mut self.generator, &mut self.room) {
                        Drawn::Constant => continue,
                        Drawn::TooLittle => None,
                        Drawn::Cut(cut) => Some(cut),
                    }
                }
            };
            counted += 1;
            if let Some(cut) = cut
                && best
                    .as_ref()
                    .is_none_or(|(_, best)| exceeds(cut.merit, best.merit))
            {
                best = Some((feature, cut));
            }
        }
        Ok(best)
    }

    fn split(&mut self, waiting: Waiting, frontier: &mut Frontier) -> Result<()> {
        let Waiting {
            place,
            range,
            depth,
            feature,
            cut,
            ..
        } = waiting;
        let is_last = depth + 1 >= self.growth.max_depth;
        let threshold = cut.border.threshold(self.problem.columns, feature);
        let children = match cut.more.is_empty() {
            true => {
                let middle = self.split_in_two(&range, (feature, threshold), &cut, is_last)?;
                Children::Two([range.start..middle, middle..range.end])
            }
            false => Children::Several(self.split_in_several(&range, feature, &cut, is_last)?),
        };
        let children = children.ranges();
        let largest = |a: usize, b: usize| match children[b].len() > children[a].len() {
            true => b,
            false => a,
        };
        let most = (0..children.len()).reduce(largest).unwrap_or(0);
        self.tree.nodes[place] = Node {
            threshold,
            feature: feature as u32,
            first_child: self.tree.nodes.len() as u32,
            more: self.tree.more_thresholds.len() as u32,
            n_children: children.len() as u16,
            missing_child: cut.missing_child.map_or(most as u16, u16::from),
        };
        let more = cut.more.iter().map(|&(_, threshold)| threshold);
        self.tree.more_thresholds.extend(more);
        for child in children {
            if let Some(waiting) = self.node(child.clone(), depth + 1)? {
                frontier.push(waiting);
            }
        }
        Ok(())
    }

    fn split_in_two(
        &mut self,
        range: &Range<usize>,
        (feature, threshold): (usize, f64),
        cut: &Cut,
        is_last: bool,
    ) -> Result<usize> {
        let missing_right = cut.missing_child.unwrap_or(0) != 0;
        let (range, run, columns) = (range.clone(), self.run, self.problem.columns);
        match self.growth.splitter {
            Splitter::Best => {
                let ranks = &columns.column(feature).ranks;
                let goes_right = |row: u32| match ranks.of(row) {
                    MISSING => missing_right,
                    rank => rank >= cut.rank,
                };
                self.rows.split_in_two(range, goes_right, is_last, run)
            }
            Splitter::Random => {
                let (values, _) = columns.values(feature);
                let goes_right = |row: u32| {
                    let value = values[row as usize];
                    value >= threshold || (missing_right && value.is_nan())
                };
                self.rows.split_in_two(range, goes_right, is_last, run)
            }
        }
    }

    /// Only the best cuts have several children, and only where no value is missing.
    fn split_in_several(
        &mut self,
        range: &Range<usize>,
        feature: usize,
        cut: &Cut,
        is_last: bool,
    ) -> Result<Vec<Range<usize>>> {
        let ranks = &self.problem.columns.column(feature).ranks;
        let firsts = || {
            [cut.rank]
                .into_iter()
                .chain(cut.more.iter().map(|more| more.0))
        };
        let child = |row: u32| {
            let rank = ranks.of(row);
            firsts().map(|first| u8::from(rank >= first)).sum()
        };
        let n_children = cut.more.len() + 2;
        self.rows
            .split(range.clone(), n_children, child, is_last, self.run)
    }
}

/// The rows of children; those of two need no room of their own.
enum Children {
    Two([Range<usize>; 2]),
    Several(Vec<Range<usize>>),
}

impl Children {
    fn ranges(&self) -> &[Range<usize>] {
        match self {
            Children::Two(two) => two,
            Children::Several(several) => several,
        }
    }
}

/// The same where every column is looked at, and therefore kept sorted.
fn search_all(
    searched: &Searched<'_>,
    features: &[usize],
    room: &mut Room,
    run: &Run,
) -> Result<Option<(usize, Cut)>> {
    let better = |best: Option<(usize, Cut)>, (feature, cut): (usize, Option<Cut>)| {
        let Some(cut) = cut else {
            return best;
        };
        match best {
            Some(known) if !exceeds(cut.merit, known.1.merit) => Some(known),
            _ => Some((feature, cut)),
        }
    };
    let in_order = features.iter().copied();
    if searched.node.len() * features.len() < LARGE {
        let cuts = in_order.map(|feature| (feature, searched.best(feature, room)));
        return Ok(cuts.fold(None, better));
    }
    let cuts = parallel::map(features, run, |&feature| {
        Ok(searched.best(feature, &mut Room::default()))
    })?;
    Ok(in_order.zip(cuts).fold(None, better))
}
