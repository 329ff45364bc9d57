//! The Chinese restaurant process.

use super::check_concentration;
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_probability::special::{log_gamma, log_gamma_ratio};
use rand::RngExt;

/// Customers who join tables in proportion to how many sit there, or a new one in proportion to α.
///
/// After n customers, of whom n_k sit at table k, the next one joins table k with probability
/// n_k/(n + α) and opens a new one with α/(n + α). (Texts that count the next customer as the n-th
/// write n − 1 for n.) The order of arrival does not matter for the partition that results.
///
/// ```
/// use didact_mixture::ChineseRestaurant;
/// let restaurant = ChineseRestaurant::new(1.0)?;
/// assert_eq!(restaurant.seating(&[3, 1]), [0.6, 0.2, 0.2]);
/// assert!((restaurant.expected_tables(100) - 5.187377518).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChineseRestaurant {
    concentration: f64,
}

impl ChineseRestaurant {
    /// A restaurant with the concentration α.
    pub fn new(concentration: f64) -> Result<Self> {
        check_concentration(concentration)?;
        Ok(ChineseRestaurant { concentration })
    }

    /// The concentration α.
    pub fn concentration(&self) -> f64 {
        self.concentration
    }

    /// The probabilities with which the next customer joins each table, and opens a new one.
    pub fn seating(&self, counts: &[usize]) -> Vec<f64> {
        let total = counts.iter().sum::<usize>() as f64 + self.concentration;
        let known = counts.iter().map(|&count| count as f64 / total);
        known.chain([self.concentration / total]).collect()
    }

    /// The logarithm of the probability of a partition with blocks of these sizes, as a set of
    /// sets: α^K·Π(n_k − 1)!/Π_{i<n}(α + i).
    pub fn log_probability(&self, sizes: &[usize]) -> Result<f64> {
        if sizes.contains(&0) {
            return Err(Error::parameter(
                "sizes",
                format!("{sizes:?}"),
                "a block of a partition has at least one member",
            ));
        }
        let total: usize = sizes.iter().sum();
        let blocks: f64 = sizes.iter().map(|&size| log_gamma(size as f64)).sum();
        Ok(sizes.len() as f64 * self.concentration.ln() + blocks
            - log_gamma_ratio(self.concentration, total as f64))
    }

    /// The expected number of tables after n customers, Σ_{i<n} α/(α + i), which grows like α·ln n.
    pub fn expected_tables(&self, customers: usize) -> f64 {
        let alpha = self.concentration;
        (0..customers).map(|i| alpha / (alpha + i as f64)).sum()
    }

    /// The tables of n customers in order of arrival; tables are numbered as they open.
    pub fn draw(&self, customers: usize, generator: &mut Generator) -> Vec<usize> {
        let mut tables: Vec<usize> = Vec::with_capacity(customers);
        let mut opened = 0;
        for seated in 0..customers {
            // A uniform place among the seated and α: an earlier customer's table, or a new one.
            let place = generator.random::<f64>() * (seated as f64 + self.concentration);
            let table = match place < seated as f64 {
                true => tables[place as usize],
                false => opened,
            };
            opened = opened.max(table + 1);
            tables.push(table);
        }
        tables
    }

    /// A Pólya urn: values drawn from `base`, each repeated as often as its table is joined.
    pub fn urn<T: Clone>(
        &self,
        draws: usize,
        generator: &mut Generator,
        mut base: impl FnMut(&mut Generator) -> T,
    ) -> Vec<T> {
        let tables = self.draw(draws, generator);
        let opened = tables.iter().max().map_or(0, |last| last + 1);
        let values: Vec<T> = (0..opened).map(|_| base(generator)).collect();
        tables
            .into_iter()
            .map(|table| values[table].clone())
            .collect()
    }
}
