//! The penalised squared error of memory-based factorisation, and its slopes.

use super::encoder::Encoder;
use super::groups::Groups;
use crate::factors::row;
use didact_core::random::Generator;
use didact_core::{Csr, CsrView, Result, Run, parallel};
use didact_math::linalg::sparse_transpose;
use didact_math::numeric::dot;
use didact_optimize::Objective;
use ndarray::Array2;

/// How many users or items a thread takes at a time.
const ROWS_AT_A_TIME: usize = 64;

/// What squares of factors and similarities cost.
#[derive(Clone, Copy)]
pub(super) struct Prices {
    pub(super) users: f64,
    pub(super) items: f64,
    pub(super) similarities: f64,
}

/// ½Σ(R_ij − U_i·W_j)² + (λ_U/2)‖U‖² + (λ_V/2)‖V‖² + (λ_S/2)‖S‖² with W_j = Σ_{t∈G_j} S_jt·V_t.
///
/// The point holds the parameters of the users' encoder, of the items' encoder, and the
/// similarities where they are learned.
pub(super) struct MemoryObjective<'a> {
    by_user: Csr,
    by_item: Csr,
    groups: Groups,
    encoders: [Encoder; 2],
    prices: Prices,
    learn_similarities: bool,
    run: &'a Run,
}

impl<'a> MemoryObjective<'a> {
    pub(super) fn new(
        by_user: Csr,
        groups: Groups,
        encoders: [Encoder; 2],
        prices: Prices,
        learn_similarities: bool,
        run: &'a Run,
    ) -> Result<Self> {
        Ok(MemoryObjective {
            by_item: sparse_transpose(by_user.view())?,
            by_user,
            groups,
            encoders,
            prices,
            learn_similarities,
            run,
        })
    }

    /// Random factors whose products vary like the ratings, and the cosines.
    pub(super) fn start(&self, random: &mut Generator) -> Vec<f64> {
        let by_user = self.by_user.view();
        let values = (0..by_user.n_rows()).flat_map(|user| by_user.row(user).1.iter());
        let squares: f64 = values.map(|value| value * value).sum();
        let spread = (squares / by_user.n_stored() as f64).sqrt();
        let n_factors = self.encoders[0].n_factors();
        let scale = match spread > 0.0 {
            true => (spread / (n_factors as f64).sqrt()).sqrt(),
            false => 1.0,
        };
        let mut start = self.encoders[0].start(scale, random);
        start.extend(self.encoders[1].start(scale, random));
        if self.learn_similarities {
            start.extend_from_slice(&self.groups.similarities);
        }
        start
    }

    /// The groups with the cosines that they start from.
    #[cfg(test)]
    pub(super) fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The factors of users and of items at a point.
    pub(super) fn factors(&self, x: &[f64]) -> [Array2<f64>; 2] {
        let (users, items, _) = self.split(x);
        let last = |mut layers: Vec<Array2<f64>>| layers.pop().expect("there is a last layer");
        [
            last(self.encoders[0].forward(users)),
            last(self.encoders[1].forward(items)),
        ]
    }

    /// The groups with the similarities of a point.
    pub(super) fn into_groups(self, x: &[f64]) -> Groups {
        let similarities = self.split(x).2.to_vec();
        let mut groups = self.groups;
        groups.similarities = similarities;
        groups
    }

    /// The parameters of both encoders and the similarities.
    fn split<'b>(&'b self, x: &'b [f64]) -> (&'b [f64], &'b [f64], &'b [f64]) {
        let (users, rest) = x.split_at(self.encoders[0].n_parameters());
        let (items, rest) = rest.split_at(self.encoders[1].n_parameters());
        match self.learn_similarities {
            true => (users, items, rest),
            false => (users, items, &self.groups.similarities),
        }
    }

    /// Adds to the slopes of each row of `mine` those of the squared errors of its ratings, and
    /// returns the sum of the squared errors.
    fn add_error_slopes(
        &self,
        ratings: CsrView<'_>,
        mine: &Array2<f64>,
        others: &Array2<f64>,
        slopes: &mut Array2<f64>,
    ) -> Result<f64> {
        let k = mine.ncols();
        // Behind the slopes of a row stands its sum of squared errors.
        let mut cells = vec![0.0; mine.nrows() * (k + 1)];
        parallel::fill(
            &mut cells,
            k + 1,
            ROWS_AT_A_TIME,
            self.run,
            |rows, pieces| {
                for (index, piece) in rows.zip(pieces.chunks_mut(k + 1)) {
                    let (partners, values) = ratings.row(index);
                    for (&partner, value) in partners.iter().zip(values) {
                        let factors = row(others, partner as usize);
                        let error = value - dot(row(mine, index), factors);
                        for (slope, factor) in piece.iter_mut().zip(factors) {
                            *slope -= error * factor;
                        }
                        piece[k] += error * error;
                    }
                }
                Ok(())
            },
        )?;
        let mut squares = 0.0;
        for (mut slopes, cells) in slopes.rows_mut().into_iter().zip(cells.chunks(k + 1)) {
            for (slope, cell) in slopes.iter_mut().zip(cells) {
                *slope += cell;
            }
            squares += cells[k];
        }
        Ok(squares)
    }
}

impl Objective for MemoryObjective<'_> {
    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        let (user_parameters, item_parameters, similarities) = self.split(x);
        let user_layers = self.encoders[0].forward(user_parameters);
        let item_layers = self.encoders[1].forward(item_parameters);
        let users = user_layers.last().expect("there is a last layer");
        let items = item_layers.last().expect("there is a last layer");
        let groups = self.groups.combine(similarities, items);

        let mut user_slopes = users * self.prices.users;
        let by_user = self.by_user.view();
        let errors = self.add_error_slopes(by_user, users, &groups, &mut user_slopes)?;
        let mut group_slopes = Array2::zeros(groups.dim());
        self.add_error_slopes(self.by_item.view(), &groups, users, &mut group_slopes)?;
        // W_j = Σ S_jt·V_t hands its slopes on to V_t and to S_jt.
        let mut item_slopes = items * self.prices.items;
        let (of_users, rest) = gradient.split_at_mut(user_parameters.len());
        let (of_items, of_similarities) = rest.split_at_mut(item_parameters.len());
        for item in 0..self.groups.n_items() {
            for (place, member) in self.groups.of(item) {
                let slopes = group_slopes.row(item);
                item_slopes
                    .row_mut(member)
                    .scaled_add(similarities[place], &slopes);
                if self.learn_similarities {
                    of_similarities[place] = dot(row(&group_slopes, item), row(items, member))
                        + self.prices.similarities * similarities[place];
                }
            }
        }
        self.encoders[0].backward(user_parameters, &user_layers, user_slopes, of_users);
        self.encoders[1].backward(item_parameters, &item_layers, item_slopes, of_items);

        let squares = |values: &[f64]| dot(values, values);
        let of_table = |table: &Array2<f64>| squares(table.as_slice().expect("contiguous"));
        let mut penalties =
            self.prices.users * of_table(users) + self.prices.items * of_table(items);
        if self.learn_similarities {
            penalties += self.prices.similarities * squares(similarities);
        }
        Ok(0.5 * (errors + penalties))
    }
}
