//! Step after step to the minimum.

use super::pass::{Prospect, Riser, best_partner, lowest, move_scores};
use super::polish::polish;
use super::state::State;
use super::{Goal, Outcome, Program, Solution, overflow};
use crate::gram::{Gram, Precision};
use didact_core::{Result, Run, StopReason, TraceWriter};
use std::ops::Range;

/// Steps between two looks at the switch that stops the run.
const BREATH: usize = 64;

/// A curvature below this share of the largest kernel value is rounding, or the kernel is not
/// positive semidefinite.
const FLATTEST: f64 = 1e-12;

/// Points are set aside when at most this share of them remains; otherwise the copies cost more
/// than they save.
const WORTHWHILE: f64 = 0.7;

/// Fewer points than this are not worth setting some of them aside.
const FEW_POINTS: usize = 200;

/// Where all points were looked at this often without an end, rounding is all that is left.
const MOST_LOOKS: usize = 30;

/// How often the free multipliers are moved all at once at the end, with steps over pairs between.
const MOST_POLISH: usize = 10;

/// What remains after that, in shares of what is good enough.
const POLISHED: f64 = 1e-6;

/// How many limits are met one after the other when the free multipliers are moved all at once.
const MOST_MOVES: usize = 10;

/// The search has stalled when so many steps for each point lower the objective by less than this
/// share of it.
const STALLED: (usize, f64) = (20, 1e-13);

/// Single precision has to go where its rounding reaches this share of what is good enough.
const DISTURBING: f64 = 0.25;

/// The search and all it knows.
pub(super) struct Search<'a, 'g> {
    program: &'a Program,
    gram: &'a mut Gram<'g>,
    run: &'a Run,
    state: State,
    trace: TraceWriter<'a>,
    /// The objective, followed from step to step.
    objective: f64,
    /// The largest kernel of a point with itself.
    largest: f64,
    /// The least curvature that is believed.
    flattest: f64,
    /// What rounding may have added to the scores.
    noise: f64,
    steps: usize,
    /// How far multipliers have moved since all scores were computed anew, and the step at which
    /// that was.
    moved: f64,
    computed: usize,
    /// The step that was recorded last, and the one that will be next.
    recorded: usize,
    next_record: usize,
    next_shrink: usize,
    /// The step after which the free multipliers are moved all at once.
    next_common: usize,
    /// The step at which all points were looked at last, and how often that has been.
    refreshed: Option<usize>,
    looks: usize,
    /// Whether points set aside have been looked at once shortly before the end.
    looked_early: bool,
    /// How often the free multipliers were moved all at once, and the step until which pairs are
    /// asked for more than is good enough thereafter.
    polished: usize,
    polishing_until: usize,
    /// The next step at which progress is judged, and the objective at the last one.
    milestone: (usize, f64),
}

/// Two multipliers, one to rise and one to fall by as much.
struct Pair {
    /// Side and place of the one that rises.
    up: (usize, usize),
    /// Side and place of the one that falls.
    down: (usize, usize),
    /// The gradient of the second minus that of the first.
    descent: f64,
}

impl<'a, 'g> Search<'a, 'g> {
    pub(super) fn new(program: &'a Program, gram: &'a mut Gram<'g>, run: &'a Run) -> Result<Self> {
        gram.allow_single();
        let diagonal = gram.diagonal(run)?;
        let largest = diagonal.iter().fold(0.0_f64, |most, k| most.max(k.abs()));
        let state = State::new(&program.sides, diagonal);
        let mut search = Search {
            next_shrink: stride(&state),
            next_common: common_stride(&state),
            milestone: (patience(&state), f64::INFINITY),
            trace: TraceWriter::new(run, "dual objective", None),
            flattest: (FLATTEST * largest).max(f64::MIN_POSITIVE),
            largest,
            noise: 0.0,
            program,
            gram,
            run,
            state,
            objective: 0.0,
            steps: 0,
            moved: 0.0,
            computed: 0,
            recorded: 0,
            next_record: 1,
            refreshed: None,
            looks: 0,
            looked_early: false,
            polished: 0,
            polishing_until: 0,
        };
        let mut starts = program.sides.iter().flat_map(|side| &side.start);
        if starts.any(|&beta| beta != 0.0) {
            // Nothing is known of the scores yet.
            search.moved = f64::INFINITY;
            search.look_at_all(0.0)?;
        }
        Ok(search)
    }

