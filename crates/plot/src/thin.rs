//! Fewer points and lines that look the same: thousands of rows must stay small files.

/// More points than this in one layer are thinned.
const MOST_POINTS: usize = 5000;

/// More corners than this in one line are thinned.
const MOST_CORNERS: usize = 4000;

/// At most [`MOST_POINTS`] of the points, chosen so that every place that had a point keeps one.
///
/// The plane is cut into cells and the first point of each is kept, with coarser cells until
/// few enough remain; single far points always stay.
pub(crate) fn points(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let range = |axis: usize| {
        points.iter().fold([f64::MAX, f64::MIN], |ends, point| {
            [ends[0].min(point[axis]), ends[1].max(point[axis])]
        })
    };
    let (across, down) = (range(0), range(1));
    let cell = |value: f64, [low, high]: [f64; 2], cells: usize| match high > low {
        true => (((value - low) / (high - low)) * (cells - 1) as f64).round() as usize,
        false => 0,
    };
    let mut cells = 400;
    loop {
        let mut taken = vec![false; cells * cells];
        let kept: Vec<[f64; 2]> = points
            .iter()
            .filter(|[x, y]| {
                let place = cell(*y, down, cells) * cells + cell(*x, across, cells);
                !std::mem::replace(&mut taken[place], true)
            })
            .copied()
            .collect();
        if kept.len() <= MOST_POINTS {
            return kept;
        }
        cells = cells * 3 / 4;
    }
}

/// The line with fewer corners: of each stretch the first, lowest, highest and last one remain.
pub(crate) fn line(points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if points.len() <= MOST_CORNERS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_CORNERS / 4);
    points
        .chunks(stretch)
        .flat_map(|chunk| {
            let by_height = |a: &usize, b: &usize| chunk[*a][1].total_cmp(&chunk[*b][1]);
            let lowest = (0..chunk.len()).min_by(by_height).unwrap_or(0);
            let highest = (0..chunk.len()).max_by(by_height).unwrap_or(0);
            let mut kept = vec![0, lowest, highest, chunk.len() - 1];
            kept.sort_unstable();
            kept.dedup();
            kept.into_iter().map(|index| chunk[index])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_all_kept() {
        let few = vec![[1.0, 2.0]; 100];
        assert_eq!(points(few.clone()), few);
    }

    #[test]
    fn a_far_point_survives_thinning() {
        let mut many: Vec<[f64; 2]> = (0..200_000)
            .map(|i| [f64::from(i % 447) / 447.0, f64::from(i / 447) / 447.0])
            .collect();
        many.push([50.0, 50.0]);
        let kept = points(many);
        assert!(kept.len() <= MOST_POINTS);
        assert!(kept.contains(&[50.0, 50.0]));
    }

    #[test]
    fn equal_points_become_one() {
        assert_eq!(points(vec![[3.0, 3.0]; 10_000]), [[3.0, 3.0]]);
    }

    #[test]
    fn a_long_line_keeps_its_peaks_and_ends() {
        let long: Vec<[f64; 2]> = (0..100_000)
            .map(|i| [f64::from(i), if i == 54_321 { 9.0 } else { 0.0 }])
            .collect();
        let kept = line(long);
        assert!(kept.len() <= MOST_CORNERS);
        assert!(kept.contains(&[54_321.0, 9.0]));
        assert_eq!(kept.first(), Some(&[0.0, 0.0]));
        assert_eq!(kept.last(), Some(&[99_999.0, 0.0]));
    }
}
