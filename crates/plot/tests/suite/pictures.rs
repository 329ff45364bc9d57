//! Every picture: well formed, the marks that belong in it, and the same text as last time.
//!
//! `DIDACT_WRITE_PICTURES=1 cargo test -p didact-plot` writes the kept pictures anew, and PNG
//! files and terminal text beside them into the directory `DIDACT_LOOK` if it is set: look at
//! them before keeping them.

use crate::gallery::gaussians::Gaussians;
use crate::noise::{Noise, blobs};
use didact_plot::*;
use ndarray::{Array2, array};
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The pictures, made once.
fn gallery() -> Vec<(&'static str, Picture)> {
    static GALLERY: OnceLock<Vec<(&'static str, Picture)>> = OnceLock::new();
    GALLERY.get_or_init(crate::gallery::gallery).clone()
}

/// Cargo runs tests in the folder of their crate.
fn kept() -> PathBuf {
    PathBuf::from("tests/pictures")
}

/// Fails unless every element of the document is closed in order.
fn check_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a stray > before an element");
        let end = start + rest[start..].find('>').expect("every < has its >");
        let element = &rest[start + 1..end];
        assert_eq!(element.matches('"').count() % 2, 0, "{element}");
        let name = element.trim_matches('/').split_whitespace().next().unwrap();
        match (element.starts_with('/'), element.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (false, true) => {}
            (false, false) => open.push(name),
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    for entity in svg.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;"]
            .iter()
            .any(|name| entity.starts_with(name));
        assert!(known, "a bare & in the document");
    }
    assert!(
        !svg.contains("NaN") && !svg.contains("inf"),
        "a number is not finite"
    );
}

/// The paths of a class.
fn paths<'a>(svg: &'a str, class: &str) -> Vec<&'a str> {
    let opening = format!("<path class=\"{class}\" d=\"");
    svg.split(&opening)
        .skip(1)
        .map(|rest| &rest[..rest.find('"').unwrap()])
        .collect()
}

/// The number of separate pieces in the paths of a class.
fn pieces(svg: &str, class: &str) -> usize {
    paths(svg, class)
        .iter()
        .map(|path| path.matches('M').count())
        .sum()
}

fn picture(name: &str) -> Picture {
    let found = gallery().into_iter().find(|(other, _)| *other == name);
    found.expect("the picture is in the gallery").1
}

#[test]
fn every_picture_is_as_it_was_kept_in_both_themes() {
    let write = std::env::var_os("DIDACT_WRITE_PICTURES").is_some();
    let look = std::env::var_os("DIDACT_LOOK").map(PathBuf::from);
    for (name, picture) in gallery() {
        for (suffix, theme) in [("", Theme::light()), ("-dark", Theme::dark())] {
            let picture = picture.clone().themed(theme);
            let svg = picture.svg();
            check_well_formed(&svg);
            let file = kept().join(format!("{name}{suffix}.svg"));
            if let Some(directory) = &look {
                picture
                    .save(directory.join(format!("{name}{suffix}.png")))
                    .unwrap();
                picture
                    .save(directory.join(format!("{name}{suffix}.txt")))
                    .unwrap();
            }
            if write {
                std::fs::write(&file, &svg).unwrap();
            }
            let before = std::fs::read_to_string(&file).unwrap();
            assert!(
                svg == before,
                "{name}{suffix} differs from the kept picture"
            );
        }
    }
}

#[test]
fn every_kept_picture_is_small_and_belongs_to_the_gallery() {
    let names: Vec<&str> = gallery().iter().map(|(name, _)| *name).collect();
    for entry in std::fs::read_dir(kept()).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let name = stem.strip_suffix("-dark").unwrap_or(&stem);
        assert!(names.contains(&name), "{name} is kept but not drawn");
        assert!(std::fs::metadata(&path).unwrap().len() < 60_000, "{stem}");
    }
}

