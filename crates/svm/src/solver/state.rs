//! The points that can still move, and their multipliers.

use super::Side;

/// Everything the steps look at, for the points that can still move, in their order.
pub(super) struct State {
    /// Which points these are.
    pub(super) points: Vec<usize>,
    /// Kβ at these points.
    pub(super) scores: Vec<f64>,
    /// The kernel of each point with itself.
    pub(super) diagonal: Vec<f64>,
    pub(super) tracks: Vec<Track>,
    /// The multipliers of all points as they were when these were set aside.
    resting: Vec<Vec<f64>>,
    all_diagonal: Vec<f64>,
}

/// The multipliers of one side.
#[derive(Clone, Default)]
pub(super) struct Track {
    pub(super) slope: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    pub(super) beta: Vec<f64>,
    /// The slope, or +∞ where the multiplier cannot rise: such a gradient is never the lowest.
    pub(super) rise: Vec<f64>,
    /// The slope, or −∞ where it cannot fall.
    pub(super) fall: Vec<f64>,
}

impl State {
    /// All points, with the multipliers at the start and scores of zero.
    pub(super) fn new(sides: &[Side], diagonal: Vec<f64>) -> Self {
        let resting = sides.iter().map(|side| side.start.clone()).collect();
        let mut state = State {
            points: Vec::new(),
            scores: Vec::new(),
            diagonal: Vec::new(),
            tracks: Vec::new(),
            resting,
            all_diagonal: diagonal,
        };
        let n = state.n_all();
        state.wake_all(sides, vec![0.0; n]);
        state
    }

    pub(super) fn n_all(&self) -> usize {
        self.all_diagonal.len()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.points.len() == self.n_all()
    }

    /// The multipliers of all points, side by side.
    pub(super) fn multipliers(&mut self) -> &[Vec<f64>] {
        for (resting, track) in self.resting.iter_mut().zip(&self.tracks) {
            for (&point, &beta) in self.points.iter().zip(&track.beta) {
                resting[point] = beta;
            }
        }
        &self.resting
    }

    /// The total multiplier of every point.
    pub(super) fn totals(&mut self) -> Vec<f64> {
        let n = self.n_all();
        let sides = self.multipliers();
        (0..n)
            .map(|point| sides.iter().map(|side| side[point]).sum())
            .collect()
    }

    /// The points that cannot move.
    pub(super) fn resting_points(&self) -> Vec<usize> {
        let mut can_move = vec![false; self.n_all()];
        for &point in &self.points {
            can_move[point] = true;
        }
        (0..can_move.len())
            .filter(|&point| !can_move[point])
            .collect()
    }

    /// The scores of all points: those of the points that can move, and these of the others.
    pub(super) fn completed(&self, resting: &[usize], resting_scores: &[f64]) -> Vec<f64> {
        let mut scores = vec![0.0; self.n_all()];
        for (&point, &score) in self.points.iter().zip(&self.scores) {
            scores[point] = score;
        }
        for (&point, &score) in resting.iter().zip(resting_scores) {
            scores[point] = score;
        }
        scores
    }

    /// Lets all points move again; these are their scores.
    pub(super) fn wake_all(&mut self, sides: &[Side], scores: Vec<f64>) {
        self.multipliers();
        self.points = (0..self.n_all()).collect();
        self.scores = scores;
        self.diagonal.clone_from(&self.all_diagonal);
        let tracks = sides.iter().zip(&self.resting);
        self.tracks = tracks.map(|(side, beta)| Track::new(side, beta)).collect();
    }

    /// Sets all points aside but these, by their places.
    pub(super) fn keep(&mut self, places: &[usize]) {
        self.multipliers();
        self.points = places.iter().map(|&place| self.points[place]).collect();
        self.scores = chosen(&self.scores, places);
        self.diagonal = chosen(&self.diagonal, places);
        for track in &mut self.tracks {
            *track = track.keep(places);
        }
    }

    /// ½βᵀKβ + Σ slope·β, for complete states.
    pub(super) fn objective(&self) -> f64 {
        self.squared_length() / 2.0 + self.linear()
    }

    /// βᵀKβ, where all points with multipliers can move.
    pub(super) fn squared_length(&self) -> f64 {
        let products = self.tracks.iter().flat_map(|track| {
            let pairs = track.beta.iter().zip(&self.scores);
            pairs.map(|(beta, score)| beta * score)
        });
        products.sum()
    }

    /// Σ|β| of the points that can move.
    pub(super) fn total_size(&self) -> f64 {
        let multipliers = self.tracks.iter().flat_map(|track| &track.beta);
        multipliers.map(|beta| beta.abs()).sum()
    }

    /// √Σβ² of the points that can move.
    pub(super) fn length(&self) -> f64 {
        let multipliers = self.tracks.iter().flat_map(|track| &track.beta);
        multipliers.map(|beta| beta * beta).sum::<f64>().sqrt()
    }

    /// Σ slope·β, where all points with multipliers can move.
    pub(super) fn linear(&self) -> f64 {
        let products = self.tracks.iter().flat_map(|track| {
            let pairs = track.beta.iter().zip(&track.slope);
            pairs.map(|(beta, slope)| beta * slope)
        });
        products.sum()
    }
}

impl Track {
    fn new(side: &Side, beta: &[f64]) -> Self {
        let mut track = Track {
            slope: side.slope.clone(),
            low: side.low.clone(),
            high: side.high.clone(),
            beta: beta.to_vec(),
            rise: side.slope.clone(),
            fall: side.slope.clone(),
        };
        for place in 0..beta.len() {
            track.refresh(place);
        }
        track
    }

    fn keep(&self, places: &[usize]) -> Self {
        Track {
            slope: chosen(&self.slope, places),
            low: chosen(&self.low, places),
            high: chosen(&self.high, places),
            beta: chosen(&self.beta, places),
            rise: chosen(&self.rise, places),
            fall: chosen(&self.fall, places),
        }
    }

    /// Gives a multiplier another value.
    pub(super) fn set(&mut self, place: usize, beta: f64) {
        self.beta[place] = beta;
        self.refresh(place);
    }

    fn refresh(&mut self, place: usize) {
        let (beta, slope) = (self.beta[place], self.slope[place]);
        self.rise[place] = match beta < self.high[place] {
            true => slope,
            false => f64::INFINITY,
        };
        self.fall[place] = match beta > self.low[place] {
            true => slope,
            false => f64::NEG_INFINITY,
        };
    }

    /// Whether a multiplier is between its limits.
    pub(super) fn is_free(&self, place: usize) -> bool {
        self.low[place] < self.beta[place] && self.beta[place] < self.high[place]
    }
}

fn chosen(values: &[f64], places: &[usize]) -> Vec<f64> {
    places.iter().map(|&place| values[place]).collect()
}
