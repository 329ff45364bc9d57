//! Passes over a few long columns at once: every value that is loaded serves all of them.

use pulp::Simd;

/// Columns begin and end at multiples of this, so that they fill the widest registers.
pub(super) const LANES: usize = 8;

/// How many columns go together.
pub(super) const GROUP: usize = 4;

/// The inner products of the columns with a vector.
#[inline(always)]
pub(super) fn inner_products<S: Simd>(
    simd: S,
    columns: [&[f64]; GROUP],
    vector: &[f64],
) -> [f64; GROUP] {
    let [a, b, c, d] = registers::<S>(columns);
    let vector = S::as_simd_f64s(vector).0;
    let mut sums = [simd.splat_f64s(0.0); GROUP];
    for ((((a, b), c), d), vector) in a.iter().zip(b).zip(c).zip(d).zip(vector) {
        sums[0] = simd.mul_add_e_f64s(*a, *vector, sums[0]);
        sums[1] = simd.mul_add_e_f64s(*b, *vector, sums[1]);
        sums[2] = simd.mul_add_e_f64s(*c, *vector, sums[2]);
        sums[3] = simd.mul_add_e_f64s(*d, *vector, sums[3]);
    }
    totals(simd, sums)
}

/// Adds the columns, each times its factor, to `output`.
#[inline(always)]
pub(super) fn add_columns<S: Simd>(
    simd: S,
    columns: [&[f64]; GROUP],
    factors: [f64; GROUP],
    output: &mut [f64],
) {
    let [a, b, c, d] = registers::<S>(columns);
    let factors = [
        simd.splat_f64s(factors[0]),
        simd.splat_f64s(factors[1]),
        simd.splat_f64s(factors[2]),
        simd.splat_f64s(factors[3]),
    ];
    let output = S::as_mut_simd_f64s(output).0;
    for ((((a, b), c), d), output) in a.iter().zip(b).zip(c).zip(d).zip(output) {
        *output = combined(simd, [*a, *b, *c, *d], factors, *output);
    }
}

/// Both at once: adds the columns, each times its factor, to `output`, and gives their inner products
/// with a vector.
#[inline(always)]
pub(super) fn add_and_multiply<S: Simd>(
    simd: S,
    columns: [&[f64]; GROUP],
    vector: &[f64],
    factors: [f64; GROUP],
    output: &mut [f64],
) -> [f64; GROUP] {
    let [a, b, c, d] = registers::<S>(columns);
    let vector = S::as_simd_f64s(vector).0;
    let factors = [
        simd.splat_f64s(factors[0]),
        simd.splat_f64s(factors[1]),
        simd.splat_f64s(factors[2]),
        simd.splat_f64s(factors[3]),
    ];
    let output = S::as_mut_simd_f64s(output).0;
    let mut sums = [simd.splat_f64s(0.0); GROUP];
    for (((((a, b), c), d), vector), output) in
        a.iter().zip(b).zip(c).zip(d).zip(vector).zip(output)
    {
        let (a, b, c, d, vector) = (*a, *b, *c, *d, *vector);
        *output = combined(simd, [a, b, c, d], factors, *output);
        sums[0] = simd.mul_add_e_f64s(a, vector, sums[0]);
        sums[1] = simd.mul_add_e_f64s(b, vector, sums[1]);
        sums[2] = simd.mul_add_e_f64s(c, vector, sums[2]);
        sums[3] = simd.mul_add_e_f64s(d, vector, sums[3]);
    }
    totals(simd, sums)
}

#[inline(always)]
fn combined<S: Simd>(
    simd: S,
    [a, b, c, d]: [S::f64s; GROUP],
    factors: [S::f64s; GROUP],
    value: S::f64s,
) -> S::f64s {
    let value = simd.mul_add_e_f64s(a, factors[0], value);
    let value = simd.mul_add_e_f64s(b, factors[1], value);
    let value = simd.mul_add_e_f64s(c, factors[2], value);
    simd.mul_add_e_f64s(d, factors[3], value)
}

// What `map` calls would not be compiled for the registers of this processor.

#[inline(always)]
fn registers<S: Simd>([a, b, c, d]: [&[f64]; GROUP]) -> [&[S::f64s]; GROUP] {
    [
        S::as_simd_f64s(a).0,
        S::as_simd_f64s(b).0,
        S::as_simd_f64s(c).0,
        S::as_simd_f64s(d).0,
    ]
}

#[inline(always)]
fn totals<S: Simd>(simd: S, [a, b, c, d]: [S::f64s; GROUP]) -> [f64; GROUP] {
    [
        simd.reduce_sum_f64s(a),
        simd.reduce_sum_f64s(b),
        simd.reduce_sum_f64s(c),
        simd.reduce_sum_f64s(d),
    ]
}
