//! Axes: which values they span, where their ticks are, and how numbers are written on them.

/// How values become places along an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scale {
    Linear,
    /// Equal factors are equal distances; values must be positive.
    Logarithmic,
    /// Names at 0, 1, 2, …
    Names(Vec<String>),
}

/// What stands along one side of a panel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    /// Fixed ends; otherwise they follow from the data.
    pub(crate) ends: Option<[f64; 2]>,
    /// Whether the first value is at the top or right.
    pub(crate) reversed: bool,
    /// Whether values are shares to be written as per cent.
    pub(crate) percent: bool,
    /// Whether only whole numbers make sense as ticks.
    pub(crate) whole: bool,
    /// Whether the range must reach zero.
    pub(crate) reaches_zero: bool,
    /// Whether ticks and grid are drawn.
    pub(crate) visible: bool,
}

impl Axis {
    pub(crate) fn new(label: impl Into<String>) -> Self {
        Axis {
            label: label.into(),
            scale: Scale::Linear,
            ends: None,
            reversed: false,
            percent: false,
            whole: false,
            reaches_zero: false,
            visible: true,
        }
    }

    pub(crate) fn names(label: impl Into<String>, names: Vec<String>) -> Self {
        Axis {
            scale: Scale::Names(names),
            ..Axis::new(label)
        }
    }

    pub(crate) fn between(mut self, low: f64, high: f64) -> Self {
        self.ends = Some([low, high]);
        self
    }

    pub(crate) fn logarithmic(mut self, logarithmic: bool) -> Self {
        if logarithmic {
            self.scale = Scale::Logarithmic;
        }
        self
    }

    pub(crate) fn reversed(mut self) -> Self {
        self.reversed = true;
        self
    }

    pub(crate) fn percent(mut self) -> Self {
        self.percent = true;
        self
    }

    pub(crate) fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    pub(crate) fn reaching_zero(mut self) -> Self {
        self.reaches_zero = true;
        self
    }

    pub(crate) fn hidden(mut self) -> Self {
        self.visible = false;
        self
    }

    /// The ends of the axis, given the smallest and largest value to show, with a little air.
    pub(crate) fn span(&self, data: Option<[f64; 2]>) -> [f64; 2] {
        if let Scale::Names(names) = &self.scale {
            return [-0.5, names.len().max(1) as f64 - 0.5];
        }
        if let Some(ends) = self.ends {
            return ends;
        }
        match (&self.scale, data) {
            (Scale::Logarithmic, Some([low, high])) if low > 0.0 => {
                let [low, high] = airy([low.log10(), high.log10()], 0.05);
                [10_f64.powf(low), 10_f64.powf(high)]
            }
            (Scale::Logarithmic, _) => [1.0, 10.0],
            (_, None) => [0.0, 1.0],
            (_, Some([low, high])) if self.reaches_zero => {
                let [airy_low, airy_high] = airy([low.min(0.0), high.max(0.0)], 0.05);
                // An end at zero stays there: bars stand on the axis.
                [
                    if low >= 0.0 { 0.0 } else { airy_low },
                    if high <= 0.0 && low < 0.0 {
                        0.0
                    } else {
                        airy_high
                    },
                ]
            }
            (_, Some(ends)) => airy(ends, 0.04),
        }
    }
}

/// Smaller magnitudes than this look like zero: their powers of ten are no numbers.
const SMALLEST: f64 = 1e-290;

/// The range with air at both ends; a range without extent is widened.
fn airy([low, high]: [f64; 2], share: f64) -> [f64; 2] {
    let largest = low.abs().max(high.abs());
    let extent = high - low;
    let air = match extent > 1e-10 * largest {
        _ if largest < SMALLEST => 0.5,
        true => share * extent,
        false => 0.05 * largest,
    };
    [low - air, high + air]
}

/// One tick: where it is and what is written beside it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) text: String,
}

/// The ticks of an axis and the power of ten that its numbers are to be multiplied by.
pub(crate) fn ticks(axis: &Axis, [low, high]: [f64; 2], count: usize) -> (Vec<Tick>, i32) {
    match &axis.scale {
        Scale::Names(names) => {
            let named = |(index, name): (usize, &String)| Tick {
                value: index as f64,
                text: name.clone(),
            };
            (names.iter().enumerate().map(named).collect(), 0)
        }
        Scale::Logarithmic => (decades(low, high, count), 0),
        // A span beyond the largest number has no round values.
        Scale::Linear if !(high - low).is_finite() => (Vec::new(), 0),
        Scale::Linear if axis.percent => {
            let (values, step) = round_values(low * 100.0, high * 100.0, count, axis.whole);
            let written = |value: f64| Tick {
                value: value / 100.0,
                text: format!("{} %", decimal(value, step)),
            };
            (values.into_iter().map(written).collect(), 0)
        }
        Scale::Linear => {
            let power = shared_power(low.abs().max(high.abs()));
            let unit = 10_f64.powi(power);
            let (values, step) = round_values(low / unit, high / unit, count, axis.whole);
            let written = |value: f64| Tick {
                value: value * unit,
                text: decimal(value, step),
            };
            (values.into_iter().map(written).collect(), power)
        }
    }
}

/// The power of ten to take out of numbers that would be long: a multiple of three, or zero.
fn shared_power(largest: f64) -> i32 {
    if largest == 0.0 || (1e-3..1e5).contains(&largest) {
        return 0;
    }
    (largest.log10() / 3.0).floor() as i32 * 3
}

