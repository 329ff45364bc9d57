//! Reports: the card of a model, and one page with all that a reviewer wants to see.

mod card;
mod html;
mod sections;
mod warnings;

pub use card::{Card, CardClass, CardJudgement, CardStep, Strength};

use crate::Trained;
use crate::pictures::{PictureOptions, Subject};
use didact_core::{Data, Result, Run};
use html::{Palette, escape};
use sections::Section;
use std::fmt::Write;

/// Choices of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    /// What the data are called.
    pub data: String,
    /// Number of folds of the parts that fit anew.
    pub folds: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether to leave out what fits the model anew: cross-validation and learning curve.
    pub quick: bool,
}

impl Default for ReportOptions {
    fn default() -> Self {
        ReportOptions {
            data: "data".to_owned(),
            folds: 5,
            seed: 0,
            quick: false,
        }
    }
}

/// A finished report.
#[derive(Clone, Debug)]
pub struct Report {
    /// The card with the figures on the data.
    pub card: Card,
    /// The page: one HTML document that needs nothing outside itself.
    pub html: String,
}

/// Judges a model on data and writes the page; `stage` hears what is being done.
///
/// ```
/// use didact::prelude::*;
/// use didact::report::{ReportOptions, report};
/// let iris = datasets::iris();
/// let spec = Spec::of("gaussian-nb");
/// let data = Data::Labelled(iris.labelled()?);
/// let trained = Trained::fit(&spec, spec.learner()?.as_ref(), data.clone(), &Run::new())?;
/// let options = ReportOptions { data: "iris".to_owned(), quick: true, ..ReportOptions::default() };
/// let report = report(&trained, &data, &options, &Run::new(), &|_| ())?;
/// assert!(report.html.starts_with("<!doctype html>") && report.html.contains("Confusion matrix"));
/// # Ok::<(), Error>(())
/// ```
pub fn report(
    trained: &Trained,
    data: &Data<'_>,
    options: &ReportOptions,
    run: &Run,
    stage: &dyn Fn(&str),
) -> Result<Report> {
    stage("judging");
    let mut card = Card::of(trained)?;
    card.judge(trained, data, &options.data, options.seed, run)?;
    let choices = PictureOptions {
        folds: options.folds,
        seed: options.seed,
        ..PictureOptions::default()
    };
    let subject = Subject::new(trained, Some(data), &choices);
    let mut palette = Palette::default();
    let mut list = Vec::new();
    let parts: [(&str, sections::Make); 5] = [
        ("how good it is", sections::how_good),
        ("where it errs", sections::where_it_errs),
        ("what it looks at", sections::what_it_looks_at),
        ("how it learned", sections::how_it_learned),
        ("what the data look like", sections::what_the_data_look_like),
    ];
    for (name, make) in parts {
        stage(name);
        let section = make(&mut card, &subject, options, &mut palette, run)?;
        run.check()?;
        list.extend(section);
    }
    // What the sections found out counts among the warnings, which come first on the page.
    list.insert(0, sections::careful(&card));
    list.push(sections::what_it_is(&card));
    let html = page(&card, &list, &palette);
    Ok(Report { card, html })
}

fn page(card: &Card, list: &[Section], palette: &Palette) -> String {
    let title = match &card.judged {
        Some(judged) => format!("{} on {}", card.specification, judged.data),
        None => card.specification.clone(),
    };
    let mut text = String::new();
    let links: String = list
        .iter()
        .map(|section| format!("<a href=\"#{}\">{}</a>", section.id, escape(section.title)))
        .collect();
    let body: String = list
        .iter()
        .map(|section| {
            format!(
                "<section id=\"{}\"><h2>{}</h2>{}</section>\n",
                section.id,
                escape(section.title),
                section.body
            )
        })
        .collect();
    let _ = write!(
        text,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}</title>\n<style>\n{css}{colours}</style>\n</head>\n<body>\n<main>\n\
         <header><h1><code>{specification}</code></h1><p class=\"lead\">{lead}</p></header>\n\
         <nav aria-label=\"Contents\">{links}</nav>\n{tiles}\n{body}\
         <footer>Made by didact {library}. This page needs no network.</footer>\n\
         </main>\n</body>\n</html>\n",
        title = escape(&title),
        css = include_str!("page.css"),
        colours = palette.styles(),
        specification = escape(&card.specification),
        lead = escape(&sections::lead(card)),
        tiles = sections::tiles(card),
        library = escape(&card.library),
    );
    text
}
