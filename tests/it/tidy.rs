//! The project's own rules, checked like any other behaviour.

use crate::common::{root, shipped};
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder is there").map(|e| e.expect("listed").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut files = Vec::new();
    rust_files(&root().join("src"), &mut files);
    let relative =
        |path: &PathBuf| path.strip_prefix(root().join("src")).expect("below src").display().to_string();
    files.iter().map(|path| (relative(path), std::fs::read_to_string(path).expect("readable"))).collect()
}

/// Modules in order of dependency: each may use only those before it.
const ORDER: &[&str] = &[
    "base",
    "space",
    "field",
    "scenario",
    "rows",
    "record",
    "site",
    "stage",
    "world",
    "survey",
    "simulation",
    "summary",
    "expect",
    "snapshot",
    "regression",
    "trace",
    "replay",
    "cli",
    "main",
    "lib",
];

#[test]
fn modules_use_only_what_stands_above_them() {
    let rank = |module: &str| {
        ORDER.iter().position(|m| *m == module).unwrap_or_else(|| panic!("{module} is not in the order"))
    };
    for (file, text) in sources() {
        let module = file.split(['/', '.']).next().expect("a first part");
        if module == "sample" || file.ends_with("tests.rs") {
            // Test code, and made-up runs for tests of several modules.
            continue;
        }
        // Test code may look further.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (i, _) in code.match_indices("crate::") {
            let used: String =
                code[i + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if used.is_empty() || used.chars().next().is_some_and(char::is_uppercase) {
                continue;
            }
            assert!(rank(&used) <= rank(module), "{file} uses crate::{used}, which stands below it");
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    for (file, text) in sources() {
        assert!(text.starts_with("//!"), "{file} does not say what it is");
        let lines = text.lines().count();
        assert!(lines <= 700, "{file} has {lines} lines");
    }
}

#[test]
fn only_the_world_queries_the_ecs_and_only_the_command_line_prints() {
    for (file, text) in sources() {
        assert!(file.starts_with("world/") || !text.contains("hecs::"), "{file} names hecs");
        let prints =
            text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains("println!"));
        assert!(file.starts_with("cli/") || file == "main.rs" || !prints, "{file} prints");
    }
}

#[test]
fn scenarios_say_what_to_look_at_and_the_readme_names_them() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md is there");
    for path in shipped() {
        let text = std::fs::read_to_string(&path).expect("readable");
        assert!(
            text.starts_with("# ") && text.to_lowercase().contains("look at"),
            "{} does not say what to look at",
            path.display()
        );
        let name = path.file_name().expect("a name").to_string_lossy().to_string();
        assert!(readme.contains(&name), "README.md does not name {name}");
    }
}

#[test]
fn the_picture_in_the_readme_is_of_this_version() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).expect("readable");
    let (readme, golden) = (read("README.md"), read("tests/golden/bottleneck.snap"));
    let picture =
        readme.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a picture");
    assert!(picture.len() > 800 && golden.contains(picture), "take it from tests/golden/bottleneck.snap");
}

#[test]
fn the_architecture_page_is_short_and_its_paths_exist() {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    assert!(page.lines().count() <= 150);
    for part in page.split('`').skip(1).step_by(2) {
        let is_path =
            ["src/", "tests/", "docs/", "scenarios/", "benches/"].iter().any(|p| part.starts_with(p));
        if is_path && !part.contains(['*', ' ', '<']) {
            assert!(root().join(part).exists(), "ARCHITECTURE.md names {part}, which is not there");
        }
    }
}

#[test]
fn the_reference_page_is_made_from_the_types() {
    let path = root().join("docs/scenario.md");
    let made = throng::scenario::schema::reference();
    if std::env::var_os("THRONG_BLESS").is_some() {
        std::fs::write(&path, &made).expect("the page can be written");
    }
    let page = std::fs::read_to_string(&path).expect("docs/scenario.md is there");
    assert!(page == made, "docs/scenario.md is old: THRONG_BLESS=1 cargo test reference_page writes it anew");
}

#[test]
fn every_key_is_read() {
    let checks: String = sources()
        .into_iter()
        .filter(|(file, _)| file.starts_with("scenario/check/"))
        .map(|(_, text)| text)
        .collect();
    let schema = throng::scenario::schema::schema();
    let mut count = 0;
    for table in schema["$defs"].as_object().expect("tables").values().chain([&schema]) {
        for key in table["properties"].as_object().expect("keys").keys() {
            assert!(checks.contains(&format!(".{key}")), "{key} is read nowhere");
            count += 1;
        }
    }
    assert!(count > 150, "{count} keys");
}

#[test]
fn the_documented_example_runs() {
    let page = std::fs::read_to_string(root().join("docs/scenario.md")).expect("docs/scenario.md is there");
    let example =
        page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let mut simulation = throng::simulation::Simulation::new(crate::common::scenario(example));
    crate::common::digests(&mut simulation, u32::MAX);
    assert_eq!(simulation.record().counts.arrived, 12);
}
