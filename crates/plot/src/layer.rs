//! What lies between the axes of a panel, in the units of the data.

use crate::canvas::{Anchor, Form};
use crate::theme::Ink;

/// How a line of a layer looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) ink: Ink,
    pub(crate) width: f64,
    pub(crate) dashed: bool,
}

impl Stroke {
    pub(crate) fn new(ink: Ink) -> Self {
        Stroke {
            ink,
            width: 2.0,
            dashed: false,
        }
    }

    pub(crate) fn thin(mut self) -> Self {
        self.width = 1.2;
        self
    }

    pub(crate) fn dashed(mut self) -> Self {
        self.dashed = true;
        self
    }

    /// A dashed line to compare with.
    pub(crate) fn reference() -> Self {
        Stroke::new(Ink::Muted).thin().dashed()
    }
}

/// How the points of a layer look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    pub(crate) ink: Ink,
    pub(crate) form: Form,
    pub(crate) radius: f64,
    pub(crate) hollow: bool,
    pub(crate) opacity: f64,
    /// The letter for the terminal.
    pub(crate) sign: char,
}

impl Dot {
    /// The look of a series: colour, form and letter are its own.
    pub(crate) fn series(series: usize) -> Self {
        Dot {
            ink: Ink::Series(series),
            form: Form::of(series),
            radius: 3.6,
            hollow: false,
            opacity: 1.0,
            sign: ['o', '■', '▲', '◆', '×', '+'][series % 6],
        }
    }

    pub(crate) fn round(ink: Ink) -> Self {
        Dot {
            ink,
            form: Form::Circle,
            sign: '•',
            ..Dot::series(0)
        }
    }

    pub(crate) fn sized(mut self, radius: f64) -> Self {
        self.radius = radius;
        self
    }

    pub(crate) fn hollow(mut self) -> Self {
        self.hollow = true;
        self
    }

    pub(crate) fn faint(mut self, opacity: f64) -> Self {
        self.opacity = opacity;
        self
    }
}

/// A word at a place of the data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) at: [f64; 2],
    pub(crate) text: String,
    pub(crate) ink: Ink,
    pub(crate) anchor: Anchor,
    /// Where the middle of the text's height is from the place, in letters: right and down.
    pub(crate) shift: [f64; 2],
}

impl Word {
    /// A word centred on its place.
    pub(crate) fn centred(at: [f64; 2], text: impl Into<String>, ink: Ink) -> Self {
        Word {
            at,
            text: text.into(),
            ink,
            anchor: Anchor::Middle,
            shift: [0.0, 0.0],
        }
    }

    pub(crate) fn shifted(mut self, anchor: Anchor, right: f64, down: f64) -> Self {
        self.anchor = anchor;
        self.shift = [right, down];
        self
    }
}

/// What a layer draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    Points(Vec<[f64; 2]>, Dot),
    /// Lines; each may leave the axes.
    Lines(Vec<Vec<[f64; 2]>>, Stroke),
    /// Filled rings, by the even–odd rule.
    Region(Vec<Vec<[f64; 2]>>, Ink, f64),
    /// Rectangles between two corners, each with its ink.
    Cells(Vec<([f64; 4], Ink)>, f64),
    /// Arrows from place to place.
    Arrows(Vec<[[f64; 2]; 2]>, Stroke),
    /// Lines across the whole panel at values of y (or, upright, of x).
    Rule {
        at: f64,
        upright: bool,
        stroke: Stroke,
    },
    /// Words; those that would cover another are moved or left out when `sparing`.
    Words {
        words: Vec<Word>,
        sparing: bool,
    },
}

/// One layer and its name in the legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Layer {
    pub(crate) class: &'static str,
    pub(crate) name: Option<String>,
    pub(crate) content: Content,
    /// Whether the ends of the axes make room for it.
    pub(crate) counts: bool,
}

impl Layer {
    /// Smallest and largest value along an axis (0 is x), if the layer has any.
    pub(crate) fn extent(&self, axis: usize) -> Option<[f64; 2]> {
        if !self.counts {
            return None;
        }
        let of = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(None, |ends: Option<[f64; 2]>, value| {
                Some(match ends {
                    None => [value, value],
                    Some([low, high]) => [low.min(value), high.max(value)],
                })
            })
        };
        match &self.content {
            Content::Points(points, _) => of(&mut points.iter().map(|point| point[axis])),
            Content::Lines(lines, _) | Content::Region(lines, ..) => {
                of(&mut lines.iter().flatten().map(|point| point[axis]))
            }
            Content::Cells(cells, _) => of(&mut cells
                .iter()
                .flat_map(|(corners, _)| [corners[axis], corners[axis + 2]])),
            Content::Arrows(arrows, _) => of(&mut arrows.iter().flatten().map(|point| point[axis])),
            Content::Rule { at, upright, .. } => (*upright == (axis == 0)).then_some([*at, *at]),
            Content::Words { .. } => None,
        }
    }
}
