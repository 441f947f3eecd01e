//! Reading TOML values into types: every wrong value is reported at its place, and the rest is read all the same.

use super::super::problem::{Problems, nearest_name, one_of};
use super::unit::unit_of;
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands in the text.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scenario) struct At<T> {
    pub(in crate::scenario) value: T,
    pub(in crate::scenario) span: Range<usize>,
}

impl<T> Deref for At<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// A type that can be read from a TOML value.
pub(in crate::scenario) trait FromValue: Sized {
    /// What is allowed, for messages: "a number".
    fn allowed() -> String;

    /// How it is written.
    fn hint() -> String {
        format!("write {}", Self::allowed())
    }

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
    problems.add(&value.span(), format!("{found} stands where {} belongs", T::allowed()), T::hint());
    None
}

impl FromValue for f64 {
    fn allowed() -> String {
        "a number".to_owned()
    }

    fn hint() -> String {
        "write it without quotes, such as 1.5".to_owned()
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

    fn hint() -> String {
        "write it without quotes, such as 12".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        u_or_i(value).and_then(|i| u64::try_from(i).ok()).or_else(|| wrong_kind(value, problems))
    }
}

impl FromValue for bool {
    fn allowed() -> String {
        "true or false".to_owned()
    }

    fn hint() -> String {
        "write it without quotes".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        value.get_ref().as_bool().or_else(|| wrong_kind(value, problems))
    }
}

impl FromValue for String {
    fn allowed() -> String {
        "a string".to_owned()
    }

    fn hint() -> String {
        "put it in quotes".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        value.get_ref().as_str().map(str::to_owned).or_else(|| wrong_kind(value, problems))
    }
}

impl<const N: usize> FromValue for [f64; N] {
    fn allowed() -> String {
        format!("a list of {N} numbers")
    }

    fn hint() -> String {
        format!("such as [{}]", (1..=N).map(|i| i.to_string()).collect::<Vec<_>>().join(", "))
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
pub(in crate::scenario) fn read_at<T: FromValue>(
    value: &Spanned<DeValue<'_>>,
    problems: &mut Problems,
) -> Option<At<T>> {
    Some(At { value: T::read(value, problems)?, span: value.span() })
}

/// Reports a key that a table does not know.
///
/// True where it looks like a known one: what then seems missing may be just that.
pub(in crate::scenario) fn unknown_key(
    key: &Spanned<std::borrow::Cow<'_, str>>,
    known: &[&str],
    problems: &mut Problems,
) -> bool {
    let name = key.get_ref().as_ref();
    let near = nearest_name(name, known.iter().copied());
    let help = match near {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("known here: {}", known.join(", ")),
    };
    problems.add(&key.span(), format!("unknown key \"{name}\""), help);
    near.is_some()
}

/// The table in a value, or a report that it is none.
pub(in crate::scenario) fn table_of<'a, 'i, T: FromValue>(
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

/// A type whose values a scenario file writes as words.
pub(in crate::scenario) trait Word: Copy + PartialEq + 'static {
    /// Every word and what it stands for.
    const WORDS: &'static [(&'static str, Self)];

    /// The word of this value.
    #[cfg(feature = "cli")]
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

impl<T: Word> FromValue for T {
    fn allowed() -> String {
        let names: Vec<&str> = T::WORDS.iter().map(|(name, _)| *name).collect();
        one_of(&names)
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.get_ref().as_str() else { return wrong_kind(value, problems) };
        let found = T::WORDS.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let message = format!("\"{text}\" is not known here");
            problems.add(&value.span(), message, format!("allowed: {}", T::allowed()));
        }
        found
    }
}

/// A value that lies in a range, or holds values that do.
pub(in crate::scenario) trait Bounded {
    /// Hands out each number, with its own place where it has one.
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>));
}

impl Bounded for f64 {
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>)) {
        visit(*self, None);
    }
}

impl Bounded for u64 {
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>)) {
        visit(*self as f64, None);
    }
}

impl<const N: usize> Bounded for [f64; N] {
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>)) {
        self.iter().for_each(|number| visit(*number, None));
    }
}

impl<T: Bounded> Bounded for At<T> {
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>)) {
        self.value.numbers(&mut |number, place| visit(number, Some(place.unwrap_or(&self.span))));
    }
}

impl<T: Bounded> Bounded for Vec<At<T>> {
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>)) {
        self.iter().for_each(|entry| entry.numbers(visit));
    }
}

impl<T: Bounded> Bounded for BTreeMap<String, At<T>> {
    fn numbers(&self, visit: &mut dyn FnMut(f64, Option<&Range<usize>>)) {
        self.values().for_each(|entry| entry.numbers(visit));
    }
}