#[test]
fn every_picture_fits_a_terminal_and_names_its_axes_there() {
    for (name, picture) in gallery() {
        for width in [40, 80, 120] {
            let text = picture.terminal(width);
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest.unwrap() <= width, "{name} at {width}");
        }
        let has_dots = |letter: char| ('\u{2801}'..='\u{28ff}').contains(&letter);
        assert!(picture.terminal(80).chars().any(has_dots), "{name}");
        assert!(
            picture.terminal_in_colour(80).contains("\u{1b}[38;2;"),
            "{name}"
        );
    }
    assert!(picture("roc").terminal(80).contains("False-positive rate"));
}

#[test]
fn every_row_is_one_point() {
    let svg = picture("scatter").svg();
    assert_eq!(paths(&svg, "points").len(), 3);
    assert_eq!(pieces(&svg, "points"), 120);
    // 15 of 120 rows have a label; the others are rings of a layer of their own.
    let svg = picture("scatter-partly-labelled").svg();
    assert_eq!(paths(&svg, "points").len(), 4);
    assert_eq!(paths(&svg, "points")[0].matches('M').count(), 105);
}

#[test]
fn corners_of_a_curve_are_where_they_belong() {
    // 002a:PM02: the curve goes from (0, 0) over its corners to (1, 1). With the axes at
    // x0…x1 and y0…y1 (y downwards) a point (f, t) is at (x0 + f(x1 − x0), y0 + t(y1 − y0)).
    let curve = Curve::new("model", &[0.0, 0.0, 0.5, 1.0], &[0.0, 0.5, 1.0, 1.0]);
    let svg = roc(&[curve]).unwrap().svg();
    let diagonal = corners(paths(&svg, "reference")[0]);
    let [from, to] = [diagonal[0], diagonal[1]];
    let drawn = corners(paths(&svg, "curve")[0]);
    let expected = [[0.0, 0.0], [0.0, 0.5], [0.5, 1.0], [1.0, 1.0]];
    assert_eq!(drawn.len(), 4);
    for (place, share) in drawn.iter().zip(expected) {
        for axis in [0, 1] {
            let right = from[axis] + share[axis] * (to[axis] - from[axis]);
            assert!((place[axis] - right).abs() <= 0.11, "{place:?}");
        }
    }
}

/// The corners of a path of straight lines.
fn corners(path: &str) -> Vec<[f64; 2]> {
    path.split(['M', 'L'])
        .skip(1)
        .map(|corner| {
            let numbers: Vec<f64> = corner
                .trim_end_matches('z')
                .split(' ')
                .map(|number| number.parse().unwrap())
                .collect();
            [numbers[0], numbers[1]]
        })
        .collect()
}

#[test]
fn a_decision_map_has_a_region_per_class_and_lines_between_them() {
    let svg = picture("decision-map").svg();
    // Three regions, and two darker parts of each.
    assert_eq!(paths(&svg, "region").len(), 9);
    assert_eq!(paths(&svg, "boundary").len(), 3);
    assert_eq!(pieces(&svg, "points"), 120);
}

#[test]
fn a_linear_boundary_is_a_straight_line() {
    // 001:CLS-04: two Gaussians of equal variances are divided by a straight line. The classes
    // mirror each other at x = 0, so the line is x = 0, half-way between the ends.
    let rows = array![[-3.0, -1.0], [-1.0, 1.0], [3.0, 1.0], [1.0, -1.0]];
    let means = array![[-2.0, 0.0], [2.0, 0.0]];
    let model = Gaussians::new(means, array![[0.5, 0.5], [0.5, 0.5]], &["a", "b"]);
    let cloud = Cloud::new(rows.view()).labels(&[0, 0, 1, 1], &["a", "b"]);
    let svg = decision_map(&cloud, &model).unwrap().svg();
    let boundary = paths(&svg, "boundary");
    assert_eq!(boundary.len(), 1);
    let line = corners(boundary[0]);
    let first = line[0][0];
    assert!(line.iter().all(|corner| (corner[0] - first).abs() <= 0.1));
}

