//! Dates and times in the notation of ISO 8601, as seconds since the start of 1970.

const DAY: i64 = 86_400;

/// Seconds since 1970 of `2024-02-29`, `2024-02-29T12:30`, `2024-02-29 12:30:15.5+01:00`.
///
/// Times without an offset are taken as UTC.
pub(crate) fn parse_time(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    if bytes.len() < 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = digits(&bytes[..4])?;
    let month = digits(&bytes[5..7])?;
    let day = digits(&bytes[8..10])?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    let midnight = days_from_civil(year, month, day) * DAY;
    if bytes.len() == 10 {
        return Some(midnight as f64);
    }
    if !matches!(bytes[10], b'T' | b't' | b' ') {
        return None;
    }
    let (clock, offset) = split_offset(&text[11..])?;
    let (seconds, fraction) = parse_clock(clock)?;
    Some((midnight + seconds - offset) as f64 + fraction)
}

/// The text of the clock and the offset from UTC in seconds.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(place) = text.rfind(['+', '-']) else {
        return Some((text, 0));
    };
    let (clock, offset) = text.split_at(place);
    let (hours, minutes) = match offset.len() {
        3 => (offset.get(1..3)?, "00"),
        5 => (offset.get(1..3)?, offset.get(3..5)?),
        6 if offset.as_bytes()[3] == b':' => (offset.get(1..3)?, offset.get(4..6)?),
        _ => return None,
    };
    let (hours, minutes) = (digits(hours.as_bytes())?, digits(minutes.as_bytes())?);
    if hours > 18 || minutes > 59 {
        return None;
    }
    let seconds = hours * 3600 + minutes * 60;
    Some((
        clock,
        if offset.starts_with('-') {
            -seconds
        } else {
            seconds
        },
    ))
}

/// Whole seconds and their fraction of `12:30`, `12:30:15`, `12:30:15.25`.
fn parse_clock(text: &str) -> Option<(i64, f64)> {
    let bytes = text.trim_end().as_bytes();
    if bytes.len() < 5 || bytes[2] != b':' {
        return None;
    }
    let (hour, minute) = (digits(&bytes[..2])?, digits(&bytes[3..5])?);
    let (second, fraction) = match bytes.len() {
        5 => (0, 0.0),
        length if length >= 8 && bytes[5] == b':' => {
            let fraction = match bytes.get(8) {
                None => 0.0,
                Some(b'.' | b',') if bytes.len() > 9 => {
                    let tail = &bytes[9..];
                    if !tail.iter().all(u8::is_ascii_digit) {
                        return None;
                    }
                    format!("0.{}", std::str::from_utf8(tail).ok()?)
                        .parse()
                        .ok()?
                }
                Some(_) => return None,
            };
            (digits(&bytes[6..8])?, fraction)
        }
        _ => return None,
    };
    // A leap second counts as the first second of the next minute.
    match hour < 24 && minute < 60 && second <= 60 {
        true => Some((hour * 3600 + minute * 60 + second, fraction)),
        false => None,
    }
}

/// The time in ISO notation, or nothing outside the years 0 to 9999.
pub(crate) fn format_time(seconds: f64) -> Option<String> {
    let whole = seconds.floor();
    let first = days_from_civil(0, 1, 1) * DAY;
    let last = days_from_civil(10_000, 1, 1) * DAY;
    if !(whole >= first as f64 && whole < last as f64) {
        return None;
    }
    let (days, clock) = (
        (whole as i64).div_euclid(DAY),
        (whole as i64).rem_euclid(DAY),
    );
    let fraction = seconds - whole;
    let (year, month, day) = civil_from_days(days);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if clock == 0 && fraction == 0.0 {
        return Some(date);
    }
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    // The shortest decimal that reads back as the same fraction; it starts with "0.".
    let tail = match fraction > 0.0 && fraction < 1.0 {
        true => fraction.to_string()[1..].to_owned(),
        false => String::new(),
    };
    Some(format!("{date}T{hour:02}:{minute:02}:{second:02}{tail}Z"))
}

fn digits(bytes: &[u8]) -> Option<i64> {
    bytes.iter().try_fold(0, |value, byte| {
        byte.is_ascii_digit()
            .then(|| value * 10 + i64::from(byte - b'0'))
    })
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the Gregorian calendar.
///
/// The year is taken to start in March, so that the leap day is its last day and the days
/// before month m are ⌊(153m + 2)/5⌋.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_moments_have_their_known_seconds() {
        assert_eq!(parse_time("1970-01-01"), Some(0.0));
        // 2000-03-01 is 30 years with 7 leap days and 60 days after 1970: 11017 days.
        assert_eq!(parse_time("2000-03-01"), Some(11_017.0 * 86_400.0));
        assert_eq!(parse_time("1969-12-31 23:59:59.5"), Some(-0.5));
        assert_eq!(parse_time("1970-01-01T02:00+02:00"), Some(0.0));
        assert_eq!(parse_time("1970-01-01T00:00:00-0130"), Some(5400.0));
        assert_eq!(parse_time("1970-01-01T00:00:01Z"), Some(1.0));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "2023-02-29",
            "2024-13-01",
            "2024-1-1",
            "20240101",
            "2024-01-01x",
            "2024-01-01T25:00",
            "2024-01-01T10",
            "2024-01-01T10:00:0",
            "2024-01-01T10:00:00.",
            "2024-01-01T10:00é",
            "12:30",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    #[test]
    fn years_beyond_four_digits_have_no_notation() {
        assert_eq!(format_time(1e12), None);
        assert_eq!(format_time(f64::INFINITY), None);
        assert_eq!(format_time(f64::NAN), None);
    }

    proptest! {
        #[test]
        fn times_round_trip(milliseconds in -62_000_000_000_000_i64..253_000_000_000_000) {
            let seconds = milliseconds as f64 / 1000.0;
            let text = format_time(seconds).unwrap();
            prop_assert_eq!(parse_time(&text), Some(seconds), "{}", text);
        }
    }
}