/// The value where all its numbers lie in the range; else each one that does not is reported.
pub(in crate::scenario) fn within<T: Bounded>(
    value: At<T>,
    key: &str,
    [low, high]: [f64; 2],
    problems: &mut Problems,
) -> Option<At<T>> {
    let mut good = true;
    value.numbers(&mut |number, place| {
        if !(low..=high).contains(&number) {
            good = false;
            let unit = unit_of(key).map_or_else(String::new, |unit| format!(" {unit}"));
            let message = format!("{number} is out of range for {key}");
            problems.add(
                place.unwrap_or(&value.span),
                message,
                format!("from {low} to {high}{unit} is allowed"),
            );
        }
    });
    good.then_some(value)
}

/// A table as it was read.
pub(in crate::scenario) trait Table {
    /// Where it stands.
    fn span(&self) -> &Range<usize>;

    /// Whether every key of it was right; what seems missing may else be what is wrong.
    fn is_whole(&self) -> bool;
}

/// Defines tables of a scenario file, each key as
///
/// ```text
/// key: Type as "unit" [least, largest] = default,
/// ```
///
/// where everything after the type may be absent. `=> required` stands for keys that must be there, and
/// `=> "words"` for a default that depends on others. Every field is optional and keeps its place; unknown keys, wrong
/// types and numbers out of range are reported. A key with a default has a method of its name that gives the value.
/// The reference page and the schema are made from the same lines.
macro_rules! tables {
    ($($(#[doc = $doc:literal])* $name:ident { $(
        $(#[doc = $key_doc:literal])*
        $key:ident: $kind:ty $(as $unit:literal)? $([$low:expr, $high:expr])? $(= $default:expr)? $(=> $without:tt)?,
    )* })+) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub(in crate::scenario) struct $name {
            /// Where the table stands.
            pub(in crate::scenario) span: std::ops::Range<usize>,
            /// Whether every key was right.
            pub(in crate::scenario) whole: bool,
            $($(#[doc = $key_doc])* pub(in crate::scenario) $key: Option<$crate::scenario::file::value::At<$kind>>,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { span: 0..0, whole: true, $($key: None,)* }
            }
        }

        impl $name {
            /// Every key.
            pub(in crate::scenario) const KEYS: &'static [&'static str] = &[$(stringify!($key)),*];

            $($(
                #[allow(clippy::wrong_self_convention, reason = "a key may be called from_s")]
                pub(in crate::scenario) fn $key(&self) -> $kind {
                    self.$key.as_ref().map_or_else(|| $default, |at| at.value.clone())
                }
            )?)*

            /// Reads the keys of a table that stands at `span`.
            pub(in crate::scenario) fn of_table(
                table: &toml::de::DeTable<'_>,
                span: std::ops::Range<usize>,
                problems: &mut $crate::scenario::problem::Problems,
            ) -> Self {
                let mut read = Self { span, ..Self::default() };
                for (key, value) in table {
                    match key.get_ref().as_ref() {
                        $(stringify!($key) => {
                            read.$key = $crate::scenario::file::value::read_at(value, problems);
                            $(read.$key = read.$key.take().and_then(|at| {
                                $crate::scenario::file::value::within(
                                    at, stringify!($key), [$low as f64, $high as f64], problems,
                                )
                            });)?
                            read.whole &= read.$key.is_some();
                        })*
                        _ => {
                            let misspelt = $crate::scenario::file::value::unknown_key(key, Self::KEYS, problems);
                            read.whole &= !misspelt;
                        }
                    }
                }
                read
            }
        }

        impl $crate::scenario::file::value::Table for $name {
            fn span(&self) -> &std::ops::Range<usize> {
                &self.span
            }

            fn is_whole(&self) -> bool {
                self.whole
            }
        }

        impl $crate::scenario::file::value::FromValue for $name {
            fn allowed() -> String {
                "a table".to_owned()
            }

            fn read(
                value: &toml::Spanned<toml::de::DeValue<'_>>,
                problems: &mut $crate::scenario::problem::Problems,
            ) -> Option<Self> {
                let table = $crate::scenario::file::value::table_of::<Self>(value, problems)?;
                Some(Self::of_table(table, value.span(), problems))
            }
        }

        #[cfg(feature = "cli")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).trim_end_matches("File").into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut table = $crate::scenario::schema::TableSchema::new(concat!($($doc, "\n"),*));
                $(table.key($crate::scenario::schema::KeySchema {
                    name: stringify!($key),
                    meaning: concat!($($key_doc, "\n"),*),
                    kind: generator.subschema_for::<$crate::scenario::file::value::At<$kind>>(),
                    unit: [$($unit,)?].first().copied(),
                    range: [$([$low as f64, $high as f64],)?].first().copied(),
                    default: [$($crate::scenario::schema::ToJson::json(&$default),)?].into_iter().next(),
                    without: [$(stringify!($without),)?].first().copied(),
                });)*
                table.finish()
            }
        }
    )+};
}

pub(in crate::scenario) use tables;
