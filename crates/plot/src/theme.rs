//! How pictures look: light or dark, with colours that colour-blind readers tell apart.

use crate::colour::Colour;

/// The colours and sizes of a picture.
///
/// Series take the palette of Okabe and Ito, which stays distinct under the common kinds of
/// colour blindness; points of different classes also have different shapes.
///
/// ```
/// use didact_plot::Theme;
/// let dark = Theme::dark();
/// assert!(dark.text.contrast(dark.background) > 7.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Behind everything.
    pub background: Colour,
    /// Titles, axis names and labels.
    pub text: Colour,
    /// Tick labels, notes and reference lines.
    pub muted: Colour,
    /// The axes.
    pub axis: Colour,
    /// The lines of the grid.
    pub grid: Colour,
    /// One colour per series, used again from the start when there are more.
    pub palette: Vec<Colour>,
    /// The far end of a scale from little (the background) to much.
    pub strong: Colour,
    /// The ends of a scale with a middle: below and above.
    pub opposed: [Colour; 2],
    /// Height of the letters of labels, in pixels.
    pub font_size: f64,
}

impl Theme {
    /// Dark marks on a white ground.
    pub fn light() -> Self {
        Theme {
            background: Colour::hex(0xff_ff_ff),
            text: Colour::hex(0x1f_24_2b),
            muted: Colour::hex(0x5b_63_6e),
            axis: Colour::hex(0x8a_92_9c),
            grid: Colour::hex(0xe6_e9_ed),
            palette: [
                0x00_72_b2, 0xd5_5e_00, 0x00_9e_73, 0xcc_79_a7, 0xe6_9f_00, 0x56_b4_e9, 0x6b_6b_6b,
            ]
            .map(Colour::hex)
            .to_vec(),
            strong: Colour::hex(0x08_45_7e),
            opposed: [Colour::hex(0xd5_5e_00), Colour::hex(0x00_72_b2)],
            font_size: 12.0,
        }
    }

    /// Bright marks on a dark ground.
    pub fn dark() -> Self {
        Theme {
            background: Colour::hex(0x14_18_1f),
            text: Colour::hex(0xe8_ec_f1),
            muted: Colour::hex(0xa3_ac_b8),
            axis: Colour::hex(0x6d_76_83),
            grid: Colour::hex(0x2a_30_3a),
            palette: [
                0x56_b4_e9, 0xe6_9f_00, 0x2f_c0_95, 0xd9_8f_b8, 0xf0_e4_42, 0xf0_7a_2a, 0xb4_ba_c2,
            ]
            .map(Colour::hex)
            .to_vec(),
            strong: Colour::hex(0x8f_d0_f7),
            opposed: [Colour::hex(0xf0_7a_2a), Colour::hex(0x56_b4_e9)],
            font_size: 12.0,
        }
    }
}

impl Default for Theme {
    fn default() -> Self {
        Theme::light()
    }
}

/// What a mark is painted with, decided before the theme is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ink {
    /// The colour of a series.
    Series(usize),
    /// The colour of a series laid thinly over the background; 1 is the full colour.
    Tint(usize, f64),
    Text,
    Muted,
    /// From the background (0) to the strong colour (1).
    Amount(f64),
    /// From one opposed colour (−1) over the background (0) to the other (1).
    Balance(f64),
    /// Text that can be read on [`Ink::Amount`].
    OnAmount(f64),
}

impl Theme {
    pub(crate) fn paint(&self, ink: Ink) -> Colour {
        match ink {
            Ink::Series(index) => self.series(index),
            Ink::Tint(index, share) => self.background.mix(self.series(index), share),
            Ink::Text => self.text,
            Ink::Muted => self.muted,
            Ink::Amount(share) => self.amount(share),
            Ink::Balance(share) => {
                let end = self.opposed[usize::from(share > 0.0)];
                self.background.mix(end, share.abs())
            }
            Ink::OnAmount(share) => self.readable_on(self.amount(share)),
        }
    }

    fn series(&self, index: usize) -> Colour {
        match self.palette.is_empty() {
            true => self.text,
            false => self.palette[index % self.palette.len()],
        }
    }

    /// A faint trace of colour remains at zero, so that a cell is told from the background.
    fn amount(&self, share: f64) -> Colour {
        self.background
            .mix(self.strong, 0.04 + 0.96 * share.clamp(0.0, 1.0))
    }

    fn readable_on(&self, ground: Colour) -> Colour {
        let (text, background) = (self.text, self.background);
        match text.contrast(ground) >= background.contrast(ground) {
            true => text,
            false => background,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_can_be_seen_on_its_background() {
        for theme in [Theme::light(), Theme::dark()] {
            assert!(theme.text.contrast(theme.background) >= 7.0);
            assert!(theme.muted.contrast(theme.background) >= 4.5);
            for colour in &theme.palette {
                // Okabe and Ito's brightest colours reach 2 on white; shape carries the rest.
                assert!(colour.contrast(theme.background) >= 2.0, "{colour}");
            }
        }
    }

    #[test]
    fn the_strongest_series_colours_come_first() {
        for theme in [Theme::light(), Theme::dark()] {
            for colour in &theme.palette[..3] {
                assert!(colour.contrast(theme.background) >= 3.0, "{colour}");
            }
        }
    }

    #[test]
    fn text_on_every_amount_can_be_read() {
        for theme in [Theme::light(), Theme::dark()] {
            for step in 0..=20 {
                let share = f64::from(step) / 20.0;
                let text = theme.paint(Ink::OnAmount(share));
                assert!(
                    text.contrast(theme.paint(Ink::Amount(share))) >= 3.9,
                    "{share}"
                );
            }
        }
    }
}
