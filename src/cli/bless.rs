//! Accepting what a scenario gives: its digest and expectations in the file, and a baseline beside it.

use super::failure::Failure;
use crate::base::Digest;
use crate::expect::{Expected, Finding, Place};
use crate::regression::Baseline;
use crate::scenario::Scenario;
use std::io::Write;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

/// What is to be written for one scenario.
pub(super) struct Blessing {
    file: PathBuf,
    /// The scenario's new text; `None` where it stays.
    text: Option<String>,
    baseline: Baseline,
    /// Keys and their new values.
    pub(super) written: Vec<(String, String)>,
}

/// Where the baseline of a scenario stands: `hall.toml` has `hall.baseline` beside it, `hall.txt` `hall.txt.baseline`. A
/// link has none of its own.
pub(super) fn baseline_file(scenario: &Path) -> PathBuf {
    let file = scenario.canonicalize().unwrap_or_else(|_| scenario.to_owned());
    if file.extension().is_some_and(|extension| extension == "toml") {
        return file.with_extension("baseline");
    }
    let mut name = file.into_os_string();
    name.push(".baseline");
    PathBuf::from(name)
}

impl Blessing {
    /// What blessing a run writes: its digest, and for each missed expectation what would meet it. The findings that are
    /// blessed away are taken out.
    pub(super) fn of(
        file: &Path,
        scenario: &Scenario,
        digest: Digest,
        found: &mut Vec<Finding>,
        baseline: Baseline,
    ) -> Result<Self, Failure> {
        let mut changes: Vec<(Place, Expected)> = Vec::new();
        found.retain(|finding| match &finding.meets {
            _ if finding.place.key == "digest" => false,
            Some(meets) if !finding.met => {
                changes.push((finding.place.clone(), meets.clone()));
                false
            }
            _ => true,
        });
        if scenario.expect.digest != Some(digest) {
            changes.push((Place { list: None, key: "digest" }, Expected::Text(digest.to_string())));
        }
        let failed = |what: String| Failure::run(format!("cannot bless {}: {what}", file.display()));
        let text = if changes.is_empty() {
            None
        } else {
            let old = std::fs::read_to_string(file).map_err(|e| failed(e.to_string()))?;
            Some(blessed_text(&old, &changes).map_err(failed)?)
        };
        let shown = |(place, value): &(Place, Expected)| {
            let key =
                place.list.as_ref().map_or_else(String::new, |(list, _, name)| format!("{list} {name}: "));
            (format!("{key}{}", place.key), item(value).to_string().trim().trim_matches('"').to_owned())
        };
        let written = changes.iter().map(shown).collect();
        Ok(Self { file: file.to_owned(), text, baseline, written })
    }

    /// Writes the files, each whole or not at all; the scenario last, since its digest is what vouches for both.
    pub(super) fn write(&self) -> Result<(), Failure> {
        let (file, text) = (baseline_file(&self.file), self.baseline.text());
        if !std::fs::read_to_string(&file).is_ok_and(|old| old == text) {
            replace(&file, &text)?;
        }
        self.text.as_ref().map_or(Ok(()), |text| replace(&self.file, text))
    }
}

/// Replaces a file, or makes it. A link stays a link: what it leads to is replaced.
fn replace(file: &Path, text: &str) -> Result<(), Failure> {
    let target = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let fresh = target.with_file_name(name);
    let old = std::fs::metadata(&target).ok();
    let write = || -> std::io::Result<()> {
        if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
            return Err(std::io::Error::new(std::io::ErrorKind::PermissionDenied, "it is read-only"));
        }
        let mut new = std::fs::File::create_new(&fresh)?;
        let written = new.write_all(text.as_bytes()).and_then(|()| {
            if let Some(old) = &old {
                std::fs::set_permissions(&fresh, old.permissions())?;
            }
            new.sync_all()?;
            std::fs::rename(&fresh, &target)
        });
        written.inspect_err(|_| {
            let _ = std::fs::remove_file(&fresh);
        })
    };
    write().map_err(|e| Failure::run(format!("cannot write {}: {e}", file.display())))
}

fn item(expected: &Expected) -> Item {
    match expected {
        Expected::Number(number) => value(*number),
        Expected::Count(count) => value(i64::from(*count)),
        Expected::Text(text) => value(text.as_str()),
    }
}

/// The text of a scenario with other expectations; comments, order, line ends and a byte order mark stay.
fn blessed_text(text: &str, changes: &[(Place, Expected)]) -> Result<String, String> {
    let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
    let mut document: DocumentMut = body.parse().map_err(|e: toml_edit::TomlError| e.to_string())?;
    let expect = document.entry("expect").or_insert_with(|| Item::Table(Table::new()));
    for (place, expected) in changes {
        change(expect, place, item(expected))?;
    }
    let written = document.to_string();
    let is_windows = body.contains("\r\n") && !body.replace("\r\n", "").contains('\n');
    let written = if is_windows { written.replace("\r\n", "\n").replace('\n', "\r\n") } else { written };
    Ok(format!("{mark}{written}"))
}

