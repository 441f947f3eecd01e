//! Reading TOML values into types: every wrong value is reported at its place, and the rest is read all the same.

use super::problem::{Problems, nearest_name, one_of};
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A type that can be read from a TOML value.
pub(super) trait FromValue: Sized {
    /// What is allowed, for messages: "a number".
    fn allowed() -> String;

    /// The value, or `None` after the problems have been reported.
    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self>;
}

/// Reports that a value is of the wrong kind.
fn wrong_kind<T: FromValue>(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<T> {
    let found = match value.get_ref() {
        DeValue::String(s) if s.len() < 40 => format!("the string {:?}", s.as_ref()),
        DeValue::Integer(i) => format!("the whole number {}", i.as_str()),
        DeValue::Float(f) => format!("the number {}", f.as_str()),
        DeValue::Boolean(b) => b.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
        other => format!("a {}", other.type_str()),
    };
    problems.add(&value.span(), format!("{found} stands where {} belongs", T::allowed()), "");
    None
}

impl FromValue for f64 {
    fn allowed() -> String {
        "a number".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        let text = match value.get_ref() {
            DeValue::Float(f) => f.as_str().to_owned(),
            DeValue::Integer(_) => {
                return u_or_i(value).map(|i| i as f64).or_else(|| wrong_kind(value, problems));
            }
            _ => return wrong_kind(value, problems),
        };
        match text.replace('_', "").parse::<f64>() {
            Ok(number) if number.is_finite() => Some(number),
            _ => {
                problems.add(
                    &value.span(),
                    format!("{text} is not a finite number"),
                    "infinities and nan are refused",
                );
                None
            }
        }
    }
}

fn u_or_i(value: &Spanned<DeValue<'_>>) -> Option<i128> {
    let integer = value.get_ref().as_integer()?;
    i128::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok()
}

impl FromValue for u64 {
    fn allowed() -> String {
        "a whole number of at least 0".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        u_or_i(value).and_then(|i| u64::try_from(i).ok()).or_else(|| wrong_kind(value, problems))
    }
}

impl FromValue for bool {
    fn allowed() -> String {
        "true or false".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        value.get_ref().as_bool().or_else(|| wrong_kind(value, problems))
    }
}

impl FromValue for String {
    fn allowed() -> String {
        "a string".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        value.get_ref().as_str().map(str::to_owned).or_else(|| wrong_kind(value, problems))
    }
}

impl<const N: usize> FromValue for [f64; N] {
    fn allowed() -> String {
        format!("a list of {N} numbers")
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        let items = value.get_ref().as_array().filter(|items| items.len() == N);
        let Some(items) = items else { return wrong_kind(value, problems) };
        let numbers: Vec<f64> = items.iter().filter_map(|item| f64::read(item, problems)).collect();
        numbers.try_into().ok()
    }
}

impl<T: FromValue> FromValue for Vec<At<T>> {
    fn allowed() -> String {
        format!("a list, each entry {}", T::allowed())
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        let Some(items) = value.get_ref().as_array() else { return wrong_kind(value, problems) };
        Some(items.iter().filter_map(|item| read_at(item, problems)).collect())
    }
}

impl<T: FromValue> FromValue for BTreeMap<String, At<T>> {
    fn allowed() -> String {
        format!("a table, each value {}", T::allowed())
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        let Some(table) = value.get_ref().as_table() else { return wrong_kind(value, problems) };
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let key: &Spanned<std::borrow::Cow<'_, str>> = key;
            Some((key.get_ref().to_string(), read_at(value, problems)?))
        };
        Some(table.iter().filter_map(entry).collect())
    }
}

/// Reads a value and keeps its place.
pub(super) fn read_at<T: FromValue>(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<At<T>> {
    Some(At { value: T::read(value, problems)?, span: value.span() })
}

/// Reports a key that a table does not know.
pub(super) fn unknown_key(key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&str], problems: &mut Problems) {
    let name = key.get_ref().as_ref();
    let help = match nearest_name(name, known.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("known here: {}", known.join(", ")),
    };
    problems.add(&key.span(), format!("unknown key \"{name}\""), help);
}

/// The table in a value, or a report that it is none.
pub(super) fn table_of<'a, 'i, T: FromValue>(
    value: &'a Spanned<DeValue<'i>>,
    problems: &mut Problems,
) -> Option<&'a DeTable<'i>> {
    match value.get_ref() {
        DeValue::Table(table) => Some(table),
        _ => {
            wrong_kind::<T>(value, problems);
            None
        }
    }
}

/// A word that stands for a value.
pub(super) fn word<T: Clone>(word: &At<String>, known: &[(&str, T)], problems: &mut Problems) -> Option<T> {
    let found = known.iter().find(|(name, _)| *name == word.value).map(|(_, value)| value.clone());
    if found.is_none() {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        problems.add(
            &word.span,
            format!("\"{}\" is not known here", word.value),
            format!("allowed: {}", one_of(&names)),
        );
    }
    found
}

/// Defines a table of a scenario file: each key with its type and what it means. Every field is optional and keeps its
/// place; unknown keys are reported.
macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident { $($(#[$key_doc:meta])* $key:ident: $kind:ty,)* })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(super) struct $name {
            /// Where the table stands.
            pub(super) span: std::ops::Range<usize>,
            $($(#[$key_doc])* pub(super) $key: Option<$crate::scenario::value::At<$kind>>,)*
        }

        impl $name {
            /// Every key.
            pub(super) const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            /// Reads the keys of a table that stands at `span`.
            pub(super) fn of_table(
                table: &toml::de::DeTable<'_>,
                span: std::ops::Range<usize>,
                problems: &mut $crate::scenario::problem::Problems,
            ) -> Self {
                let mut read = Self { span, ..Self::default() };
                for (key, value) in table {
                    match key.get_ref().as_ref() {
                        $(stringify!($key) => read.$key = $crate::scenario::value::read_at(value, problems),)*
                        _ => $crate::scenario::value::unknown_key(key, Self::KEYS, problems),
                    }
                }
                read
            }
        }

        impl $crate::scenario::value::FromValue for $name {
            fn allowed() -> String {
                "a table".to_owned()
            }

            fn read(
                value: &toml::Spanned<toml::de::DeValue<'_>>,
                problems: &mut $crate::scenario::problem::Problems,
            ) -> Option<Self> {
                let table = $crate::scenario::value::table_of::<Self>(value, problems)?;
                Some(Self::of_table(table, value.span(), problems))
            }
        }
    )+};
}

pub(super) use tables;
