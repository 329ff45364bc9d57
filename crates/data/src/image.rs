//! Pictures in the plain formats PGM and PPM, as matrices.

use crate::Source;
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2};
use std::io::Write;

/// A picture of grey or coloured dots.
///
/// ```
/// use didact_data::{Source, read_image};
/// let image = read_image(Source::bytes("dot.pgm", "P2\n2 1\n# two dots\n10\n0 10\n"))?;
/// assert_eq!(image.grey(), ndarray::array![[0.0, 1.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    channels: usize,
    maximum: u16,
    samples: Vec<u16>,
}

impl Image {
    /// A grey picture of values from 0 (black) to 1 (white); others are clipped.
    pub fn from_grey(values: ArrayView2<'_, f64>) -> Result<Image> {
        Image::from_values(values.ncols(), values.nrows(), 1, values)
    }

    /// A coloured picture: one row of red, green and blue from 0 to 1 per dot.
    pub fn from_pixels(width: usize, pixels: ArrayView2<'_, f64>) -> Result<Image> {
        if pixels.ncols() != 3 || width == 0 || !pixels.nrows().is_multiple_of(width) {
            return Err(Error::data(format!(
                "{} rows of {} values are no picture of width {width}; give three values per dot and whole lines",
                pixels.nrows(),
                pixels.ncols()
            )));
        }
        Image::from_values(width, pixels.nrows() / width, 3, pixels)
    }

    fn from_values(
        width: usize,
        height: usize,
        channels: usize,
        values: ArrayView2<'_, f64>,
    ) -> Result<Image> {
        if width == 0 || height == 0 {
            return Err(Error::data("the picture has no dots"));
        }
        if values.iter().any(|value| value.is_nan()) {
            return Err(Error::data("the picture has missing values"));
        }
        let samples = values
            .iter()
            .map(|value| (value.clamp(0.0, 1.0) * 255.0).round() as u16)
            .collect();
        Ok(Image {
            width,
            height,
            channels,
            maximum: 255,
            samples,
        })
    }

    /// Dots per line.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of lines.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Whether the dots have colours.
    pub fn is_coloured(&self) -> bool {
        self.channels == 3
    }

    /// The grey values from 0 to 1, one row per line.
    ///
    /// Of colours the luma of television is taken: 0.299 R + 0.587 G + 0.114 B.
    pub fn grey(&self) -> Array2<f64> {
        let maximum = f64::from(self.maximum);
        Array2::from_shape_fn((self.height, self.width), |(row, column)| {
            let dot = (row * self.width + column) * self.channels;
            match self.samples[dot..dot + self.channels] {
                [red, green, blue] => {
                    (0.299 * f64::from(red) + 0.587 * f64::from(green) + 0.114 * f64::from(blue))
                        / maximum
                }
                _ => f64::from(self.samples[dot]) / maximum,
            }
        })
    }

    /// Red, green and blue from 0 to 1, one row per dot, line after line.
    pub fn pixels(&self) -> Array2<f64> {
        let maximum = f64::from(self.maximum);
        Array2::from_shape_fn((self.height * self.width, 3), |(dot, colour)| {
            let place = dot * self.channels + colour.min(self.channels - 1);
            f64::from(self.samples[place]) / maximum
        })
    }
}

/// Reads a picture in one of the formats P2, P3, P5 and P6.
pub fn read_image(source: impl Into<Source>) -> Result<Image> {
    let source = source.into();
    let bytes = source.read_all()?;
    parse(&bytes).map_err(|error| source.complain(error))
}

fn parse(bytes: &[u8]) -> Result<Image> {
    let (channels, is_text) = match bytes.get(..2) {
        Some(b"P2") => (1, true),
        Some(b"P3") => (3, true),
        Some(b"P5") => (1, false),
        Some(b"P6") => (3, false),
        _ => {
            return Err(Error::data(
                "the file is no PGM or PPM picture; it must start with P2, P3, P5 or P6",
            ));
        }
    };
    let mut tokens = Tokens { bytes, position: 2 };
    let width = tokens.number("the width")?;
    let height = tokens.number("the height")?;
    let maximum = tokens.number("the largest value")?;
    if width == 0 || height == 0 {
        return Err(Error::data("the picture has no dots"));
    }
    let maximum = u16::try_from(maximum)
        .ok()
        .filter(|&maximum| maximum > 0)
        .ok_or_else(|| {
            Error::data(format!(
                "the largest value is {maximum}; it must be between 1 and 65535"
            ))
        })?;
    // Every sample takes a byte at least, so a header cannot ask for more memory than the file.
    let count = width
        .checked_mul(height)
        .and_then(|dots| dots.checked_mul(channels))
        .filter(|&count| count <= bytes.len())
        .ok_or_else(|| too_short(width, height))?;
    let samples = match is_text {
        true => (0..count)
            .map(|_| tokens.number("a dot").map(|value| value.min(65_536)))
            .collect::<Result<Vec<usize>>>()?,
        // One white space separates the header from the values.
        false => binary(bytes, tokens.position + 1, count, maximum)
            .ok_or_else(|| too_short(width, height))?,
    };
    if let Some(wrong) = samples.iter().find(|&&value| value > maximum.into()) {
        return Err(Error::data(format!(
            "a dot has the value {wrong}, which is more than the largest value {maximum}"
        )));
    }
    Ok(Image {
        width,
        height,
        channels,
        maximum,
        samples: samples.into_iter().map(|value| value as u16).collect(),
    })
}

