//! The sections of a report.

use super::html::{Palette, escape, paragraph, table};
use super::{Card, ReportOptions};
use crate::Spec;
use crate::pictures::{
    PictureKind, Subject, dependence_on, growth, growth_picture, importance_picture, importances,
    picture, suitable,
};
use didact_core::{Data, Error, Learning, Result, Run};
use didact_evaluate::{
    ClassCounts, CrossValidation, Figure, Scoring, compare_paired, cross_validate_by, diagnose,
};
use didact_plot::Picture;
use std::fmt::Write;

/// Features whose effect is drawn.
const EFFECTS: usize = 4;
/// Columns that are listed one by one.
const COLUMNS: usize = 60;

/// A part of the page.
pub(super) struct Section {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) body: String,
}

/// Makes a section, where there is something to say.
pub(super) type Make =
    fn(&mut Card, &Subject<'_, '_>, &ReportOptions, &mut Palette, &Run) -> Result<Option<Section>>;

/// A figure with as many digits as people can use.
pub(super) fn short(value: f64) -> String {
    match value.abs() {
        // What rounding leaves of zero is zero to people.
        size if size < 1e-12 => "0".to_owned(),
        size if !size.is_finite() => "–".to_owned(),
        size if !(5e-4..1e5).contains(&size) => format!("{value:.2e}"),
        size if size >= 1e3 => format!("{value:.0}"),
        size if size >= 1e2 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
    .replace('-', "−")
}

fn bytes(count: usize) -> String {
    match count {
        small if small < 1_000 => format!("{small} bytes"),
        some if some < 1_000_000 => format!("{:.1} kB", some as f64 / 1e3),
        many => format!("{:.1} MB", many as f64 / 1e6),
    }
}

fn seconds(value: f64) -> String {
    match value {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{:.1} min", s / 60.0),
    }
}

/// Puts pictures side by side; those that cannot be drawn are left out.
fn gallery(pictures: Vec<Result<Picture>>, palette: &mut Palette) -> Result<String> {
    let mut text = String::new();
    for one in pictures {
        match one {
            Ok(one) => {
                let _ = write!(text, "<figure>{}</figure>", palette.draw(&one));
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => {}
        }
    }
    Ok(match text.is_empty() {
        true => text,
        false => format!("<div class=\"figures\">{text}</div>"),
    })
}

fn of_kinds(
    kinds: &[PictureKind],
    subject: &Subject<'_, '_>,
    palette: &mut Palette,
    run: &Run,
) -> Result<String> {
    let fitting = suitable(subject);
    let drawn = kinds
        .iter()
        .filter(|kind| fitting.contains(kind))
        .map(|kind| picture(*kind, subject, run))
        .collect();
    gallery(drawn, palette)
}

/// One sentence under the title.
pub(super) fn lead(card: &Card) -> String {
    let what = card.steps.last().map_or("", |step| step.summary.as_str());
    let facts = &card.training;
    let from = card
        .data
        .as_ref()
        .map_or(String::new(), |data| format!(" of {data}"));
    format!(
        "{what} Learned from {} rows × {} columns{from} in {}.",
        facts.rows,
        facts.columns,
        seconds(facts.seconds)
    )
}

/// The few numbers that come first.
pub(super) fn tiles(card: &Card) -> String {
    let mut tiles: Vec<(String, String)> = Vec::new();
    if let Some(judged) = &card.judged {
        if let Some(first) = judged.figures.first() {
            let range = first.interval.map_or(String::new(), |(low, high)| {
                format!(", 95 % from {} to {}", short(low), short(high))
            });
            tiles.push((
                short(first.figure.value),
                format!("{}{range}", first.figure.metric),
            ));
            let same = |figure: &&Figure| figure.metric == first.figure.metric;
            if let Some(baseline) = judged.baseline.iter().find(same) {
                tiles.push((
                    short(baseline.value),
                    format!("{} of the baseline", baseline.metric),
                ));
            }
        }
        tiles.push((
            judged.rows.to_string(),
            format!("rows of {} judged", judged.data),
        ));
    }
    tiles.push((bytes(card.bytes), "model file".to_owned()));
    let text: String = tiles
        .iter()
        .map(|(value, meaning)| {
            format!(
                "<div class=\"tile\"><b>{}</b><span>{}</span></div>",
                escape(value),
                escape(meaning)
            )
        })
        .collect();
    format!("<div class=\"tiles\">{text}</div>")
}

pub(super) fn what_it_is(card: &Card) -> Section {
    let mut body = String::from("<div class=\"columns\">");
    for step in &card.steps {
        let _ = write!(
            body,
            "<div><h3><code>{}</code></h3>{}",
            escape(&step.algorithm),
            paragraph(&step.summary)
        );
        let rows: Vec<Vec<String>> = step
            .parameters
            .iter()
            .map(|(name, value, set)| {
                let by = if *set { "set" } else { "default" };
                vec![name.clone(), value.to_string(), by.to_owned()]
            })
            .collect();
        if !rows.is_empty() {
            body.push_str(&table(&["parameter", "value", ""], &rows, 3));
        }
        body.push_str("</div>");
    }
    body.push_str("</div><div class=\"columns\"><div>");
    body.push_str(&facts(card));
    body.push_str("</div><div>");
    body.push_str(&expectations(card));
    body.push_str("</div></div>");
    if let Some(framing) = &card.framing {
        let rows: Vec<Vec<String>> = framing
            .answers()
            .iter()
            .map(|(question, answer)| vec![(*question).to_owned(), (*answer).to_owned()])
            .collect();
        body.push_str("<h3>What it is for</h3>");
        body.push_str(&table(&["question", "answer"], &rows, 2));
    }
    Section {
        id: "card",
        title: "What it is",
        body,
    }
}

/// How it was made.
fn facts(card: &Card) -> String {
    let training = &card.training;
    let mut rows = vec![
        vec!["learned from".to_owned(), card.kind.to_string()],
        vec![
            "data".to_owned(),
            card.data.clone().unwrap_or_else(|| "–".to_owned()),
        ],
        vec![
            "rows × columns".to_owned(),
            format!("{} × {}", training.rows, training.columns),
        ],
        vec!["time".to_owned(), seconds(training.seconds)],
    ];
    if let (Some(iterations), Some(stop)) = (training.iterations, &training.stop) {
        rows.push(vec![
            "iterations".to_owned(),
            format!("{iterations}, {stop}"),
        ]);
    }
    if let Some((name, value)) = &training.objective {
        rows.push(vec![name.clone(), short(*value)]);
    }
    rows.push(vec!["can".to_owned(), card.abilities.join(", ")]);
    rows.push(vec!["size".to_owned(), bytes(card.bytes)]);
    rows.push(vec![
        "made by".to_owned(),
        format!("didact {}", card.library),
    ]);
    format!(
        "<h3>How it was made</h3>{}",
        table(&["fact", "value"], &rows, 2)
    )
}

/// What it expects and tells apart.
fn expectations(card: &Card) -> String {
    let mut text = String::from("<h3>What it expects</h3>");
    let columns: Vec<Vec<String>> = card
        .features
        .iter()
        .take(COLUMNS)
        .map(|feature| {
            vec![
                feature.name.clone(),
                format!("{:?}", feature.kind).to_lowercase(),
            ]
        })
        .collect();
    text.push_str(&table(&["column", "kind"], &columns, 2));
    if card.features.len() > COLUMNS {
        text.push_str(&paragraph(&format!(
            "… and {} more.",
            card.features.len() - COLUMNS
        )));
    }
    let predicts = card.kind.learning() == Learning::Supervised;
    if let (Some(target), true) = (&card.target, predicts) {
        text.push_str(&paragraph(&format!("It predicts {target}.")));
    }
    if !card.classes.is_empty() {
        let rows: Vec<Vec<String>> = card
            .classes
            .iter()
            .map(|class| {
                let count = class
                    .count
                    .map_or("–".to_owned(), |count| count.to_string());
                vec![class.name.clone(), count]
            })
            .collect();
        text.push_str(&table(&["class", "training rows"], &rows, 1));
    }
    text
}

pub(super) fn how_good(
    card: &mut Card,
    subject: &Subject<'_, '_>,
    options: &ReportOptions,
    palette: &mut Palette,
    run: &Run,
) -> Result<Option<Section>> {
    let Some(judged) = card.judged.clone() else {
        return Ok(None);
    };
    let rows: Vec<Vec<String>> = judged
        .figures
        .iter()
        .map(|one| {
            let same = |figure: &&Figure| figure.metric == one.figure.metric;
            let baseline = judged.baseline.iter().find(same);
            vec![
                one.figure.metric.to_owned(),
                short(one.figure.value),
                one.interval.map_or("–".to_owned(), |(low, high)| {
                    format!("{} … {}", short(low), short(high))
                }),
                baseline.map_or("–".to_owned(), |figure| short(figure.value)),
                match one.figure.higher_is_better {
                    true => "higher".to_owned(),
                    false => "lower".to_owned(),
                },
            ]
        })
        .collect();
    let mut body = paragraph(&format!(
        "On the {} rows of {}. The interval comes from drawing these rows anew; the baseline does not look at the features.",
        judged.rows, judged.data
    ));
    body.push_str(&table(
        &["figure", "value", "95 % interval", "baseline", "better is"],
        &rows,
        1,
    ));
    if !options.quick {
        body.push_str(&in_folds(subject, palette, run)?);
    }
    Ok(Some(Section {
        id: "figures",
        title: "How good it is",
        body,
    }))
}

/// What the specification reaches on rows that it has not seen.
fn in_folds(subject: &Subject<'_, '_>, palette: &mut Palette, run: &Run) -> Result<String> {
    let data = subject.data()?;
    let folds = match subject.folds() {
        Ok(folds) => folds,
        Err(_) => {
            let few =
                "Cross-validation was not possible: there are too few rows or sequences for folds.";
            return Ok(paragraph(few));
        }
    };
    let judge = |spec: &Spec| -> Result<CrossValidation> {
        let learner = spec.learner()?;
        cross_validate_by(
            learner.as_ref(),
            data,
            &folds,
            &Scoring::default(),
            run,
            &|_, _| (),
        )
    };
    let own = match judge(&subject.trained.header.specification) {
        Ok(own) => own,
        Err(Error::Cancelled) => return Err(Error::Cancelled),
        Err(error) => {
            return Ok(paragraph(&format!(
                "Cross-validation was not possible: {error}"
            )));
        }
    };
    let baseline = judge(&Spec::of("baseline")).ok();
    run.check()?;
    let rows: Vec<Vec<String>> = own
        .summaries()
        .iter()
        .map(|one| {
            let beside = baseline.as_ref().map(|found| found.summaries());
            let beside = beside
                .iter()
                .flatten()
                .find(|other| other.metric == one.metric);
            vec![
                one.metric.to_owned(),
                format!("{} ± {}", short(one.mean), short(one.spread)),
                format!("{} … {}", short(one.least), short(one.largest)),
                beside.map_or("–".to_owned(), |other| {
                    format!("{} ± {}", short(other.mean), short(other.spread))
                }),
            ]
        })
        .collect();
    let mut text = String::from("<h3>On rows that it has not seen</h3>");
    text.push_str(&paragraph(&format!(
        "The same specification fitted anew in each of {} folds of these data.",
        folds.len()
    )));
    text.push_str(&table(
        &["figure", "mean ± spread", "range", "baseline"],
        &rows,
        1,
    ));
    if let Some(sentence) = difference(&own, baseline.as_ref(), &folds) {
        text.push_str(&paragraph(&sentence));
    }
    let drawn = picture(PictureKind::CrossValidation, subject, run);
    text.push_str(&gallery(vec![drawn], palette)?);
    Ok(text)
}

/// Whether the folds tell the method from the baseline.
fn difference(
    own: &CrossValidation,
    baseline: Option<&CrossValidation>,
    folds: &[didact_evaluate::Split],
) -> Option<String> {
    let first = own.summaries().first().copied()?;
    let ratio = |split: &didact_evaluate::Split| split.test.len() as f64 / split.train.len() as f64;
    let overlap = folds.iter().map(ratio).sum::<f64>() / folds.len() as f64;
    let values = (own.values(first.metric), baseline?.values(first.metric));
    let found = compare_paired(&values.0, &values.1, overlap, super::card::CONFIDENCE).ok()?;
    let (low, high) = found.interval;
    Some(format!(
        "The difference in {} to the baseline is {} (95 % from {} to {}, corrected for overlapping training parts).",
        first.metric,
        short(found.mean),
        short(low),
        short(high)
    ))
}

pub(super) fn where_it_errs(
    _: &mut Card,
    subject: &Subject<'_, '_>,
    _: &ReportOptions,
    palette: &mut Palette,
    run: &Run,
) -> Result<Option<Section>> {
    let kinds = [
        PictureKind::Confusion,
        PictureKind::Roc,
        PictureKind::PrecisionRecall,
        PictureKind::Calibration,
        PictureKind::Residuals,
        PictureKind::Silhouette,
    ];
    let mut body = class_table(subject)?;
    body.push_str(&of_kinds(&kinds, subject, palette, run)?);
    Ok((!body.is_empty()).then_some(Section {
        id: "errors",
        title: "Where it errs",
        body,
    }))
}

/// Precision and recall of each class.
fn class_table(subject: &Subject<'_, '_>) -> Result<String> {
    let (Some(classify), Ok((truth, names))) =
        (subject.trained.model.as_classify(), subject.classes())
    else {
        return Ok(String::new());
    };
    let predicted = classify.classify(subject.rows()?)?;
    let counts = ClassCounts::new(&truth, &predicted, None)?;
    let rows: Vec<Vec<String>> = counts
        .labels
        .iter()
        .zip(counts.scores(1.0))
        .map(|(&label, scores)| {
            vec![
                names[label].clone(),
                short(scores.precision),
                short(scores.recall),
                short(scores.f_measure),
                short(scores.support).trim_end_matches(".000").to_owned(),
            ]
        })
        .collect();
    Ok(table(
        &["class", "precision", "recall", "F₁", "rows"],
        &rows,
        1,
    ))
}

pub(super) fn what_it_looks_at(
    card: &mut Card,
    subject: &Subject<'_, '_>,
    _: &ReportOptions,
    palette: &mut Palette,
    run: &Run,
) -> Result<Option<Section>> {
    let mut drawn = Vec::new();
    if let Ok(found) = importances(subject, run) {
        drawn.push(importance_picture(subject, &found));
    }
    run.check()?;
    let fitting = suitable(subject);
    if fitting.contains(&PictureKind::Coefficients) {
        drawn.push(picture(PictureKind::Coefficients, subject, run));
    }
    if fitting.contains(&PictureKind::PartialDependence) && card.judged.is_some() {
        for strength in card.strongest.iter().take(EFFECTS) {
            // Weights name what enters the last step, which need not be a column of the data.
            if let Ok(place) = subject.place(&strength.feature) {
                drawn.push(dependence_on(subject, place, run));
            }
        }
    }
    let body = gallery(drawn, palette)?;
    Ok((!body.is_empty()).then(|| Section {
        id: "features",
        title: "What it looks at",
        body: paragraph(
            "How much worse the model is when a feature is shuffled, and how its mean prediction changes with the strongest ones. Features that say the same share their importance.",
        ) + &body,
    }))
}

pub(super) fn how_it_learned(
    card: &mut Card,
    subject: &Subject<'_, '_>,
    options: &ReportOptions,
    palette: &mut Palette,
    run: &Run,
) -> Result<Option<Section>> {
    let mut drawn = Vec::new();
    let mut words = String::new();
    let fitting = suitable(subject);
    if fitting.contains(&PictureKind::LearningCurve) && !options.quick {
        match growth(subject, run) {
            Ok(curve) => {
                let first = card
                    .judged
                    .as_ref()
                    .and_then(|judged| judged.baseline.first());
                let acceptable = first.map_or(f64::NEG_INFINITY, |baseline| baseline.value);
                if let Some(diagnosis) = diagnose(&curve, acceptable) {
                    words = paragraph(&diagnosis.words);
                    if diagnosis.fitting != didact_evaluate::Fitting::Balanced {
                        card.warnings.push(diagnosis.words);
                    }
                }
                drawn.push(growth_picture(&curve));
            }
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(_) => {}
        }
    }
    if fitting.contains(&PictureKind::Trace) {
        drawn.push(picture(PictureKind::Trace, subject, run));
    }
    let pictures = gallery(drawn, palette)?;
    let body = words + &pictures;
    Ok((!body.is_empty()).then_some(Section {
        id: "learning",
        title: "How it learned",
        body,
    }))
}

pub(super) fn what_the_data_look_like(
    _: &mut Card,
    subject: &Subject<'_, '_>,
    _: &ReportOptions,
    palette: &mut Palette,
    run: &Run,
) -> Result<Option<Section>> {
    let kinds: &[PictureKind] = match subject.data()? {
        Data::Sequences(_) | Data::LabelledSequences(_) => {
            &[PictureKind::StatePath, PictureKind::Trellis]
        }
        _ if subject.trained.model.n_features() == 2 => {
            &[PictureKind::DecisionMap, PictureKind::Density]
        }
        _ => &[
            PictureKind::Biplot,
            PictureKind::Scree,
            PictureKind::RegressionCurve,
        ],
    };
    let body = of_kinds(kinds, subject, palette, run)?;
    Ok((!body.is_empty()).then_some(Section {
        id: "data",
        title: "What it makes of the data",
        body,
    }))
}

pub(super) fn careful(card: &Card) -> Section {
    let body = match card.warnings.is_empty() {
        true => paragraph(
            "Nothing stood out. That is no proof: data that differ from these may still surprise the model.",
        ),
        false => {
            let items: String = card
                .warnings
                .iter()
                .map(|warning| format!("<li>{}</li>", escape(warning)))
                .collect();
            format!("<ul class=\"care\">{items}</ul>")
        }
    };
    Section {
        id: "careful",
        title: "What to be careful of",
        body,
    }
}
