//! How tables write numbers.

/// A number with commas between thousands, without a fraction.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    groups.into_iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join(",")
}

/// Three digits that matter from a thousand on; two or three below, one behind the point at most above 1; one below a
/// hundredth.
pub(crate) fn shown(number: f64) -> String {
    if number >= 1000.0 {
        let mut unit = 1.0;
        while number / unit >= 1000.0 {
            unit *= 10.0;
        }
        grouped((number / unit + 0.5).floor() * unit)
    } else if number >= 100.0 {
        format!("{number:.0}")
    } else if number >= 1.0 {
        format!("{number:.1}")
    } else if number >= 0.01 {
        format!("{number:.2}")
    } else {
        let mut places = 0;
        while places < 9 && number > 0.0 && number * 10.0_f64.powi(places) < 1.0 {
            places += 1;
        }
        format!("{number:.*}", usize::try_from(places).unwrap_or(0))
    }
}

/// A ratio in two digits.
pub(crate) fn short(ratio: f64) -> String {
    if ratio >= 10.0 {
        format!("{ratio:.0}")
    } else if ratio >= 1.0 {
        format!("{ratio:.1}")
    } else {
        format!("{ratio:.2}")
    }
}

/// Whether a ratio is shown as less than 1.
pub(crate) fn loses(ratio: f64) -> bool {
    format!("{ratio:.2}").starts_with("0.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_digits_that_matter() {
        let of = |numbers: &[f64]| numbers.iter().map(|&number| shown(number)).collect::<Vec<_>>().join(" ");
        assert_eq!(
            of(&[423_456.0, 99_950.0, 1000.0, 999.4, 12.34, 1.0, 0.517, 0.01]),
            "423,000 100,000 1,000 999 12.3 1.0 0.52 0.01"
        );
        assert_eq!(of(&[0.006_1, 0.000_52, 0.0]), "0.006 0.0005 0");
        assert_eq!((short(21.7), short(3.04), short(0.271)), ("22".into(), "3.0".into(), "0.27".into()));
        assert_eq!(grouped(1_048_576.0), "1,048,576");
    }

    #[test]
    fn what_is_shown_as_one_does_not_lose() {
        assert!(loses(0.994) && !loses(0.996) && !loses(1.0));
    }
}
