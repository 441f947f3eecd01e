//! From the text to a valid scenario: everything that is wrong is reported at once, and nothing runs then.

mod area;
mod people;
mod places;
mod room;
mod settings;
#[cfg(test)]
mod tests;

use super::file::value::{At, Table};
use super::file::{File, ReservationFile};
use super::problem::{Problems, ScenarioError, nearest_name};
use super::{Class, Reservation, Scenario};
use crate::base::{Clock, Frame, Point, Tick, limit, units};
use crate::space::{Area, GridFrame};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use toml::de::DeTable;

/// Reads a file that a scenario names: given its path as written, the text or a sentence.
pub type ReadSide<'a> = &'a dyn Fn(&str) -> Result<String, String>;

impl Scenario {
    /// Reads and checks a scenario file; files that it names are found relative to it.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, ScenarioError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = read_text(path).map_err(|message| {
            ScenarioError::unreadable(&name, message, "a scenario is a TOML file of UTF-8 text")
        })?;
        Self::from_text(&text, &name, path.parent().unwrap_or(Path::new(".")))
    }

    /// Checks the text of a scenario; files that it names are found in `folder`.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn from_text(text: &str, file: &str, folder: &Path) -> Result<Self, ScenarioError> {
        Self::from_parts(text, file, &|name| read_text(&folder.join(name)))
    }

    /// Checks the text of a scenario; `read_side` gives the text of files that it names.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn from_parts(text: &str, file: &str, read_side: ReadSide<'_>) -> Result<Self, ScenarioError> {
        let mut problems = Problems::default();
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in &errors {
            problems.add(&error.span().unwrap_or(0..0), error.message(), "");
        }
        let mut read = File::of_table(table.get_ref(), 0..0, &mut problems);
        // What a syntax error hides is not missing.
        read.whole &= errors.is_empty();
        let mut check =
            Check { problems, side_files: BTreeMap::new(), read_side, knows_area: true, corners: 0 };
        let scenario = check.scenario(&read, text);
        if check.problems.is_empty() { Ok(scenario) } else { Err(check.problems.into_error(file, text)) }
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let name = path.display();
    let size = std::fs::metadata(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    if size.is_dir() {
        return Err(format!("{name} is a folder"));
    }
    if size.len() > limit::FILE_BYTES {
        return Err(format!("{name} has {} bytes, more than {}", size.len(), limit::FILE_BYTES));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map(|file| file.take(limit::FILE_BYTES + 1));
    file.and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|error| format!("cannot read {name}: {error}"))?;
    if bytes.len() as u64 > limit::FILE_BYTES {
        return Err(format!("{name} has more than {} bytes", limit::FILE_BYTES));
    }
    String::from_utf8(bytes).map_err(|error| {
        format!("{name} is not UTF-8 text: byte {} is wrong", error.utf8_error().valid_up_to())
    })
}

/// A check under way.
struct Check<'a> {
    problems: Problems,
    side_files: BTreeMap<String, String>,
    read_side: ReadSide<'a>,
    /// False once the area turned out wrong: places cannot be judged then.
    knows_area: bool,
    /// Corners of all shapes so far.
    corners: usize,
}

/// What later tables are checked against.
struct Base<'a> {
    area: &'a Arc<Area>,
    grid: GridFrame,
    clock: Clock,
    last_tick: Tick,
}

/// Classes by name.
struct Classes {
    list: Vec<Class>,
    names: Names,
}

/// The names of one table, sorted, with where each was defined.
type Names = BTreeMap<String, usize>;

