//! `throng new`, `throng schema`, `throng completions` and `throng man`: what is made from nothing but the program.

use super::failure::Failure;
use super::output::{Output, shell_word};
use crate::base::limit;
use crate::scenario::schema;
use clap::{Args, Command, ValueEnum};
use clap_complete::Shell;
use std::io::Write;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, value};

/// Write a commented scenario to start from
#[derive(Debug, Args)]
#[command(after_help = NEW_EXAMPLES)]
pub(super) struct NewArguments {
    /// The file to make, with or without .toml; its name becomes the scenario's
    name: PathBuf,
    /// The scenario to begin with
    #[arg(long, value_enum, default_value_t = Template::Bottleneck)]
    from: Template,
}

const NEW_EXAMPLES: &str = "\
Examples:
  throng new hall
  throng new plaza --from crossing
  throng new battle.toml --from rts";

/// Scenarios to begin with.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Template {
    /// A hall empties through a bottleneck
    Bottleneck,
    /// Two streams cross
    Crossing,
    /// An army, one order, a bridge that breaks
    Rts,
}

impl Template {
    fn text(self) -> &'static str {
        match self {
            Self::Bottleneck => include_str!("../../scenarios/bottleneck.toml"),
            Self::Crossing => include_str!("../../scenarios/crossing.toml"),
            Self::Rts => include_str!("../../scenarios/army.toml"),
        }
    }
}

/// Print the JSON Schema of scenario files, for editors that complete and check TOML
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub(super) struct SchemaArguments {
    /// Print the reference page of every key instead, as Markdown
    #[arg(long)]
    markdown: bool,
}

const SCHEMA_EXAMPLES: &str = "\
Examples:
  throng schema > throng.schema.json
  throng schema --markdown > scenario.md

Editors with a TOML plugin (Even Better TOML, Taplo) take the schema from the first line of a scenario:
  #:schema ./throng.schema.json";

/// Print a script that completes this command in your shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(super) struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  throng completions bash > ~/.local/share/bash-completion/completions/throng
  throng completions zsh > ~/.zfunc/_throng
  throng completions fish > ~/.config/fish/completions/throng.fish";

/// Write the manual pages: throng.1, and one for each command
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(super) struct ManArguments {
    /// The folder to write them to [default: print throng.1]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const MAN_EXAMPLES: &str = "\
Examples:
  throng man | man -l -
  throng man --out ~/.local/share/man/man1";

/// Runs `throng new`.
pub(super) fn new(arguments: &NewArguments, output: &mut Output) -> Result<(), Failure> {
    if arguments.name.file_name().is_none() {
        return Err(Failure::input(format!(
            "\"{}\" cannot be the name of a scenario",
            arguments.name.display()
        )));
    }
    let file = match arguments.name.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("toml") => arguments.name.clone(),
        _ => {
            let mut name = arguments.name.clone().into_os_string();
            name.push(".toml");
            PathBuf::from(name)
        }
    };
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    if stem.trim().is_empty() || stem.len() > limit::NAME_BYTES {
        return Err(Failure::input(format!("\"{stem}\" cannot be the name of a scenario")));
    }
    let text = named(arguments.from.text(), &stem).map_err(Failure::run)?;
    write_new(&file, &text)?;
    let shown = shell_word(&file.display().to_string());
    output.line(format!("{shown} is made. Next:"))?;
    let next = [
        (format!("  throng run {shown}"), "run it and see the numbers"),
        (format!("  throng check {shown} --bless"), "keep what it gives as what you expect"),
        ("  throng schema > throng.schema.json".to_owned(), "let your editor complete its keys"),
    ];
    output.table(&next.map(|(command, what)| vec![command, what.to_owned()]), 0..0)
}

/// A scenario's text under another name.
fn named(text: &str, name: &str) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| e.to_string())?;
    document["name"] = value(name);
    Ok(document.to_string())
}

/// Makes a file; one that is there already stays as it is.
fn write_new(file: &Path, text: &str) -> Result<(), Failure> {
    let made = std::fs::File::create_new(file).and_then(|mut new| new.write_all(text.as_bytes()));
    made.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::input(format!("{} is there already; choose another name", file.display()))
        }
        _ => Failure::run(format!("cannot write {}: {error}", file.display())),
    })
}

/// Runs `throng schema`.
pub(super) fn schema(arguments: &SchemaArguments, output: &mut Output) -> Result<(), Failure> {
    if arguments.markdown {
        return output.line(schema::reference().trim_end());
    }
    output.json(&schema::schema())
}

/// Runs `throng completions` for the program that `command` describes.
pub(super) fn completions(
    arguments: &CompletionsArguments,
    mut command: Command,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "throng", &mut script);
    output.line(String::from_utf8_lossy(&script).trim_end())
}

/// Runs `throng man` for the program that `command` describes.
pub(super) fn man(arguments: &ManArguments, command: Command, output: &mut Output) -> Result<(), Failure> {
    let Some(folder) = &arguments.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).map_err(|e| Failure::run(e.to_string()))?;
        return output.line(String::from_utf8_lossy(&page).trim_end());
    };
    let failed = |e: std::io::Error| Failure::run(format!("cannot write to {}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(command, folder).map_err(failed)?;
    output.line(format!("the manual pages are in {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    #[test]
    fn every_template_is_a_commented_scenario_under_its_new_name() {
        for template in Template::value_variants() {
            let text = named(template.text(), "plaza").unwrap();
            let read = Scenario::from_text(&text, "plaza.toml", Path::new("scenarios"));
            let scenario = read.unwrap_or_else(|e| panic!("{template:?}: {:?}", e.problems()));
            assert_eq!(scenario.name, "plaza");
            assert!(text.starts_with("# "), "{template:?}");
        }
    }

    #[test]
    fn a_file_that_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = NewArguments { name: folder.path().join("hall"), from: Template::Bottleneck };
        new(&arguments, &mut Output::to_nowhere()).unwrap();
        let file = folder.path().join("hall.toml");
        let made = std::fs::read_to_string(&file).unwrap();
        assert!(made.contains("name = \"hall\""));
        assert_eq!(new(&arguments, &mut Output::to_nowhere()).unwrap_err().exit_code(), 2);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), made);
    }
}