#[test]
fn model_figures_are_laid_over_the_data() {
    // 002a:FIG44 002a:GM01: ellipses at one and two standard deviations, with centres.
    let svg = picture("density-contours").svg();
    let figures = paths(&svg, "figure");
    assert_eq!(figures.len(), 3);
    assert!(figures.iter().all(|path| path.matches('M').count() == 3));
    let svg = picture("figures").svg();
    // Rings, shafts of the axes, balls, a hyperplane, edges.
    let counts: Vec<usize> = paths(&svg, "figure")
        .iter()
        .map(|path| path.matches('M').count())
        .collect();
    assert_eq!(counts, [3, 2, 2, 1, 2]);
    assert_eq!(pieces(&svg, "arrow-head"), 2);
}

#[test]
fn figures_need_a_picture_of_two_features() {
    let message = picture("roc").with_figures(&[]).unwrap_err().to_string();
    assert!(message.contains("does not show two features"), "{message}");
}

#[test]
fn bars_boxes_and_cells_are_counted() {
    assert_eq!(pieces(&picture("confusion-matrix").svg(), "cell"), 9);
    assert_eq!(pieces(&picture("grid-search").svg(), "cell"), 24);
    assert_eq!(pieces(&picture("grid-search").svg(), "best"), 1);
    assert_eq!(pieces(&picture("scree").svg(), "bar"), 6);
    assert_eq!(pieces(&picture("feature-importance").svg(), "bar"), 5);
    assert_eq!(pieces(&picture("coefficients").svg(), "bar"), 5);
    assert_eq!(
        pieces(&picture("coefficients-by-class").svg(), "points"),
        15
    );
    // 002a:BP12a: three models, a box each, ten folds each, and their means.
    let svg = picture("cross-validation").svg();
    assert_eq!(pieces(&svg, "box"), 3);
    assert_eq!(pieces(&svg, "points"), 30);
    assert_eq!(pieces(&svg, "mean"), 3);
    assert_eq!(pieces(&picture("silhouette").svg(), "cluster"), 3);
    assert_eq!(pieces(&picture("dendrogram").svg(), "branch"), 8);
    assert_eq!(pieces(&picture("calibration").svg(), "bar"), 20);
    // Seven steps between eight items of three states.
    assert_eq!(pieces(&picture("trellis").svg(), "edge"), 63);
    assert_eq!(
        corners(paths(&picture("trellis").svg(), "path")[0]).len(),
        8
    );
}

#[test]
fn bands_are_drawn_around_the_mean() {
    // 002a:BP06 002a:FIG05: one band per curve, as wide as the deviation over the folds.
    for name in ["learning-curve", "validation-curve"] {
        let svg = picture(name).svg();
        assert_eq!(pieces(&svg, "band"), 2);
        assert_eq!(pieces(&svg, "curve"), 2);
        assert_eq!(pieces(&svg, "points"), 10);
    }
    // 002a:FIG62: the band of two deviations is drawn first, so that both can be seen.
    let svg = picture("regression-curve").svg();
    let bands = paths(&svg, "band");
    let height = |path: &str| {
        let places = corners(path);
        places[0][1] - places[places.len() - 1][1]
    };
    assert!((height(bands[0]) / height(bands[1]) - 2.0).abs() < 0.05);
}

#[test]
fn the_bend_and_the_lowest_criterion_are_marked() {
    // 002a:FIG51: data with four clusters bend at four.
    let svg = picture("elbow").svg();
    assert!(svg.contains("bend at 4"));
    assert_eq!(pieces(&svg, "chosen"), 1);
    // 002a:CM02: lower is better; BIC asks for fewer components than AIC.
    let svg = picture("criteria").svg();
    assert!(svg.contains("BIC, lowest at 3") && svg.contains("AIC, lowest at 4"));
    assert_eq!(pieces(&svg, "chosen"), 2);
}