/// About `count` round values in the range and the step between them: 1, 2 or 5 times a power
/// of ten.
fn round_values(low: f64, high: f64, count: usize, whole: bool) -> (Vec<f64>, f64) {
    let rough = (high - low) / count.max(1) as f64;
    let power = 10_f64.powf(rough.log10().floor());
    let mut step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(rough);
    if whole {
        step = step.max(1.0);
    }
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    let values = (0..64)
        .map(|index| first + f64::from(index))
        .take_while(|multiple| *multiple <= last)
        .map(|multiple| multiple * step)
        .collect();
    (values, step)
}

/// A number with as many decimals as the step needs, and a true minus sign.
fn decimal(value: f64, step: f64) -> String {
    let decimals = (-step.log10()).ceil().clamp(0.0, 12.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|digit| matches!(digit, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// Powers of ten in the range, with 2 and 5 times them where there are few.
fn decades(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let (first, last) = (low.log10(), high.log10());
    let powers = (first - 1e-9).floor() as i32..=(last + 1e-9).ceil() as i32;
    let factors: &[f64] = match last - first {
        width if width < 2.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let every = ((last - first) / count.max(1) as f64).ceil().max(1.0) as i32;
    powers
        .filter(|power| power.rem_euclid(every) == 0)
        .flat_map(|power| factors.iter().map(move |factor| (power, *factor)))
        .map(|(power, factor)| Tick {
            value: factor * 10_f64.powi(power),
            text: logarithmic_text(power, factor),
        })
        .filter(|tick| tick.value >= low * (1.0 - 1e-9) && tick.value <= high * (1.0 + 1e-9))
        .collect()
}

fn logarithmic_text(power: i32, factor: f64) -> String {
    match power {
        -3..=4 => {
            let decimals = (-power).max(0) as usize;
            format!("{:.decimals$}", factor * 10_f64.powi(power))
        }
        _ if factor == 1.0 => format!("10{}", superscript(power)),
        _ => format!("{factor}·10{}", superscript(power)),
    }
}

/// A whole number in raised digits.
pub(crate) fn superscript(number: i32) -> String {
    number
        .to_string()
        .chars()
        .map(|digit| match digit {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            other => char::from_u32('⁰' as u32 + (other as u32 - '0' as u32)).unwrap_or(other),
        })
        .collect()
}

/// A number in a label: four significant digits at most, no needless zeros.
pub(crate) fn short(value: f64) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let power = value.abs().log10().floor() as i32;
    if !(-4..6).contains(&power) {
        let mantissa = short(value / 10_f64.powi(power));
        return format!("{mantissa}·10{}", superscript(power));
    }
    let decimals = (3 - power).max(0) as usize;
    let text = format!("{value:.decimals$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, span: [f64; 2], count: usize) -> Vec<String> {
        ticks(axis, span, count)
            .0
            .into_iter()
            .map(|t| t.text)
            .collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        let axis = Axis::new("x");
        assert_eq!(
            texts(&axis, [0.0, 1.0], 5),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
        );
        assert_eq!(texts(&axis, [-1.2, 1.2], 4), ["−1", "0", "1"]);
        assert_eq!(texts(&axis, [3.0, 47.0], 5), ["10", "20", "30", "40"]);
    }

    #[test]
    fn long_numbers_share_a_power_of_ten() {
        let (found, power) = ticks(&Axis::new("x"), [0.0, 2.4e6], 3);
        assert_eq!(power, 6);
        let texts: Vec<&str> = found.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(texts, ["0", "1", "2"]);
        assert_eq!(found[1].value, 1e6);
        assert_eq!(ticks(&Axis::new("x"), [0.0, 2e-5], 3).1, -6);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let axis = Axis::new("C").logarithmic(true);
        assert_eq!(
            texts(&axis, [1e-5, 1e3], 10),
            [
                "10⁻⁵", "10⁻⁴", "0.001", "0.01", "0.1", "1", "10", "100", "1000"
            ]
        );
        assert_eq!(texts(&axis, [1.0, 10.0], 5), ["1", "2", "5", "10"]);
    }

    #[test]
    fn a_range_without_extent_is_widened() {
        assert_eq!(airy([-3e-307, 0.0], 0.04), [-0.5, 0.5]);
        let axis = Axis::new("x");
        assert_eq!(axis.span(Some([0.0, 0.0])), [-0.5, 0.5]);
        assert_eq!(axis.span(Some([100.0, 100.0])), [95.0, 105.0]);
        assert_eq!(axis.span(None), [0.0, 1.0]);
    }

    #[test]
    fn bars_stand_on_zero() {
        assert_eq!(
            Axis::new("n").reaching_zero().span(Some([3.0, 10.0])),
            [0.0, 10.5]
        );
        assert_eq!(
            Axis::new("n").reaching_zero().span(Some([-10.0, -3.0])),
            [-10.5, 0.0]
        );
    }

    #[test]
    fn numbers_in_labels_are_short() {
        let written: Vec<String> = [0.0, 0.95, 0.123456, 12345.6, -2.5, 3.2e9, 1e-7, f64::NAN]
            .iter()
            .map(|value| short(*value))
            .collect();
        assert_eq!(
            written,
            [
                "0",
                "0.95",
                "0.1235",
                "12346",
                "−2.5",
                "3.2·10⁹",
                "1·10⁻⁷",
                "?"
            ]
        );
    }
}