impl Check<'_> {
    fn scenario(&mut self, file: &File, text: &str) -> Scenario {
        self.format(file);
        let name = self.required_name(file.name.as_ref(), file, "the scenario");
        let clock = Clock { tick_ms: file.tick_ms() as u32 };
        let last_tick = self.last_tick(file, clock);
        self.table_sizes(file);
        let (area, grid, mut regions) = match self.area(file) {
            Some(found) => found,
            // Everything else is checked all the same, as far as it goes without places.
            None => self.stand_in_area(file),
        };
        let ground = Base { area: &area, grid, clock, last_tick };
        self.regions(file, &ground, &mut regions);
        let classes = self.classes(file);
        let (doors, door_names) = self.doors(file, &regions);
        let grounds = self.grounds(file, &regions, &classes);
        let (goals, goal_names) = self.goals(file, &ground, &regions);
        let (journeys, journey_names) = self.journeys(file, &goal_names);
        let names = people::PeopleNames {
            regions: &regions,
            classes: &classes,
            goals: &goal_names,
            journeys: &journey_names,
        };
        let sources = self.sources(file, &ground, &names);
        let reservation =
            Reservation { enabled: file.reservation.as_deref().is_none_or(ReservationFile::enabled) };
        let agents = self.agents(file, &ground, &names);
        let events = self.events(file, &ground, &names, &door_names);
        let (lines, line_names) = self.lines(file, &ground);
        let (measures, measure_names) = self.measures(file, &ground, &regions);
        let expect_names =
            settings::ExpectNames { lines: &line_names, measures: &measure_names, goals: &goal_names };
        let guidance = self.guidance(file);
        let expect = self.expect(file, &expect_names);
        let scenario = Scenario {
            text: text.to_owned(),
            side_files: std::mem::take(&mut self.side_files).into_iter().collect(),
            name: name.unwrap_or_default(),
            seed: file.seed(),
            clock,
            last_tick,
            grid,
            regions: regions.into_list(),
            doors,
            grounds,
            classes: classes.list,
            goals,
            journeys,
            sources,
            agents,
            events,
            guidance,
            congestion: settings::congestion(file),
            motion: settings::motion(file),
            steering: settings::steering(file),
            reservation,
            lines,
            measures,
            expect,
            area,
        };
        if self.knows_area {
            self.check_room(file, &scenario);
        }
        scenario
    }

    fn last_tick(&mut self, file: &File, clock: Clock) -> Tick {
        let duration = file.duration_s();
        let last_tick = clock.tick_at(duration);
        if last_tick.0 > limit::TICKS {
            let span = file.duration_s.as_ref().map_or(0..0, |d| d.span.clone());
            self.add(
                &span,
                format!("{duration} s are {last_tick} ticks"),
                format!("at most {} are allowed", limit::TICKS),
            );
        }
        last_tick
    }

    fn add(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.add(span, message, help);
    }

    fn format(&mut self, file: &File) {
        match &file.format {
            Some(format) if format.value == 1 => {}
            Some(format) => {
                self.add(
                    &format.span,
                    format!("format {} is not known", format.value),
                    "this program reads format = 1",
                );
            }
            None => self.missing(file, "the file does not say its format", "add: format = 1"),
        }
    }

    /// Reports what lacks in a table, unless something else is wrong with it that may be the very thing.
    fn missing(&mut self, table: &impl Table, message: impl Into<String>, help: impl Into<String>) {
        if table.is_whole() {
            self.add(table.span(), message, help);
        }
    }

    fn required_name(&mut self, name: Option<&At<String>>, table: &impl Table, what: &str) -> Option<String> {
        match name {
            None => {
                self.missing(table, format!("{what} has no name"), "add: name = \"...\"");
                None
            }
            Some(name) if name.trim().is_empty() || name.len() > limit::NAME_BYTES => {
                let help = format!("from 1 to {} bytes", limit::NAME_BYTES);
                self.add(&name.span, format!("\"{}\" cannot be a name", name.value), help);
                None
            }
            Some(name) => Some(name.value.clone()),
        }
    }

    /// Sorts named entries by name; entries without a good name, and second ones of a name, are reported and left out.
    fn by_name<'t, T: Table>(
        &mut self,
        entries: Option<&'t At<Vec<At<T>>>>,
        what: &str,
        name_of: impl Fn(&T) -> Option<&At<String>>,
    ) -> Vec<(String, &'t At<T>)> {
        let mut sorted: BTreeMap<String, &At<T>> = BTreeMap::new();
        for entry in entries.iter().flat_map(|list| &list.value) {
            let Some(name) = self.required_name(name_of(&entry.value), &entry.value, what) else { continue };
            match sorted.entry(name) {
                Entry::Vacant(free) => {
                    free.insert(entry);
                }
                Entry::Occupied(taken) => {
                    let span = name_of(&entry.value).map_or(entry.span.clone(), |n| n.span.clone());
                    self.add(
                        &span,
                        format!("{what} \"{}\" is defined twice", taken.key()),
                        "names must differ",
                    );
                }
            }
        }
        if let Some(list) = entries.filter(|list| list.value.len() > limit::ENTRIES) {
            self.add(
                &list.span,
                format!("{} entries are too many", list.value.len()),
                format!("at most {}", limit::ENTRIES),
            );
            return Vec::new();
        }
        sorted.into_iter().collect()
    }

    /// The index that a name refers to.
    fn reference(&mut self, name: Option<&At<String>>, known: &Names, what: &str) -> Option<usize> {
        let name = name?;
        let found = known.get(&name.value).copied();
        if found.is_none() {
            let help = match nearest_name(name, known.keys().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None if known.is_empty() => format!("there is no {what} in this file"),
                None => format!("known: {}", known.keys().take(20).cloned().collect::<Vec<_>>().join(", ")),
            };
            self.add(&name.span, format!("there is no {what} \"{}\"", name.value), help);
        }
        found
    }

    /// As [`Check::reference`], and reported where it is missing.
    fn required_reference(
        &mut self,
        name: Option<&At<String>>,
        known: &Names,
        what: &str,
        table: &impl Table,
    ) -> Option<usize> {
        if name.is_none() {
            self.missing(table, format!("a {what} is missing here"), format!("add: {what} = \"...\""));
        }
        self.reference(name, known, what)
    }

    /// A place; silent where the area is wrong already.
    fn place(&mut self, at: &At<[f64; 2]>, frame: Frame) -> Option<Point> {
        if !self.knows_area {
            return None;
        }
        let place = frame.place(at.value[0], at.value[1]);
        if place.is_none() {
            let message = format!("({}, {}) is too far from the area", at.value[0], at.value[1]);
            self.add(&at.span, message, format!("within {} m", limit::EXTENT_M));
        }
        place
    }

    /// The tick of a time, which must not be after the end of the run.
    fn tick(&mut self, at_s: Option<&At<f64>>, base: &Base<'_>) -> Tick {
        let Some(at_s) = at_s else { return Tick(0) };
        let tick = base.clock.tick_at(at_s.value);
        if tick > base.last_tick {
            let end = base.clock.seconds(base.last_tick);
            let message = format!("{} s is after the end of the run", at_s.value);
            self.add(&at_s.span, message, format!("it ends at {end} s"));
        }
        tick
    }

    /// Refuses tables with more entries than ids can count.
    fn table_sizes(&mut self, file: &File) {
        let agents = limit::AGENTS as usize;
        let sizes = [
            (file.obstacle.as_ref().map(|t| (t.value.len(), &t.span)), limit::CORNERS),
            (file.ground.as_ref().map(|t| (t.value.len(), &t.span)), limit::ENTRIES),
            (file.event.as_ref().map(|t| (t.value.len(), &t.span)), limit::ENTRIES),
            (file.agent.as_ref().map(|t| (t.value.len(), &t.span)), agents),
        ];
        for (table, most) in sizes {
            if let Some((len, span)) = table.filter(|(len, _)| *len > most) {
                self.add(span, format!("{len} entries are too many"), format!("at most {most}"));
            }
        }
    }

    fn not_yet(&mut self, span: &Range<usize>, what: &str) {
        self.add(span, format!("{what} is not supported yet"), "leave it out for now");
    }

    fn side_file(&mut self, name: &At<String>) -> Option<String> {
        match (self.read_side)(&name.value) {
            Ok(text) => {
                self.side_files.insert(name.value.clone(), text.clone());
                Some(text)
            }
            Err(message) => {
                self.add(&name.span, message, "the path is relative to the scenario file");
                None
            }
        }
    }
}

/// A length in units, if it is there.
fn length(value: Option<&At<f64>>) -> Option<i32> {
    units(value?.value)
}

/// A whole number whose range is known, if it is there.
fn count(value: Option<&At<u64>>) -> Option<u32> {
    Some(value?.value as u32)
}

/// A number, if it is there.
fn number(value: Option<&At<f64>>) -> Option<f64> {
    Some(value?.value)
}

fn names_of<'n>(names: impl Iterator<Item = &'n String>) -> Names {
    names.enumerate().map(|(i, name)| (name.clone(), i)).collect()
}