    pub(super) fn run(mut self) -> Result<Outcome> {
        loop {
            if self.steps.is_multiple_of(BREATH) {
                self.run.check()?;
            }
            if self.steps >= self.next_shrink {
                self.set_aside()?;
            }
            if self.steps >= self.next_common {
                self.move_together()?;
            }
            let (pair, violation) = self.find_pair()?;
            if violation.is_nan() || !self.objective.is_finite() {
                return Err(overflow());
            }
            if self.is_hopeless() {
                return Ok(Outcome::Impossible);
            }
            let goal = self.goal();
            match pair.filter(|_| violation > goal) {
                None if self.refreshed == Some(self.steps) => {
                    if !self.polish(violation)? {
                        return self.finish(violation, StopReason::Converged);
                    }
                }
                None => self.look_closely()?,
                Some(_) if !self.looked_early && violation <= 10.0 * goal => {
                    self.looked_early = true;
                    if !self.state.is_complete() {
                        // Steps will follow; it is enough that scores say where to.
                        self.look_at_all(goal)?;
                    }
                }
                Some(pair) => match self.reason_to_stop(violation) {
                    Some(stop) => return self.give_up(stop),
                    None => self.step(&pair)?,
                },
            }
        }
    }

    /// The steepest descent that is good enough for now.
    fn goal(&self) -> f64 {
        match self.steps < self.polishing_until {
            true => POLISHED * self.final_goal(),
            false => self.final_goal(),
        }
    }

    /// The steepest descent that is good enough in the end.
    fn final_goal(&self) -> f64 {
        match self.program.goal {
            Goal::Slope(tol) | Goal::Bounded { tol, .. } => tol,
            Goal::Share { tol, .. } => tol * self.objective,
        }
    }

    /// Looks for the last digits: moves the free multipliers all at once, and has pairs go on from
    /// there where that helped.
    fn polish(&mut self, violation: f64) -> Result<bool> {
        if violation <= POLISHED * self.final_goal() || self.polished == MOST_POLISH {
            return Ok(false);
        }
        self.polished += 1;
        self.polishing_until = self.steps + 2 * self.state.points.len();
        self.move_together()
    }

    /// Moves the free multipliers all at once, again and again while some of them meet a limit;
    /// whether that gained anything.
    fn move_together(&mut self) -> Result<bool> {
        self.next_common = self.steps + common_stride(&self.state);
        if !self.gram.has_room_for_all() {
            return Ok(false);
        }
        let are_apart = self.program.are_apart;
        let group_of = |side: usize| if are_apart { side } else { 0 };
        let before = self.objective;
        for _ in 0..MOST_MOVES {
            let Some(polished) = polish(&mut self.state, self.gram, group_of, self.run)? else {
                break;
            };
            self.objective -= polished.gained;
            self.moved += polished.moved;
            // The steps until the next common move take about as long as this one.
            self.next_common += polished.cost / (16 * self.state.n_all());
            if !polished.met_limit {
                break;
            }
        }
        Ok(self.objective < before)
    }

    fn is_hopeless(&self) -> bool {
        match self.program.goal {
            Goal::Slope(_) => false,
            Goal::Share { floor, .. } => self.objective <= floor,
            // Points that are set aside have no multipliers here, because there are no upper limits.
            Goal::Bounded { steepest, .. } => {
                self.steps.is_multiple_of(BREATH)
                    && -self.state.linear() > steepest * self.state.squared_length().max(0.0).sqrt()
            }
        }
    }

    fn reason_to_stop(&mut self, violation: f64) -> Option<StopReason> {
        let n_points = self.program.sides[0].slope.len();
        if self.steps >= self.program.effort.limit(n_points) {
            return Some(StopReason::IterationLimit);
        }
        if self.looks > MOST_LOOKS || violation <= self.noise {
            return Some(StopReason::Stalled);
        }
        // While the last digits are looked for there is little to gain.
        if self.steps < self.milestone.0.max(self.polishing_until) {
            return None;
        }
        let gained = self.milestone.1 - self.objective;
        self.milestone = (self.steps + patience(&self.state), self.objective);
        (gained <= STALLED.1 * self.objective.abs()).then_some(StopReason::Stalled)
    }

    /// Stops before the goal; all that is reported holds for all points.
    fn give_up(mut self, stop: StopReason) -> Result<Outcome> {
        self.look_closely()?;
        let violation = self.find_pair()?.1;
        match violation <= self.final_goal() {
            true => self.finish(violation, StopReason::Converged),
            false => self.finish(violation, stop),
        }
    }

    /// Sides whose multipliers can be exchanged.
    fn groups(&self) -> Vec<Range<usize>> {
        let sides = self.state.tracks.len();
        match self.program.are_apart {
            true => (0..sides).map(|side| side..side + 1).collect(),
            false => std::iter::once(0..sides).collect(),
        }
    }