#[test]
fn values_that_are_not_finite_are_left_out_and_counted() {
    let rows = array![
        [1.0, 2.0],
        [f64::NAN, 1.0],
        [3.0, f64::INFINITY],
        [2.0, 2.0]
    ];
    let picture = scatter(&Cloud::new(rows.view())).unwrap();
    let svg = picture.svg();
    check_well_formed(&svg);
    assert_eq!(pieces(&svg, "points"), 2);
    assert!(svg.contains("2 values that cannot be drawn (not finite) are left out."));
    assert_eq!(picture.notes().len(), 1);
}

#[test]
fn many_points_make_a_small_file() {
    let mut noise = Noise::new(1);
    let rows = Array2::from_shape_fn((200_000, 2), |_| noise.gaussian());
    let picture = scatter(&Cloud::new(rows.view())).unwrap();
    assert!(picture.svg().len() < 120_000);
    assert!(picture.notes()[0].contains("of 200000 points are drawn"));
}

#[test]
fn strange_names_and_shapes_of_data_are_drawn() {
    let long = "a name of more than a hundred letters, with <signs> & \"quotes\" and a \u{7} bell, which no legend could ever hold in full";
    let (rows, labels) = blobs(3);
    let classes: Vec<String> = (0..3).map(|class| format!("{long} {class}")).collect();
    let cloud = Cloud::new(rows.view())
        .feature_names(&[long, "单位"])
        .labels(&labels, &classes);
    check_well_formed(&scatter(&cloud).unwrap().svg());
    let empty = Array2::<f64>::zeros((0, 2));
    let constant = Array2::from_elem((5, 2), 3.0);
    let huge = array![[1e308, -1e308], [1e-320, 1e299], [-1e299, 0.0]];
    for rows in [empty, constant, huge] {
        let picture = scatter(&Cloud::new(rows.view())).unwrap();
        check_well_formed(&picture.svg());
        picture.png(1.0).unwrap();
        picture.terminal(60);
    }
    let many: Vec<String> = (0..60).map(|class| format!("class {class}")).collect();
    let counts = Array2::eye(60);
    check_well_formed(&confusion_matrix(counts.view(), &many).unwrap().svg());
    let one: [f64; 1] = [0.5];
    check_well_formed(&cross_validation(&[("one", &one[..])], "R²").unwrap().svg());
    check_well_formed(&scree(&[1.0]).unwrap().svg());
}