fn binary(bytes: &[u8], start: usize, count: usize, maximum: u16) -> Option<Vec<usize>> {
    match maximum < 256 {
        true => {
            let body = bytes.get(start..start.checked_add(count)?)?;
            Some(body.iter().map(|&byte| byte.into()).collect())
        }
        false => {
            let body = bytes.get(start..start.checked_add(count.checked_mul(2)?)?)?;
            let pairs = body.chunks_exact(2);
            Some(
                pairs
                    .map(|pair| usize::from(pair[0]) * 256 + usize::from(pair[1]))
                    .collect(),
            )
        }
    }
}

fn too_short(width: usize, height: usize) -> Error {
    Error::data(format!(
        "the file is too short for {width} × {height} dots; it is probably cut off"
    ))
}

/// The numbers of a header, between white space and comments.
struct Tokens<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl Tokens<'_> {
    fn number(&mut self, what: &str) -> Result<usize> {
        let mut in_comment = false;
        while let Some(&byte) = self.bytes.get(self.position) {
            in_comment = (in_comment && byte != b'\n') || byte == b'#';
            if !in_comment && !byte.is_ascii_whitespace() {
                break;
            }
            self.position += 1;
        }
        let rest = &self.bytes[self.position.min(self.bytes.len())..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.position += length;
        std::str::from_utf8(&rest[..length])
            .ok()
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| {
                Error::data(format!(
                    "{what} of the picture is missing or not a whole number"
                ))
            })
    }
}

/// Writes a picture in the binary format P5 (grey) or P6 (coloured).
pub fn write_image(image: &Image, target: &mut dyn Write) -> Result<()> {
    let kind = if image.is_coloured() { "P6" } else { "P5" };
    let mut bytes = format!(
        "{kind}\n{} {}\n{}\n",
        image.width, image.height, image.maximum
    )
    .into_bytes();
    match image.maximum < 256 {
        true => bytes.extend(image.samples.iter().map(|&sample| sample as u8)),
        false => bytes.extend(image.samples.iter().flat_map(|sample| sample.to_be_bytes())),
    }
    target
        .write_all(&bytes)
        .map_err(|error| Error::data(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn text_and_binary_say_the_same() {
        let text = parse(b"P3 2 1 # two dots\n255\n255 0 0  0 51 255").unwrap();
        let binary = parse(b"P6\n2 1\n255\n\xff\x00\x00\x00\x33\xff").unwrap();
        assert_eq!(text, binary);
        assert_eq!(text.pixels(), array![[1.0, 0.0, 0.0], [0.0, 0.2, 1.0]]);
        // 0.587·0.2 + 0.114 = 0.2314
        assert!((text.grey()[[0, 1]] - 0.2314).abs() < 1e-12);
        let deep = parse(b"P5 1 2 65535\n\x00\x01\xff\xff").unwrap();
        assert_eq!(deep.grey(), array![[1.0 / 65_535.0], [1.0]]);
    }

    #[test]
    fn broken_pictures_are_refused() {
        let say = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert!(say(b"GIF89a").contains("no PGM or PPM"));
        assert!(say(b"P5 2 2 255\n\x00\x00").contains("too short for 2 × 2"));
        assert!(say(b"P5 4000000000 4000000000 255\n").contains("too short"));
        assert!(say(b"P2 1 1 9 12").contains("12, which is more than"));
        assert!(say(b"P2 1 1 0 0").contains("between 1 and 65535"));
        assert!(say(b"P2 x").contains("the width"));
        assert!(say(b"P2 1 1 9").contains("too short") || say(b"P2 1 1 9").contains("a dot"));
        assert!(say(b"P2 0 1 9 ").contains("no dots"));
    }

    proptest! {
        #[test]
        fn pictures_round_trip(width in 1_usize..5, height in 1_usize..5, coloured: bool, seed: u8) {
            let channels = if coloured { 3 } else { 1 };
            let values: Vec<f64> = (0..width * height * channels)
                .map(|place| f64::from((place * 37 + usize::from(seed)) as u8) / 255.0)
                .collect();
            let image = match coloured {
                true => Image::from_pixels(width, ArrayView2::from_shape((width * height, 3), &values).unwrap()),
                false => Image::from_grey(ArrayView2::from_shape((height, width), &values).unwrap()),
            }.unwrap();
            let mut written = Vec::new();
            write_image(&image, &mut written).unwrap();
            prop_assert_eq!(parse(&written).unwrap(), image);
        }
    }
}