    /// The pair that promises most, its kernel rows prepared, and the steepest descent of any pair.
    fn find_pair(&mut self) -> Result<(Option<Pair>, f64)> {
        let (mut best, mut most, mut violation) = (None, f64::NEG_INFINITY, 0.0_f64);
        for group in self.groups() {
            let (gradient, up) = self.lowest(group.clone());
            if gradient == f64::INFINITY {
                continue;
            }
            self.gram.prepare(up.1, self.run)?;
            for side in group {
                let found = self.partner(gradient, up.1, side);
                if found.violation > violation || found.violation.is_nan() {
                    violation = found.violation;
                }
                if found.gain > most {
                    most = found.gain;
                    best = Some((up, gradient, (side, found.place)));
                }
            }
        }
        let Some((up, gradient, down)) = best else {
            return Ok((None, violation));
        };
        self.gram.prepare(down.1, self.run)?;
        let track = &self.state.tracks[down.0];
        let descent = self.state.scores[down.1] + track.slope[down.1] - gradient;
        Ok((Some(Pair { up, down, descent }), violation))
    }

    /// The lowest gradient of a multiplier that can rise, and which one has it.
    fn lowest(&self, sides: Range<usize>) -> (f64, (usize, usize)) {
        let mut best = (f64::INFINITY, (sides.start, 0));
        for side in sides {
            let (gradient, place) = lowest(&self.state.scores, &self.state.tracks[side].rise);
            if gradient < best.0 {
                best = (gradient, (side, place));
            }
        }
        best
    }

    fn partner(&self, gradient: f64, up: usize, side: usize) -> Prospect {
        let state = &self.state;
        let riser = Riser {
            gradient,
            own: state.diagonal[up],
            flattest: self.flattest,
        };
        let fall = &state.tracks[side].fall;
        let row = self.gram.row(up);
        best_partner(riser, row, &state.scores, fall, &state.diagonal)
    }

    /// Moves a pair to its best values within the limits.
    fn step(&mut self, pair: &Pair) -> Result<()> {
        let ((up_side, up), (down_side, down)) = (pair.up, pair.down);
        let state = &mut self.state;
        let (up_row, down_row) = (self.gram.row(up), self.gram.row(down));
        let curvature = state.diagonal[up] + state.diagonal[down] - 2.0 * up_row.at(down);
        let (rising, falling) = (&state.tracks[up_side], &state.tracks[down_side]);
        let room_above = rising.high[up] - rising.beta[up];
        let room_below = falling.beta[down] - falling.low[down];
        let step = (pair.descent / curvature.max(self.flattest))
            .min(room_above)
            .min(room_below);
        // A limit is met exactly, whatever the rounding of the sum.
        let above = match step == room_above {
            true => rising.high[up],
            false => rising.beta[up] + step,
        };
        let below = match step == room_below {
            true => falling.low[down],
            false => falling.beta[down] - step,
        };
        state.tracks[up_side].set(up, above);
        state.tracks[down_side].set(down, below);
        move_scores(&mut state.scores, step, up_row, down_row);
        self.objective += step * (0.5 * step * curvature - pair.descent);
        self.moved += step;
        self.steps += 1;
        if self.steps >= self.next_record {
            self.record()?;
        }
        Ok(())
    }

    /// Records every step at first, then ever fewer: some hundred records of however many steps.
    fn record(&mut self) -> Result<()> {
        self.recorded = self.steps;
        self.next_record = self.steps + (self.steps / 16).max(1);
        self.trace.record(-self.objective)
    }

    /// Lets all points move again, with scores that are good enough for what is reported.
    fn look_closely(&mut self) -> Result<()> {
        self.look_at_all(POLISHED * self.final_goal())
    }

    /// Lets all points move again and computes the scores anew that are not known: those of points
    /// set aside, and all where rounding may have moved them by more than this.
    fn look_at_all(&mut self, tolerable: f64) -> Result<()> {
        let totals = self.state.totals();
        let is_trusted = self.drift(&totals) <= tolerable;
        let unknown = match is_trusted {
            true => self.state.resting_points(),
            false => (0..totals.len()).collect(),
        };
        let mut scores = self.gram.combine(&totals, &unknown, self.run)?;
        if is_trusted {
            scores = self.state.completed(&unknown, &scores);
        } else {
            self.watch_rounding(&scores);
            (self.moved, self.computed) = (0.0, self.steps);
        }
        self.state.wake_all(&self.program.sides, scores);
        self.gram.keep_all();
        self.objective = self.state.objective();
        self.refreshed = Some(self.steps);
        self.looks += 1;
        self.next_shrink = self.steps + stride(&self.state);
        Ok(())
    }