#[test]
fn labels_of_ticks_never_overlap() {
    for (name, picture) in gallery() {
        for size in [[300.0, 240.0], [640.0, 420.0], [1200.0, 700.0]] {
            let svg = picture.clone().sized(size[0], size[1]).unwrap().svg();
            let ticks: Vec<[f64; 3]> = svg
                .lines()
                .filter(|line| line.starts_with("<text class=\"tick\"") && !line.contains("rotate"))
                .map(|line| {
                    let value = |key: &str| -> f64 {
                        let rest = line.split(&format!(" {key}=\"")).nth(1).unwrap();
                        rest[..rest.find('"').unwrap()].parse().unwrap()
                    };
                    let text = line.split('>').nth(1).unwrap().split('<').next().unwrap();
                    // At most 0.64 of the size per letter in the font of the labels, on average.
                    let half = 0.5 * 0.5 * 12.0 * text.chars().count() as f64;
                    let middle = line.contains("\"middle\"");
                    [value("x"), value("y"), if middle { half } else { 0.0 }]
                })
                .collect();
            for (index, one) in ticks.iter().enumerate() {
                for two in &ticks[..index] {
                    let both_below = one[2] > 0.0 && two[2] > 0.0 && one[1] == two[1];
                    let beside = one[2] == 0.0 && two[2] == 0.0 && one[0] == two[0];
                    if both_below {
                        let room = (one[0] - two[0]).abs();
                        assert!(
                            room > one[2] + two[2],
                            "{name} at {size:?}: {one:?} {two:?}"
                        );
                    }
                    if beside {
                        assert!((one[1] - two[1]).abs() > 10.0, "{name} at {size:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn pictures_are_saved_by_the_ending_of_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let picture = picture("scree");
    for (file, start) in [
        ("a.svg", &b"<svg"[..]),
        ("b.PNG", b"\x89PNG"),
        ("c.txt", b"Explained"),
    ] {
        let path = directory.path().join(file);
        picture.save(&path).unwrap();
        assert!(std::fs::read(&path).unwrap().starts_with(start), "{file}");
    }
    let message = picture
        .save(directory.path().join("d.pdf"))
        .unwrap_err()
        .to_string();
    assert!(message.contains(".svg, .png or .txt"), "{message}");
}

#[test]
fn small_multiples_share_one_page() {
    // 002a:S17: the same data with several settings, beside each other.
    let pictures = vec![
        picture("scatter"),
        picture("decision-map"),
        picture("density-contours"),
    ];
    let together = Picture::beside(pictures, 2).unwrap();
    let svg = together.svg();
    check_well_formed(&svg);
    assert_eq!(svg.matches("class=\"title\"").count(), 3);
    assert_eq!(pieces(&svg, "points"), 360);
    assert!(Picture::beside(Vec::new(), 2).is_err());
}

#[test]
fn a_map_of_more_features_holds_the_others_at_their_means() {
    let (rows, _) = blobs(20);
    let mut wide = Array2::from_elem((rows.nrows(), 3), 5.0);
    wide.slice_mut(ndarray::s![.., ..2]).assign(&rows);
    // With the third feature at its mean 5 the first class, whose mean is there, is everywhere.
    let means = array![[2.0, 2.0, 5.0], [2.0, 2.0, 0.0]];
    let model = Gaussians::new(means, Array2::ones((2, 3)), &["far", "near"]);
    let picture = decision_map(&Cloud::new(wide.view()), &model).unwrap();
    assert!(
        picture
            .notes()
            .iter()
            .any(|note| note.contains("other 1 features"))
    );
    let narrow = decision_map(&Cloud::new(rows.view()), &model).unwrap_err();
    assert!(narrow.to_string().contains("fitted with 3"));
    assert!(paths(&picture.svg(), "boundary").is_empty());
}

#[test]
fn the_largest_numbers_have_a_picture() {
    let ends = [f64::MAX, -f64::MAX, 0.0];
    let picture = cross_validation(&[("a", &ends[..])], "R²").unwrap();
    check_well_formed(&picture.svg());
    assert!(picture.terminal(60).contains("R²"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn any_numbers_give_a_whole_picture(values in vec((any::<f64>(), any::<f64>(), 0_usize..9), 0..40)) {
        let rows = Array2::from_shape_fn((values.len(), 2), |(row, column)| match column {
            0 => values[row].0,
            _ => values[row].1,
        });
        let labels: Vec<usize> = values.iter().map(|value| value.2).collect();
        let classes: Vec<String> = (0..9).map(|class| format!("class {class}")).collect();
        let first: Vec<f64> = values.iter().map(|value| value.0).collect();
        let second: Vec<f64> = values.iter().map(|value| value.1).collect();
        let mut pictures = vec![scatter(&Cloud::new(rows.view()).labels(&labels, &classes)).unwrap()];
        if !values.is_empty() {
            pictures.push(residuals(&first, &second, "y").unwrap());
            pictures.push(elbow("K", &first, "inertia", &second, Some(0)).unwrap());
            pictures.push(choice_curve("K", &first, "silhouette", &second, Some(0)).unwrap());
            let effects = Array2::from_shape_fn((first.len(), 1), |(row, _)| second[row]);
            pictures.push(
                partial_dependence("x", &first, effects.view(), &["y"], "y", &second).unwrap(),
            );
            pictures.push(scree(&first).unwrap());
            pictures.push(silhouette(&first, &labels, &classes).unwrap());
            pictures.push(feature_importance(&vec!["f"; first.len()], &first, &second, "loss").unwrap());
            pictures.push(cross_validation(&[("a", &first[..]), ("b", &second)], "R²").unwrap());
        }
        for picture in pictures {
            check_well_formed(&picture.svg());
            let widest = picture.terminal(60).lines().map(|line| line.chars().count()).max();
            prop_assert!(widest.unwrap_or(0) <= 60);
        }
    }
}
