//! A panel: two axes and the layers between them.

use crate::layer::{Content, Dot, Layer, Stroke, Word};
use crate::scale::{Axis, Scale};
use crate::theme::Ink;
use crate::thin;

/// Larger magnitudes than this are treated like infinity: their differences overflow.
const LARGEST: f64 = 1e300;

/// A strip of colours with numbers beside it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColourBar {
    pub(crate) label: String,
    pub(crate) ends: [f64; 2],
}

/// Two axes and what lies between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Panel {
    pub(crate) title: Option<String>,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) layers: Vec<Layer>,
    pub(crate) colour_bar: Option<ColourBar>,
    /// Whether a unit is as long on both axes.
    pub(crate) equal_units: bool,
    /// The columns of the data that the axes stand for.
    pub(crate) plane: Option<[usize; 2]>,
    /// The share of the picture's height, relative to the other panels.
    pub(crate) height: f64,
    /// Number of values that could not be drawn because they are not finite.
    pub(crate) left_out: usize,
    /// Numbers of points given and drawn, where some were left out because others cover them.
    pub(crate) thinned: Option<[usize; 2]>,
}

impl Panel {
    pub(crate) fn new(x: Axis, y: Axis) -> Self {
        Panel {
            title: None,
            x,
            y,
            layers: Vec::new(),
            colour_bar: None,
            equal_units: false,
            plane: None,
            height: 1.0,
            left_out: 0,
            thinned: None,
        }
    }

    pub(crate) fn push(&mut self, class: &'static str, name: Option<&str>, content: Content) {
        self.layers.push(Layer {
            class,
            name: name.map(str::to_owned),
            content,
            counts: true,
        });
    }

    /// Adds points; those that are not finite are left out and counted.
    pub(crate) fn points(
        &mut self,
        class: &'static str,
        name: Option<&str>,
        points: impl IntoIterator<Item = [f64; 2]>,
        dot: Dot,
    ) {
        let (mut given, mut kept) = (0, Vec::new());
        for point in points {
            given += 1;
            if self.can_show(point) {
                kept.push(point);
            }
        }
        self.left_out += given - kept.len();
        let before = kept.len();
        let kept = thin::points(kept);
        if kept.len() < before {
            let [all, drawn] = self.thinned.unwrap_or([0, 0]);
            self.thinned = Some([all + before, drawn + kept.len()]);
        }
        self.push(class, name, Content::Points(kept, dot));
    }

    /// Adds a line; it is broken where a value is not finite.
    pub(crate) fn line(
        &mut self,
        class: &'static str,
        name: Option<&str>,
        points: impl IntoIterator<Item = [f64; 2]>,
        stroke: Stroke,
    ) {
        let mut lines = vec![Vec::new()];
        for point in points {
            match (self.can_show(point), lines.last_mut()) {
                (true, Some(line)) => line.push(point),
                _ => {
                    self.left_out += 1;
                    lines.push(Vec::new());
                }
            }
        }
        lines.retain(|line| line.len() > 1);
        let lines = lines.into_iter().map(thin::line).collect();
        self.push(class, name, Content::Lines(lines, stroke));
    }

    /// Adds a band between two lines over the same places.
    pub(crate) fn band(
        &mut self,
        class: &'static str,
        name: Option<&str>,
        places: &[f64],
        [low, high]: [&[f64]; 2],
        ink: Ink,
        opacity: f64,
    ) {
        let mut rings = Vec::new();
        let mut stretch: Vec<[f64; 3]> = Vec::new();
        let mut close = |stretch: &mut Vec<[f64; 3]>| {
            if stretch.len() > 1 {
                let upper = thin::line(stretch.iter().map(|[x, _, high]| [*x, *high]).collect());
                let lower = thin::line(stretch.iter().map(|[x, low, _]| [*x, *low]).collect());
                rings.push(upper.into_iter().chain(lower.into_iter().rev()).collect());
            }
            stretch.clear();
        };
        for ((&x, &low), &high) in places.iter().zip(low).zip(high) {
            match self.can_show([x, low]) && self.can_show([x, high]) {
                true => stretch.push([x, low, high]),
                false => close(&mut stretch),
            }
        }
        close(&mut stretch);
        self.push(class, name, Content::Region(rings, ink, opacity));
    }

    /// Adds a line across the panel.
    pub(crate) fn rule(&mut self, name: Option<&str>, at: f64, upright: bool, stroke: Stroke) {
        if self.can_show([at, at]) {
            let rule = Content::Rule {
                at,
                upright,
                stroke,
            };
            self.push("rule", name, rule);
        }
    }

    /// Adds words.
    pub(crate) fn words(&mut self, words: Vec<Word>, sparing: bool) {
        let shown = words
            .into_iter()
            .filter(|word| self.can_show(word.at))
            .collect();
        self.push(
            "label",
            None,
            Content::Words {
                words: shown,
                sparing,
            },
        );
    }

    /// The newest layer does not widen the axes.
    pub(crate) fn without_room(&mut self) {
        if let Some(layer) = self.layers.last_mut() {
            layer.counts = false;
        }
    }

    fn can_show(&self, [x, y]: [f64; 2]) -> bool {
        let fits = |axis: &Axis, value: f64| {
            value.abs() <= LARGEST && (axis.scale != Scale::Logarithmic || value > 0.0)
        };
        fits(&self.x, x) && fits(&self.y, y)
    }

    /// The ends of both axes.
    pub(crate) fn spans(&self) -> [[f64; 2]; 2] {
        let extent = |axis: usize| {
            self.layers
                .iter()
                .filter_map(|layer| layer.extent(axis))
                .reduce(|one, two| [one[0].min(two[0]), one[1].max(two[1])])
        };
        [self.x.span(extent(0)), self.y.span(extent(1))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_not_finite_are_counted_and_break_lines() {
        let mut panel = Panel::new(Axis::new("x"), Axis::new("y"));
        let values = [
            [0.0, 0.0],
            [1.0, 1.0],
            [2.0, f64::NAN],
            [3.0, 3.0],
            [4.0, f64::INFINITY],
            [5.0, 1e308],
        ];
        panel.line("line", None, values, Stroke::reference());
        panel.points("points", None, values, Dot::series(0));
        assert_eq!(panel.left_out, 6);
        let Content::Lines(lines, _) = &panel.layers[0].content else {
            panic!("a line was added");
        };
        assert_eq!(lines, &[vec![[0.0, 0.0], [1.0, 1.0]]]);
        assert_eq!(panel.spans()[0], [-0.12, 3.12]);
    }

    #[test]
    fn a_logarithmic_axis_leaves_out_what_is_not_positive() {
        let mut panel = Panel::new(Axis::new("C").logarithmic(true), Axis::new("y"));
        panel.points(
            "points",
            None,
            [[0.0, 1.0], [-1.0, 1.0], [10.0, 1.0]],
            Dot::series(0),
        );
        assert_eq!(panel.left_out, 2);
    }
}