    /// How far rounding may have moved the scores at most since they were computed anew: by that of
    /// the kernel in every move, and by that of a score in every step.
    fn drift(&self, totals: &[f64]) -> f64 {
        let size: f64 = totals.iter().map(|beta| beta.abs()).sum();
        let steps = (self.steps - self.computed) as f64;
        let of_kernel = 2.0 * self.gram.precision().unit() * self.moved;
        self.largest * (of_kernel + steps * f64::EPSILON * size)
    }

    /// Has the kernel stored in double precision where these scores, computed anew, differ from
    /// those that steps have led to.
    fn watch_rounding(&mut self, scores: &[f64]) {
        if self.gram.precision() == Precision::Double || !self.moved.is_finite() {
            return;
        }
        let pairs = self.state.points.iter().zip(&self.state.scores);
        let differences = pairs.map(|(&point, score)| (score - scores[point]).abs());
        if differences.fold(0.0, f64::max) > DISTURBING * self.goal() {
            self.gram.demand_double();
        }
    }

    /// Sets points aside whose multipliers are held at a limit by more than anybody could pull.
    fn set_aside(&mut self) -> Result<()> {
        self.next_shrink = self.steps + stride(&self.state);
        self.noise = 4.0 * f64::EPSILON * self.largest * self.state.total_size();
        // Roundings are independent of each other: what they add up to grows like a length.
        let rounding = 4.0 * self.gram.precision().unit() * self.largest * self.state.length();
        if rounding > DISTURBING * self.goal() {
            self.gram.demand_double();
        }
        if !self.program.effort.shrinking || self.state.points.len() < FEW_POINTS {
            return Ok(());
        }
        let mut is_held = vec![true; self.state.points.len()];
        for group in self.groups() {
            let (lowest, _) = self.lowest(group.clone());
            let highest = group.clone().map(|side| self.highest(side));
            let highest = highest.fold(f64::NEG_INFINITY, f64::max);
            for side in group {
                let track = &self.state.tracks[side];
                for (place, held) in is_held.iter_mut().enumerate() {
                    let gradient = self.state.scores[place] + track.slope[place];
                    let cannot_rise = track.rise[place] == f64::INFINITY;
                    let cannot_fall = track.fall[place] == f64::NEG_INFINITY;
                    *held &=
                        (cannot_rise || gradient > highest) && (cannot_fall || gradient < lowest);
                }
            }
        }
        let kept: Vec<usize> = (0..is_held.len())
            .filter(|&place| !is_held[place])
            .collect();
        if kept.len() >= 2 && (kept.len() as f64) <= WORTHWHILE * is_held.len() as f64 {
            self.state.keep(&kept);
            self.gram.keep(&kept, self.run)?;
        }
        Ok(())
    }

    /// The highest gradient of a multiplier that can fall.
    fn highest(&self, side: usize) -> f64 {
        let pairs = self.state.scores.iter().zip(&self.state.tracks[side].fall);
        let gradients = pairs.map(|(score, fall)| score + fall);
        gradients.fold(f64::NEG_INFINITY, f64::max)
    }

    fn finish(mut self, violation: f64, stop: StopReason) -> Result<Outcome> {
        if self.trace.n_iter() == 0 || self.recorded < self.steps {
            self.record()?;
        }
        let levels = self
            .groups()
            .into_iter()
            .map(|group| self.level(group))
            .collect();
        Ok(Outcome::Solved(Solution {
            levels,
            violation: violation.max(0.0),
            steps: self.steps,
            trace: self.trace.finish(stop),
            multipliers: self.state.multipliers().to_vec(),
            scores: self.state.scores,
        }))
    }

    /// What free multipliers have in common, −(Kβ + slope): their mean, or the middle of what the
    /// others leave open where none is free.
    fn level(&self, sides: Range<usize>) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for side in sides.clone() {
            let track = &self.state.tracks[side];
            for (place, score) in self.state.scores.iter().enumerate() {
                if track.is_free(place) {
                    sum += score + track.slope[place];
                    count += 1;
                }
            }
        }
        if count > 0 {
            return -sum / f64::from(count);
        }
        let (above, _) = self.lowest(sides.clone());
        let below = sides.map(|side| self.highest(side));
        let below = below.fold(f64::NEG_INFINITY, f64::max);
        match (below.is_finite(), above.is_finite()) {
            (true, true) => -0.5 * (below + above),
            (true, false) => -below,
            (false, true) => -above,
            (false, false) => 0.0,
        }
    }
}

/// Steps between two attempts to set points aside.
fn stride(state: &State) -> usize {
    state.n_all().clamp(1, 1000)
}

/// Steps after which pairs are slow, and the free multipliers are moved all at once.
fn common_stride(state: &State) -> usize {
    5 * state.n_all().max(500)
}

/// Steps between two looks at the progress.
fn patience(state: &State) -> usize {
    STALLED.0 * state.n_all().max(1000)
}
