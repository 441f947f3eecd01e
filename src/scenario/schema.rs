//! The JSON Schema of scenario files and their reference page, both made from the types that read them.

use super::file::unit::unit_of;
use super::file::value::{At, Word};
use super::file::words::PublishWord;
use super::file::{AfterFile, ChoiceFile, DistributionFile, File, NumberFile, PublishFile, StageFile};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::Write;

/// The JSON Schema (draft 2020-12) of a scenario file, for editors that complete and check TOML.
pub fn schema() -> Value {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<File>();
    schema.insert("title".to_owned(), json!("Throng scenario, format 1"));
    schema.to_value()
}

/// One key of a table.
pub(super) struct KeySchema {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) kind: Schema,
    pub(super) unit: Option<&'static str>,
    pub(super) range: Option<[f64; 2]>,
    pub(super) default: Option<Value>,
    /// `required`, or the default in words, quoted.
    pub(super) without: Option<&'static str>,
}

/// Gathers the keys of a table.
pub(super) struct TableSchema {
    meaning: &'static str,
    properties: Map<String, Value>,
    required: Vec<&'static str>,
}

impl TableSchema {
    pub(super) fn new(meaning: &'static str) -> Self {
        Self { meaning, properties: Map::new(), required: Vec::new() }
    }

    pub(super) fn key(&mut self, key: KeySchema) {
        let Value::Object(mut kind) = key.kind.to_value() else { return };
        kind.insert("description".to_owned(), json!(plain(key.meaning)));
        if let Some([low, high]) = key.range {
            kind.insert("x-range".to_owned(), json!([low, high]));
            bound(&mut kind, low, high);
        }
        if let Some(unit) = key.unit.or(unit_of(key.name)) {
            kind.insert("x-unit".to_owned(), json!(unit));
        }
        if let Some(default) = key.default {
            kind.insert("default".to_owned(), default);
        }
        match key.without {
            Some("required") => self.required.push(key.name),
            Some(words) => {
                kind.insert("x-default".to_owned(), json!(words[1..words.len() - 1].replace("\\\"", "\"")));
            }
            None => {}
        }
        self.properties.insert(key.name.to_owned(), Value::Object(kind));
    }

    pub(super) fn finish(self) -> Schema {
        json_schema!({
            "type": "object",
            "description": plain(self.meaning),
            "properties": self.properties,
            "required": self.required,
            "additionalProperties": false,
        })
    }
}

/// Doc comments as text.
fn plain(comment: &str) -> String {
    let lines: Vec<&str> = comment.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}

/// Bounds the numbers in a schema, however deep they stand.
fn bound(kind: &mut Map<String, Value>, low: f64, high: f64) {
    if matches!(kind.get("type").and_then(Value::as_str), Some("number" | "integer")) {
        kind.insert("minimum".to_owned(), number(low));
        kind.insert("maximum".to_owned(), number(high));
    }
    for inner in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = kind.get_mut(inner) {
            bound(inner, low, high);
        }
    }
    for choice in kind.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Value::Object(choice) = choice {
            bound(choice, low, high);
        }
    }
}

/// Whole numbers without a point.
fn number(v: f64) -> Value {
    if v.fract() == 0.0 && v.abs() < 1.0e15 { json!(v as i64) } else { json!(v) }
}

/// A default as JSON.
pub(super) trait ToJson {
    fn json(&self) -> Value;
}

impl ToJson for f64 {
    fn json(&self) -> Value {
        number(*self)
    }
}

impl ToJson for u64 {
    fn json(&self) -> Value {
        json!(self)
    }
}

impl ToJson for bool {
    fn json(&self) -> Value {
        json!(self)
    }
}

impl ToJson for String {
    fn json(&self) -> Value {
        json!(self)
    }
}

