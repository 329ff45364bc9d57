//! Colours and how they mix.

use std::fmt;

/// A colour of the screen.
///
/// ```
/// use didact_plot::Colour;
/// let blue = Colour::hex(0x0072B2);
/// assert_eq!(blue.to_string(), "#0072b2");
/// assert_eq!(Colour::hex(0x000000).mix(Colour::hex(0xffffff), 0.5), Colour::hex(0x808080));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Share of red, 0 to 255.
    pub red: u8,
    /// Share of green, 0 to 255.
    pub green: u8,
    /// Share of blue, 0 to 255.
    pub blue: u8,
}

impl Colour {
    /// The colour written `0xRRGGBB`.
    pub const fn hex(code: u32) -> Self {
        Colour {
            red: (code >> 16) as u8,
            green: (code >> 8) as u8,
            blue: code as u8,
        }
    }

    /// This colour with the given share of another: 0 keeps it, 1 is the other.
    pub fn mix(self, other: Colour, share: f64) -> Colour {
        let share = share.clamp(0.0, 1.0);
        let blend = |from: u8, to: u8| {
            (f64::from(from) + share * (f64::from(to) - f64::from(from))).round() as u8
        };
        Colour {
            red: blend(self.red, other.red),
            green: blend(self.green, other.green),
            blue: blend(self.blue, other.blue),
        }
    }

    /// How bright the eye sees the colour, 0 for black and 1 for white.
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            match share <= 0.040_45 {
                true => share / 12.92,
                false => ((share + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    /// The contrast between two colours, 1 for none and 21 for black on white.
    ///
    /// (L₁ + 0.05)/(L₂ + 0.05) with L₁ the brighter luminance; text needs 4.5, marks need 3.
    pub fn contrast(self, other: Colour) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "#{:02x}{:02x}{:02x}",
            self.red, self.green, self.blue
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_on_white_has_the_greatest_contrast() {
        let (black, white) = (Colour::hex(0), Colour::hex(0xff_ff_ff));
        assert!((black.contrast(white) - 21.0).abs() < 1e-12);
        assert_eq!(white.contrast(white), 1.0);
    }

    #[test]
    fn mixing_ends_at_both_colours() {
        let (one, two) = (Colour::hex(0x12_34_56), Colour::hex(0xfe_dc_ba));
        assert_eq!(one.mix(two, 0.0), one);
        assert_eq!(one.mix(two, 1.0), two);
        assert_eq!(one.mix(two, 7.0), two);
    }
}
