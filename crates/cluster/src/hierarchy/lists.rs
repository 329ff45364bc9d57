//! Lists of nearest neighbours, for linkages under which merging can bring clusters nearer.

use super::{Join, Proximity, remove_slot};
use didact_core::{Result, Run};

/// The nearest of the later slots, at no less than a distance that may be out of date.
#[derive(Clone, Copy)]
struct Nearest {
    slot: usize,
    at_least: f64,
}

/// Always merges the nearest pair. Each slot remembers the nearest of the later ones; what it
/// remembers is a lower bound, and is looked up anew only when it is the least of all. Time is
/// quadratic as a rule and cubic at worst.
pub(super) fn join_all(proximity: &mut impl Proximity, n: usize, run: &Run) -> Result<Vec<Join>> {
    let mut active: Vec<usize> = (0..n).collect();
    let mut lists = Vec::with_capacity(n);
    for slot in 0..n {
        run.check()?;
        lists.push(nearest_later(proximity, slot, &active));
    }
    let mut joins = Vec::with_capacity(n.saturating_sub(1));
    while active.len() > 1 {
        run.check()?;
        let (a, b, distance) = nearest_pair(proximity, &active, &mut lists);
        joins.push(Join {
            a,
            b,
            height: proximity.height(distance),
        });
        remove_slot(&mut active, a);
        let place = active.binary_search(&b).unwrap_or_default();
        active.remove(place);
        proximity.merge(a, b, &active);
        active.insert(place, b);
        for &slot in &active[..place] {
            let distance = proximity.between(slot, b);
            let list = &mut lists[slot];
            if list.slot == a {
                list.slot = b;
            }
            if distance < list.at_least {
                *list = Nearest {
                    slot: b,
                    at_least: distance,
                };
            }
        }
        lists[b] = nearest_later(proximity, b, &active);
    }
    Ok(joins)
}

fn nearest_later(proximity: &impl Proximity, slot: usize, active: &[usize]) -> Nearest {
    let later = active.partition_point(|&other| other <= slot);
    match proximity.nearest(slot, &active[later..]) {
        Some((slot, at_least)) => Nearest { slot, at_least },
        None => Nearest {
            slot,
            at_least: f64::INFINITY,
        },
    }
}

fn nearest_pair(
    proximity: &impl Proximity,
    active: &[usize],
    lists: &mut [Nearest],
) -> (usize, usize, f64) {
    loop {
        // The last slot has no later one; another is left, so the least of all is finite.
        let mut least = active[0];
        for &slot in active {
            if lists[slot].at_least < lists[least].at_least {
                least = slot;
            }
        }
        let Nearest { slot, at_least } = lists[least];
        if proximity.between(least, slot) == at_least {
            return (least, slot, at_least);
        }
        lists[least] = nearest_later(proximity, least, active);
    }
}