impl<T: Word> ToJson for T {
    fn json(&self) -> Value {
        json!(self.word())
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A value of one of two kinds.
macro_rules! either {
    ($($kind:ident = $one:ty | $other:ty;)+) => {$(
        impl JsonSchema for $kind {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($kind).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let kinds = [generator.subschema_for::<$one>(), generator.subschema_for::<$other>()];
                json_schema!({ "anyOf": kinds })
            }
        }
    )+};
}

either! {
    NumberFile = f64 | DistributionFile;
    StageFile = String | ChoiceFile;
    PublishFile = PublishWord | AfterFile;
}

const INTRODUCTION: &str = "\
# The scenario file, format 1

This page is made from the types that read scenario files: `throng schema --markdown` prints it, `throng schema` the JSON
Schema that editors complete and check with.

TOML. Axes: x right, y up, metres; a drawn map's last line is y = 0. Unknown keys are errors, and all problems of a file
are told at once. Everything has a default except `format`, `name` and the area; the order in the file means nothing.
";

/// The reference page: every table and key with type, unit, default, range, meaning, and examples.
pub fn reference() -> String {
    let schema = schema();
    let mut page = INTRODUCTION.to_owned();
    let mut sections = vec![("The file".to_owned(), &schema)];
    let mut next = 0;
    while let Some((heading, table)) = sections.get(next).cloned() {
        // Writing to a String does not fail.
        let _ = section(&mut page, &heading, table);
        let keys = table["properties"].as_object().into_iter().flatten();
        let inner = keys.filter_map(|(key, kind)| inner_table(&schema, &heading, key, kind));
        sections.extend(inner.collect::<Vec<_>>());
        next += 1;
    }
    page
}

/// The table that a key holds, and its heading.
fn inner_table<'a>(schema: &'a Value, outer: &str, key: &str, kind: &Value) -> Option<(String, &'a Value)> {
    let outer = outer.trim_matches(['`', '[', ']']);
    let path = if outer == "The file" { key.to_owned() } else { format!("{outer}.{key}") };
    let choices = [&kind["anyOf"], &kind["items"]["anyOf"]];
    let named = |reference: &Value| {
        let name = reference.as_str()?.rsplit('/').next()?;
        Some((name.to_owned(), &schema["$defs"][name]))
    };
    if let Some((_, table)) = named(&kind["$ref"]) {
        return Some((format!("`[{path}]`"), table));
    }
    if let Some((_, table)) = named(&kind["items"]["$ref"]) {
        return Some((format!("`[[{path}]]`"), table));
    }
    let mut choices = choices.into_iter().filter_map(Value::as_array).flatten();
    let (name, table) = choices.find_map(|choice| named(&choice["$ref"]))?;
    // Both numbers of a class may be distributions: told once.
    (key != "premovement_s").then(|| (format!("{name}, in `{path}`"), table))
}

fn section(page: &mut String, heading: &str, table: &Value) -> std::fmt::Result {
    writeln!(page, "\n## {heading}\n\n{}\n", table["description"].as_str().unwrap_or_default())?;
    writeln!(page, "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|")?;
    let required: Vec<&str> =
        table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (key, kind) in table["properties"].as_object().into_iter().flatten() {
        let unit = kind["x-unit"].as_str().unwrap_or_default();
        let default = if required.contains(&key.as_str()) {
            "required".to_owned()
        } else {
            kind["x-default"].as_str().map_or_else(|| shown(&kind["default"]), str::to_owned)
        };
        let range = match (shown(&kind["x-range"][0]), shown(&kind["x-range"][1])) {
            (low, _) if low.is_empty() => String::new(),
            (low, high) => format!("{low} to {high}"),
        };
        let meaning = kind["description"].as_str().unwrap_or_default().replace('\n', " ");
        writeln!(page, "| `{key}` | {} | {unit} | {default} | {range} | {meaning} |", type_of(kind))?;
    }
    Ok(())
}

/// A value as a file writes it; nothing for none.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Number(v) => v.as_f64().map_or_else(|| v.to_string(), |v| v.to_string()),
        other => other.to_string(),
    }
}

