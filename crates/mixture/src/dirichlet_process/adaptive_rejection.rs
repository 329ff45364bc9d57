//! Adaptive rejection sampling from log-concave densities (Gilks and Wild 1992).

use didact_core::random::Generator;
use didact_core::{Error, Result};
use rand::RngExt;

/// More points than this no longer make the hull noticeably tighter.
const MOST_POINTS: usize = 64;

/// Draws from a density whose logarithm h is concave, known up to a constant with its slope h′.
///
/// Tangents bound h from above and chords from below. A proposal comes from the tangents; where
/// the chords do not settle whether to take it, h itself does and the hull gains a point, so
/// fewer and fewer evaluations are needed.
///
/// ```
/// use didact_core::random::generator;
/// use didact_mixture::AdaptiveRejection;
/// // The standard normal density.
/// let mut sampler = AdaptiveRejection::new(|y| (-0.5 * y * y, -y), -1.0, 1.0)?;
/// let mut random = generator(1, 0);
/// let draws: Vec<f64> = (0..2000).map(|_| sampler.draw(&mut random)).collect::<Result<_, _>>()?;
/// let mean = draws.iter().sum::<f64>() / 2000.0;
/// assert!(mean.abs() < 0.1);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct AdaptiveRejection<H> {
    log_density: H,
    /// Where h is known, in rising order.
    points: Vec<Point>,
    /// The tangent of each point, from where it begins to where it ends.
    tangents: Vec<Tangent>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    place: f64,
    height: f64,
    slope: f64,
}

#[derive(Clone, Copy, Debug)]
struct Tangent {
    point: Point,
    left: f64,
    right: f64,
    /// The logarithm of the area under its exponential.
    log_area: f64,
}

impl Point {
    fn tangent(&self, place: f64) -> f64 {
        self.height + self.slope * (place - self.place)
    }
}

impl<H: FnMut(f64) -> (f64, f64)> AdaptiveRejection<H> {
    /// A sampler from h and h′, with a point on each side of the mode: h′(left) > 0 > h′(right).
    pub fn new(mut log_density: H, left: f64, right: f64) -> Result<Self> {
        let mut points = Vec::with_capacity(MOST_POINTS + 1);
        for place in [left, right] {
            let (height, slope) = log_density(place);
            points.push(Point {
                place,
                height,
                slope,
            });
        }
        let around = left < right && points[0].slope > 0.0 && points[1].slope < 0.0;
        if !around || points.iter().any(|point| !point.height.is_finite()) {
            return Err(Error::parameter(
                "left and right",
                format!("{left} and {right}"),
                "the density must rise at the first and fall at the second",
            ));
        }
        let mut sampler = AdaptiveRejection {
            log_density,
            points,
            tangents: Vec::new(),
        };
        sampler.bound();
        Ok(sampler)
    }

    /// The tangents and the areas under them.
    fn bound(&mut self) {
        let cut = |pair: &[Point]| {
            let (a, b) = (pair[0], pair[1]);
            let turn = a.slope - b.slope;
            // Tangents of one slope are one line, so any cut will do.
            let cut = a.place + (b.height - a.height - b.slope * (b.place - a.place)) / turn;
            match turn > 0.0 && cut.is_finite() {
                true => cut.clamp(a.place, b.place),
                false => 0.5 * (a.place + b.place),
            }
        };
        let cuts: Vec<f64> = self.points.windows(2).map(cut).collect();
        let ends = cuts.iter().copied().chain([f64::INFINITY]);
        let starts = [f64::NEG_INFINITY].into_iter().chain(cuts.iter().copied());
        let pieces = self.points.iter().zip(starts.zip(ends));
        self.tangents = pieces
            .map(|(&point, (left, right))| Tangent {
                point,
                left,
                right,
                log_area: log_area(&point, left, right),
            })
            .collect();
    }

    /// One draw.
    pub fn draw(&mut self, generator: &mut Generator) -> Result<f64> {
        loop {
            let tangent = self.pick(generator);
            // Zero would lie infinitely far to the left.
            let share = generator.random::<f64>().max(f64::MIN_POSITIVE);
            let place = tangent.place(share);
            let upper = tangent.point.tangent(place);
            let threshold = (1.0 - generator.random::<f64>()).ln();
            if threshold <= self.chord(place) - upper {
                return Ok(place);
            }
            let (height, slope) = (self.log_density)(place);
            let point = Point {
                place,
                height,
                slope,
            };
            if height.is_nan() || self.contradicts(&point, upper) {
                return Err(Error::numerical(format!(
                    "the logarithm of the density is not concave at {place}: \
                     a value lies above a tangent; choose another variable"
                )));
            }
            if self.points.len() < MOST_POINTS && height.is_finite() && slope.is_finite() {
                let position = self.points.partition_point(|point| point.place < place);
                self.points.insert(position, point);
                self.bound();
            }
            if threshold <= height - upper {
                return Ok(place);
            }
        }
    }

    /// Whether a point lies above the tangents, or known points above its own.
    fn contradicts(&self, point: &Point, upper: f64) -> bool {
        let above = |value: f64, bound: f64| value > bound + 1e-6 * (1.0 + bound.abs());
        let overtops = |known: &Point| above(known.height, point.tangent(known.place));
        above(point.height, upper) || point.slope.is_finite() && self.points.iter().any(overtops)
    }

    /// A tangent in proportion to the area under it.
    fn pick(&self, generator: &mut Generator) -> Tangent {
        let areas = self.tangents.iter().map(|tangent| tangent.log_area);
        let largest = areas.clone().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = areas.clone().map(|area| (area - largest).exp()).sum();
        let mut left = generator.random::<f64>() * total;
        let found = areas.into_iter().position(|area| {
            left -= (area - largest).exp();
            left < 0.0
        });
        self.tangents[found.unwrap_or(self.tangents.len() - 1)]
    }

    /// The chord between the neighbouring points; nothing is known outside of them.
    fn chord(&self, place: f64) -> f64 {
        let next = self.points.partition_point(|point| point.place < place);
        if next == 0 || next == self.points.len() {
            return f64::NEG_INFINITY;
        }
        let (a, b) = (self.points[next - 1], self.points[next]);
        let share = (place - a.place) / (b.place - a.place);
        a.height + share * (b.height - a.height)
    }
}

impl Tangent {
    /// The place below which the given share of the area lies.
    fn place(&self, share: f64) -> f64 {
        let (slope, width) = (self.point.slope, self.right - self.left);
        if slope > 0.0 {
            let rest = (-slope * width).exp();
            self.right + (share + (1.0 - share) * rest).ln() / slope
        } else if slope < 0.0 {
            self.left + (share * (slope * width).exp_m1()).ln_1p() / slope
        } else {
            self.left + share * width
        }
    }
}

/// ln ∫ exp(tangent) between two places.
fn log_area(point: &Point, left: f64, right: f64) -> f64 {
    let (slope, width) = (point.slope, right - left);
    if width <= 0.0 {
        f64::NEG_INFINITY
    } else if slope > 0.0 {
        point.tangent(right) + (-(-slope * width).exp_m1() / slope).ln()
    } else if slope < 0.0 {
        point.tangent(left) + ((slope * width).exp_m1() / slope).ln()
    } else {
        point.height + width.ln()
    }
}
