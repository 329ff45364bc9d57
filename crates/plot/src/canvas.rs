//! A list of things to draw, in pixels from the top left: what every output reads.

use crate::colour::Colour;

/// A colour that may let the ground shine through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paint {
    pub(crate) colour: Colour,
    pub(crate) opacity: f64,
}

impl From<Colour> for Paint {
    fn from(colour: Colour) -> Self {
        Paint {
            colour,
            opacity: 1.0,
        }
    }
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pen {
    pub(crate) paint: Paint,
    pub(crate) width: f64,
    /// Lengths of stroke and gap.
    pub(crate) dash: Option<[f64; 2]>,
}

/// The form of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
    Plus,
}

impl Form {
    /// Every series has a form of its own until they repeat.
    pub(crate) fn of(series: usize) -> Form {
        [
            Form::Circle,
            Form::Square,
            Form::Triangle,
            Form::Diamond,
            Form::Cross,
            Form::Plus,
        ][series % 6]
    }

    /// The corners around the origin, for a point of the given radius; none for a circle.
    ///
    /// The forms have about the area of the circle, so that no class looks larger.
    pub(crate) fn corners(self, radius: f64) -> Vec<[f64; 2]> {
        let around = |corners: &[[f64; 2]], size: f64| -> Vec<[f64; 2]> {
            corners
                .iter()
                .map(|[x, y]| [x * size * radius, y * size * radius])
                .collect()
        };
        match self {
            Form::Circle => Vec::new(),
            Form::Square => around(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], 0.89),
            Form::Triangle => around(&[[0.0, -1.1], [1.05, 0.75], [-1.05, 0.75]], 1.2),
            Form::Diamond => around(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], 1.25),
            Form::Plus => around(&PLUS, 1.2),
            Form::Cross => {
                let half = std::f64::consts::FRAC_1_SQRT_2;
                let turned = PLUS.map(|[x, y]| [(x - y) * half, (x + y) * half]);
                around(&turned, 1.2)
            }
        }
    }
}

/// The outline of a plus sign whose arms are 0.7 wide.
const PLUS: [[f64; 2]; 12] = [
    [-0.35, -1.0],
    [0.35, -1.0],
    [0.35, -0.35],
    [1.0, -0.35],
    [1.0, 0.35],
    [0.35, 0.35],
    [0.35, 1.0],
    [-0.35, 1.0],
    [-0.35, 0.35],
    [-1.0, 0.35],
    [-1.0, -0.35],
    [-0.35, -0.35],
];

/// Which end of a text is at the given place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing to draw. `class` says in the SVG what it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    /// Lines, open or closed; closed ones are filled by the even–odd rule.
    Path {
        class: &'static str,
        lines: Vec<Vec<[f64; 2]>>,
        closed: bool,
        fill: Option<Paint>,
        pen: Option<Pen>,
    },
    /// Equal points.
    Dots {
        class: &'static str,
        centers: Vec<[f64; 2]>,
        form: Form,
        radius: f64,
        fill: Option<Paint>,
        pen: Option<Pen>,
        /// The sign that stands for the point where there are only letters.
        sign: char,
    },
    /// One line of text; the place is on its base line.
    Text {
        class: &'static str,
        at: [f64; 2],
        text: String,
        size: f64,
        colour: Colour,
        anchor: Anchor,
        /// Degrees, clockwise.
        turn: f64,
    },
}

/// Everything to draw, in order.
#[derive(Clone, Debug)]
pub(crate) struct Canvas {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) background: Colour,
    pub(crate) marks: Vec<Mark>,
}

impl Canvas {
    pub(crate) fn new(width: f64, height: f64, background: Colour) -> Self {
        Canvas {
            width,
            height,
            background,
            marks: Vec::new(),
        }
    }

    /// Draws lines; nothing where there are none.
    pub(crate) fn lines(&mut self, class: &'static str, lines: Vec<Vec<[f64; 2]>>, pen: Pen) {
        if !lines.is_empty() {
            self.marks.push(Mark::Path {
                class,
                lines,
                closed: false,
                fill: None,
                pen: Some(pen),
            });
        }
    }

    /// Fills rings; nothing where there are none.
    pub(crate) fn rings(
        &mut self,
        class: &'static str,
        rings: Vec<Vec<[f64; 2]>>,
        fill: Option<Paint>,
        pen: Option<Pen>,
    ) {
        if !rings.is_empty() {
            self.marks.push(Mark::Path {
                class,
                lines: rings,
                closed: true,
                fill,
                pen,
            });
        }
    }
}

/// The corners of a rectangle between two opposite ones.
pub(crate) fn rectangle([x0, y0, x1, y1]: [f64; 4]) -> Vec<[f64; 2]> {
    vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1]]
}