/// The type of a key in words.
fn type_of(kind: &Value) -> String {
    if let Some(words) = kind["enum"].as_array() {
        return words.iter().map(shown).collect::<Vec<_>>().join(", ");
    }
    if let Some(choices) = kind["anyOf"].as_array() {
        return choices.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match kind["type"].as_str() {
        Some("array") => list_type(kind),
        Some("object") => format!("table of {}", plural(&type_of(&kind["additionalProperties"]))),
        Some("integer") => "whole number".to_owned(),
        Some("boolean") => "true or false".to_owned(),
        Some("string") => "text".to_owned(),
        Some(other) => other.to_owned(),
        None => "table".to_owned(),
    }
}

fn list_type(kind: &Value) -> String {
    let item = type_of(&kind["items"]);
    match kind["minItems"].as_u64() {
        Some(count) => format!("{count} numbers"),
        None if item == "table" => "tables".to_owned(),
        None if item.ends_with(" numbers") => format!("list of {item} each"),
        None => format!("list of {}", plural(&item)),
    }
}

fn plural(word: &str) -> String {
    match word {
        "text" => "names".to_owned(),
        "table" => "tables".to_owned(),
        "text or table" => "names or tables".to_owned(),
        other => format!("{other}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    /// Every table with its name and keys.
    fn tables() -> Vec<(String, Value)> {
        let schema = schema();
        let mut tables: Vec<(String, Value)> =
            schema["$defs"].as_object().unwrap().iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        tables.push(("File".to_owned(), schema));
        tables
    }

    fn examples(table: &Value) -> Vec<String> {
        let text = table["description"].as_str().unwrap();
        text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_key_has_a_meaning_and_an_example_that_reads() {
        for (name, table) in tables() {
            let examples = examples(&table);
            for example in &examples {
                let (parsed, errors) = toml::de::DeTable::parse_recoverable(example);
                assert!(errors.is_empty(), "{name}: {errors:?}");
                let mut problems = crate::scenario::problem::Problems::default();
                File::of_table(parsed.get_ref(), 0..0, &mut problems);
                assert!(problems.is_empty(), "{name}: {problems:?}");
            }
            for (key, kind) in table["properties"].as_object().unwrap() {
                assert!(kind["description"].as_str().is_some_and(|d| d.len() >= 5), "{name}.{key}");
                let is_table = kind["$ref"].is_string() || kind["items"]["$ref"].is_string();
                let shown = examples
                    .iter()
                    .any(|e| e.contains(&format!("{key} =")) || (is_table && e.contains(&format!("{key}]"))));
                assert!(shown || (name == "File" && is_table), "{name}.{key} has no example");
            }
        }
    }

    #[test]
    fn defaults_and_bounds_are_what_the_reader_takes() {
        let base = "format = 1\nname = \"x\"\n[area]\nmap = \"....\\n....\"\n";
        let read = |text: &str| Scenario::from_parts(text, "x.toml", &|_| Err("no".to_owned()));
        let plain = read(base).unwrap();
        let schema = schema();
        for table in ["guidance", "congestion", "motion", "steering", "reservation", "periodic"] {
            let name =
                schema["properties"][table]["$ref"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            for (key, kind) in schema["$defs"][&name]["properties"].as_object().unwrap() {
                let line = |value: &Value| format!("{base}[{table}]\n{key} = {}\n", shown(value));
                if key != "weight" && !kind["default"].is_null() {
                    let same = read(&line(&kind["default"]))
                        .unwrap_or_else(|e| panic!("{table}.{key}: {:?}", e.problems()));
                    assert_eq!(
                        (&same.guidance, &same.congestion, same.motion, &same.steering, &same.reservation),
                        (
                            &plain.guidance,
                            &plain.congestion,
                            plain.motion,
                            &plain.steering,
                            &plain.reservation
                        ),
                        "{table}.{key}"
                    );
                }
                if let (Some(low), Some(high)) = (kind["x-range"][0].as_f64(), kind["x-range"][1].as_f64()) {
                    for out in [low - 1.0, high + 1.0] {
                        let out = number(out);
                        let error = read(&line(&out)).expect_err(key);
                        let told = &error.problems()[0].message;
                        assert!(
                            told.contains("out of range") || out.as_i64().is_some_and(|v| v < 0),
                            "{key}: {told}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_page_tells_every_key() {
        let page = reference();
        for (name, table) in tables() {
            for key in table["properties"].as_object().unwrap().keys() {
                assert!(page.contains(&format!("| `{key}` |")), "{name}.{key}");
            }
        }
        assert!(page.contains("| `tick_ms` | whole number | ms | 50 | 10 to 100 |"), "{page}");
        assert!(
            page.contains("## `[[expect.flow]]`") && page.contains("## Distribution, in `class.speed_mps`")
        );
    }
}