/// Changes every entry that the place names and that has the key; a key of `[expect]` itself is made where it lacks.
fn change(expect: &mut Item, place: &Place, new: Item) -> Result<(), String> {
    let Some((list, by, name)) = &place.list else {
        let table = expect.as_table_like_mut().ok_or("expect is no table")?;
        set(table, place.key, new);
        return Ok(());
    };
    let named = |table: &dyn TableLike| {
        table.get(by).and_then(Item::as_str) == Some(name.as_str()) && table.contains_key(place.key)
    };
    match expect.get_mut(list) {
        Some(Item::ArrayOfTables(entries)) => {
            entries
                .iter_mut()
                .filter(|entry| named(*entry))
                .for_each(|entry| set(entry, place.key, new.clone()));
        }
        Some(Item::Value(toml_edit::Value::Array(entries))) => {
            let tables = entries.iter_mut().filter_map(toml_edit::Value::as_inline_table_mut);
            tables.filter(|entry| named(*entry)).for_each(|entry| set(entry, place.key, new.clone()));
        }
        _ => return Err(format!("expect.{list} is no list of tables")),
    }
    Ok(())
}

/// Sets a key; what stands around its value stays.
fn set(table: &mut dyn TableLike, key: &str, mut new: Item) {
    if let (Some(old), Some(new)) = (table.get(key).and_then(Item::as_value), new.as_value_mut()) {
        *new.decor_mut() = old.decor().clone();
    }
    table.insert(key, new);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest() -> Vec<(Place, Expected)> {
        vec![(Place { list: None, key: "digest" }, Expected::Text("0000000000000abc".to_owned()))]
    }

    #[test]
    fn blessing_keeps_comments_order_line_ends_and_mark() {
        let old = "# a hall\nformat = 1\n\n[expect]  # what must hold\ndigest = \"0000000000000001\" # today\nstuck = 0\n\n[[expect.flow]]\nline = \"door\" # the one\n";
        let new = old.replace("0000000000000001", "0000000000000abc");
        assert_eq!(blessed_text(old, &digest()).unwrap(), new);
        assert_eq!(blessed_text(&new, &digest()).unwrap(), new);
        let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_eq!(blessed_text(&windows(old), &digest()).unwrap(), windows(&new));
        let fresh = blessed_text("format = 1 # one\n\n[area]\nmap = 'x'\n", &digest()).unwrap();
        assert_eq!(
            fresh,
            "format = 1 # one\n\n[area]\nmap = 'x'\n\n[expect]\ndigest = \"0000000000000abc\"\n"
        );
        let nested = blessed_text("format = 1\n[[expect.flow]]\nline = 'a'\n", &digest()).unwrap();
        let parsed: toml::Table = nested.parse().unwrap();
        assert_eq!(parsed["expect"]["digest"].as_str(), Some("0000000000000abc"));
        assert_eq!(parsed["expect"]["flow"][0]["line"].as_str(), Some("a"));
        assert!(blessed_text("expect = 3", &digest()).is_err());
    }

    #[test]
    fn expectations_of_lists_are_changed_where_they_stand() {
        let old = "[expect]\nall_arrived_by_s = 50.0 # all\n[[expect.flow]]\nline = \"a\"\nmin_per_s = 1.0\n[[expect.flow]]\nline = \"b\" # b\nmin_per_s = 2.0 # at least\ncount_max = 7\n";
        let flow = |key| Place { list: Some(("flow", "line", "b".to_owned())), key };
        let changes = [
            (Place { list: None, key: "all_arrived_by_s" }, Expected::Number(61.5)),
            (flow("min_per_s"), Expected::Number(1.25)),
            (flow("count_max"), Expected::Count(9)),
        ];
        let new = old.replace("50.0", "61.5").replace("2.0", "1.25").replace("= 7", "= 9");
        assert_eq!(blessed_text(old, &changes).unwrap(), new);
        let inline = "expect = { flow = [{ line = \"b\", min_per_s = 2.0 }] }\n";
        assert_eq!(blessed_text(inline, &changes[1..2]).unwrap(), inline.replace("2.0", "1.25"));
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        replace(&file, "old").unwrap();
        replace(&file, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace(&folder.path().join("none/a.toml"), "x").is_err());
        let mut locked = std::fs::metadata(&file).unwrap().permissions();
        locked.set_readonly(true);
        std::fs::set_permissions(&file, locked).unwrap();
        assert!(replace(&file, "x").unwrap_err().report().unwrap().to_string().contains("read-only"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }

    #[test]
    fn each_file_has_a_baseline_of_its_own() {
        let names = ["a.toml", "b", "a.txt"].map(|name| baseline_file(Path::new(name)));
        assert_eq!(names, ["a.baseline", "b.baseline", "a.txt.baseline"].map(PathBuf::from));
    }
}
