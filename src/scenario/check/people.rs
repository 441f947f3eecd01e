//! Classes, goals, journeys, sources, agents and events: who walks where, and when.

use super::super::file::{EventFile, File, GoalFile, NumberFile, SourceFile, StageFile};
use super::super::value::{At, word};
use super::super::{
    Action, Arrival, Choice, Class, Command, Distribution, Errand, Goal, GoalPlace, Journey, JourneyStage,
    PlacedAgent, Placement, ShapeSpec, Source, Supply,
};
use super::places::Regions;
use super::{Base, Check, Classes, Names, names_of};
use crate::base::{
    ClassId, DoorId, GoalId, JourneyId, Point, RegionId, Tick, UNITS_PER_METRE, limit, name_hash, units,
};
use crate::space::Shape;
use std::ops::Range;

/// Names that people refer to.
pub(super) struct PeopleNames<'a> {
    pub(super) regions: &'a Regions,
    pub(super) classes: &'a Classes,
    pub(super) goals: &'a Names,
    pub(super) journeys: &'a Names,
}

/// Metres; free space that a new core keeps where the file does not say.
const GAP_M: f64 = 0.01;
/// Metres from a point goal that count as arrived.
const ARRIVE_WITHIN_M: f64 = 0.3;

/// The adult that every scenario has (speeds: Weidmann 1993).
fn adult() -> Class {
    Class {
        name: "adult".to_owned(),
        core_radius: 18_000,
        comfort_radius: 20_000,
        speed_mps: Distribution::Normal { mean: 1.34, sd: 0.26, min: 0.5, max: 2.2 },
        premovement_s: Distribution::Fixed(0.0),
    }
}

impl Check<'_> {
    pub(super) fn classes(&mut self, file: &File) -> Classes {
        let mut list: Vec<Class> = Vec::new();
        let mut entries = self.by_name(file.class.as_ref(), "class", |c| c.name.as_ref());
        // Other classes take what they lack from the file's own adult.
        entries.sort_by_key(|(name, _)| name != "adult");
        for (name, entry) in entries {
            let base = list.first().filter(|c| c.name == "adult").cloned().unwrap_or_else(adult);
            let radius = 0.0..=limit::RADIUS_M;
            let core = self.length(entry.core_radius_m.as_ref(), radius.clone(), "a radius in metres");
            let comfort = self.length(entry.comfort_radius_m.as_ref(), radius, "a radius in metres");
            let core_radius = core.unwrap_or(base.core_radius);
            let room = base.comfort_radius - base.core_radius;
            let comfort_radius =
                comfort.unwrap_or(if core.is_some() { core_radius + room } else { base.comfort_radius });
            if comfort_radius < core_radius {
                let span = entry.comfort_radius_m.as_ref().or(entry.core_radius_m.as_ref());
                let span = span.map_or(entry.span.clone(), |s| s.span.clone());
                self.add(
                    &span,
                    "the comfort radius is smaller than the core radius",
                    "make it at least as large",
                );
            }
            let speed = 0.01..=limit::SPEED_MPS;
            let speed_mps = self
                .distribution(entry.speed_mps.as_ref(), speed, "a speed in m/s")
                .unwrap_or(base.speed_mps);
            let premovement =
                self.distribution(entry.premovement_s.as_ref(), 0.0..=1.0e6, "a time in seconds");
            let premovement_s = premovement.unwrap_or(base.premovement_s);
            list.push(Class { name, core_radius, comfort_radius, speed_mps, premovement_s });
        }
        if !list.iter().any(|c| c.name == "adult") {
            list.push(adult());
        }
        list.sort_by(|a, b| a.name.cmp(&b.name));
        let names = names_of(list.iter().map(|c| &c.name));
        Classes { list, names }
    }

    fn distribution(
        &mut self,
        value: Option<&At<NumberFile>>,
        range: std::ops::RangeInclusive<f64>,
        what: &str,
    ) -> Option<Distribution> {
        let value = value?;
        let drawn = match &value.value {
            NumberFile::Fixed(number) => Distribution::Fixed(*number),
            NumberFile::Drawn(table) => {
                let pair = |p: &Option<At<[f64; 2]>>| p.as_ref().map(|p| p.value);
                let bounds = (
                    table.min.as_ref().map_or(*range.start(), |m| m.value),
                    table.max.as_ref().map_or(*range.end(), |m| m.value),
                );
                let is_normal = table.mean.is_some() || table.sd.is_some();
                let kinds =
                    [is_normal, table.uniform.is_some(), table.list.is_some(), table.lognormal.is_some()];
                if kinds.iter().filter(|k| **k).count() != 1 {
                    let help = "one of { mean, sd, min, max }, { uniform = [a, b] }, { list = [...] }, { lognormal = [mu, sigma], min, max }";
                    self.add(&value.span, "exactly one distribution belongs here", help);
                    return None;
                }
                if let Some([low, high]) = pair(&table.uniform) {
                    Distribution::Uniform(low, high)
                } else if let Some([mu, sigma]) = pair(&table.lognormal) {
                    Distribution::LogNormal { mu, sigma, min: bounds.0, max: bounds.1 }
                } else if let Some(list) = &table.list {
                    Distribution::List(list.value.iter().map(|v| v.value).collect())
                } else {
                    let (mean, sd) = (table.mean.as_ref()?.value, table.sd.as_ref().map_or(0.0, |s| s.value));
                    Distribution::Normal { mean, sd, min: bounds.0, max: bounds.1 }
                }
            }
        };
        let (low, high) = drawn.range();
        let is_negative = matches!(&drawn, Distribution::Normal { sd, .. } | Distribution::LogNormal { sigma: sd, .. } if *sd < 0.0);
        if drawn == Distribution::List(Vec::new()) {
            self.add(&value.span, "this list is empty", "at least one value");
            return None;
        }
        if low > high || !range.contains(&low) || !range.contains(&high) || is_negative {
            let message = format!("values from {low} to {high} are not {what}");
            self.add(
                &value.span,
                message,
                format!("from {} to {} are allowed, the least first", range.start(), range.end()),
            );
            return None;
        }
        Some(drawn)
    }

    pub(super) fn goals(&mut self, file: &File, ground: &Base<'_>, regions: &Regions) -> (Vec<Goal>, Names) {
        let region_names = regions.names();
        let entries = self.by_name(file.goal.as_ref(), "goal", |g| g.name.as_ref());
        let names = names_of(entries.iter().map(|(name, _)| name));
        let mut goals = Vec::new();
        for (name, entry) in entries {
            let slots = self.slots(entry, ground);
            let place = self.goal_place(entry, ground, (regions, &region_names), &slots);
            let arrival = self.arrival(entry);
            let fifo = entry
                .order
                .as_ref()
                .and_then(|o| word(o, &[("fifo", true), ("any", false)], &mut self.problems));
            if fifo == Some(true) && entry.slots.is_none() {
                self.add(
                    &entry.span,
                    format!("goal \"{name}\" is a queue without slots"),
                    "add: slots = [[x, y], ...], the head first",
                );
            }
            let capacity = self.count(entry.capacity.as_ref());
            if let Some(zero) = entry.capacity.as_ref().filter(|c| c.value == 0) {
                self.add(&zero.span, "a capacity of 0 lets nobody in", "at least 1");
            }
            let place = place.unwrap_or(GoalPlace::Shapes(Vec::new()));
            if matches!(place, GoalPlace::Heading { .. }) && arrival != Arrival::Leave {
                self.add(&entry.span, "nobody arrives at a heading", "leave arrival out");
            }
            goals.push(Goal { name, place, arrival, slots, fifo: fifo.unwrap_or(false), capacity });
        }
        (goals, names)
    }

    fn slots(&mut self, entry: &GoalFile, ground: &Base<'_>) -> Vec<Point> {
        let mut slots = Vec::new();
        for slot in entry.slots.iter().flat_map(|s| &s.value) {
            let Some(place) = self.place(slot, ground.area.frame) else { continue };
            if ground.area.contains(place) {
                slots.push(place);
            } else {
                self.add(
                    &slot.span,
                    format!("slot ({}, {}) is off the walkable area", slot.value[0], slot.value[1]),
                    "",
                );
            }
        }
        slots
    }

    fn goal_place(
        &mut self,
        entry: &GoalFile,
        ground: &Base<'_>,
        (regions, region_names): (&Regions, &Names),
        slots: &[Point],
    ) -> Option<GoalPlace> {
        let given =
            [entry.region.is_some(), entry.regions.is_some(), entry.at.is_some(), entry.heading.is_some()];
        let count = given.iter().filter(|g| **g).count();
        if count > 1 || (count == 0 && entry.slots.is_none()) {
            let help = "one of region = \"...\", regions = [...], at = [x, y], slots = [[x, y], ...] and heading = \"+x\"";
            self.add(&entry.span, "a goal needs exactly one place", help);
            return None;
        }
        if let Some(heading) = &entry.heading {
            if ground.area.topology.period_x.is_none() {
                self.add(&heading.span, "a heading needs a ring", "add: [periodic] x = true");
            }
            let rightwards = word(heading, &[("+x", true), ("-x", false)], &mut self.problems)?;
            return Some(GoalPlace::Heading { rightwards });
        }
        let near = self.length(entry.arrive_within_m.as_ref(), 0.001..=100.0, "a distance in metres");
        let near = near.or(units(ARRIVE_WITHIN_M)).unwrap_or(UNITS_PER_METRE);
        if let Some(at) = &entry.at {
            let centre = self.place(at, ground.area.frame)?;
            if !ground.area.contains(centre) {
                self.add(
                    &at.span,
                    format!("({}, {}) is off the walkable area", at.value[0], at.value[1]),
                    "",
                );
            }
            return Some(GoalPlace::Shapes(vec![Shape::Circle { centre, radius: near }]));
        }
        if count == 0 {
            let around = |&centre: &Point| Shape::Circle { centre, radius: near };
            return Some(GoalPlace::Shapes(slots.iter().map(around).collect()));
        }
        let listed: Vec<&At<String>> =
            entry.region.iter().chain(entry.regions.iter().flat_map(|r| &r.value)).collect();
        let mut indexes: Vec<usize> = listed
            .into_iter()
            .filter_map(|name| self.reference(Some(name), region_names, "region"))
            .collect();
        indexes.sort_unstable();
        indexes.dedup();
        if let Some(none) = entry.regions.as_ref().filter(|r| r.value.is_empty()) {
            self.add(&none.span, "a goal needs at least one region", "regions = [\"a\", \"b\"]");
        }
        Some(GoalPlace::Shapes(indexes.into_iter().filter_map(|i| regions.shape(i).cloned()).collect()))
    }

    fn arrival(&mut self, entry: &GoalFile) -> Arrival {
        let wait_s = self.optional_number(entry.wait_s.as_ref(), 0.0..=1.0e6, "a time in seconds");
        let wait = Arrival::Wait { wait_ms: wait_s.map(|s| (s * 1000.0).round() as u64) };
        let known = [("leave", Arrival::Leave), ("stay", Arrival::Stay), ("wait", wait)];
        let arrival = entry.arrival.as_ref().and_then(|a| word(a, &known, &mut self.problems));
        let arrival = arrival.unwrap_or(Arrival::Leave);
        if let Some(wait_s) = entry.wait_s.as_ref().filter(|_| arrival != wait) {
            self.add(
                &wait_s.span,
                "wait_s without arrival = \"wait\" has no effect",
                "add: arrival = \"wait\"",
            );
        }
        arrival
    }

    pub(super) fn journeys(&mut self, file: &File, goals: &Names) -> (Vec<Journey>, Names) {
        let entries = self.by_name(file.journey.as_ref(), "journey", |j| j.name.as_ref());
        let names = names_of(entries.iter().map(|(name, _)| name));
        let mut journeys = Vec::new();
        for (name, entry) in entries {
            let written: &[At<StageFile>] = entry.stages.as_ref().map_or(&[], |s| &s.value);
            if written.is_empty() {
                self.add(
                    &entry.span,
                    format!("journey \"{name}\" has no stages"),
                    "add: stages = [\"goal\", ...]",
                );
            }
            let stages = written.iter().filter_map(|stage| self.stage(stage, goals)).collect();
            journeys.push(Journey { name, stages });
        }
        (journeys, names)
    }

    fn stage(&mut self, stage: &At<StageFile>, goals: &Names) -> Option<JourneyStage> {
        let choice = match &stage.value {
            StageFile::Goal(name) => {
                let goal = self.reference(Some(name), goals, "goal")?;
                return Some(JourneyStage { goals: vec![GoalId::from_index(goal)], choice: Choice::Cost });
            }
            StageFile::Choice(choice) => choice,
        };
        let names: &[At<String>] = choice.one_of.as_ref().map_or(&[], |names| &names.value);
        if names.is_empty() {
            self.add(&stage.span, "this stage names no goal", "add: one_of = [\"goal\", ...]");
            return None;
        }
        let found: Vec<GoalId> = names
            .iter()
            .filter_map(|n| self.reference(Some(n), goals, "goal"))
            .map(GoalId::from_index)
            .collect();
        let known = [("cost", 0), ("share", 1), ("least-occupied", 2)];
        let by = choice.by.as_ref().map_or(Some(0), |by| word(by, &known, &mut self.problems))?;
        let shares: Vec<f64> = choice.shares.iter().flat_map(|s| &s.value).map(|s| s.value).collect();
        let choice = match by {
            1 => {
                let total: f64 = shares.iter().sum();
                if shares.len() != names.len() || shares.iter().any(|s| *s < 0.0) || total <= 0.0 {
                    self.add(
                        &stage.span,
                        "shares must be one number of at least 0 for each goal",
                        "for example shares = [2, 1]",
                    );
                    return None;
                }
                Choice::Share(shares.iter().map(|s| s / total).collect())
            }
            2 => Choice::LeastOccupied,
            _ => Choice::Cost,
        };
        Some(JourneyStage { goals: found, choice })
    }

    fn errand(
        &mut self,
        goal: Option<&At<String>>,
        journey: Option<&At<String>>,
        names: &PeopleNames<'_>,
    ) -> Errand {
        if let (Some(_), Some(journey)) = (goal, journey) {
            self.add(&journey.span, "a goal and a journey are given", "give one of them");
        }
        let goal = self.reference(goal, names.goals, "goal").map(|g| Errand::Goal(GoalId::from_index(g)));
        let journey = self.reference(journey, names.journeys, "journey");
        goal.or(journey.map(|j| Errand::Journey(JourneyId::from_index(j)))).unwrap_or(Errand::Stand)
    }

    pub(super) fn sources(&mut self, file: &File, ground: &Base<'_>, names: &PeopleNames<'_>) -> Vec<Source> {
        let region_names = names.regions.names();
        let mut sources = Vec::new();
        for (name, entry) in self.by_name(file.source.as_ref(), "source", |s| s.name.as_ref()) {
            let region = self.required_reference(entry.region.as_ref(), &region_names, "region", &entry.span);
            let classes = self.class_shares(entry, names.classes);
            let errand = self.errand(entry.goal.as_ref(), entry.journey.as_ref(), names);
            let gap = self.length(entry.gap_m.as_ref(), 0.0..=100.0, "a gap in metres");
            let area_m2 = region.and_then(|r| names.regions.shape(r)).map_or(0.0, Shape::area_m2);
            let supply = self.supply(entry, ground, area_m2);
            let placement = self.placement(entry, ground, names.classes, &classes);
            let (Some(region), Some(supply), Some(placement)) = (region, supply, placement) else { continue };
            sources.push(Source {
                name_hash: name_hash(&name),
                name,
                region: RegionId::from_index(region),
                classes,
                errand,
                placement,
                gap: gap.or(units(GAP_M)).unwrap_or(0),
                supply,
            });
        }
        sources
    }

    fn class_shares(&mut self, entry: &At<SourceFile>, classes: &Classes) -> Vec<(ClassId, f64)> {
        if let (Some(_), Some(both)) = (&entry.class, &entry.classes) {
            self.add(&both.span, "class and classes are given", "give one of them");
        }
        let mut shares: Vec<(ClassId, f64)> = Vec::new();
        for (name, share) in entry.classes.iter().flat_map(|c| &c.value) {
            let name = At { value: name.clone(), span: share.span.clone() };
            let class = self.reference(Some(&name), &classes.names, "class");
            if share.value <= 0.0 {
                self.add(&share.span, format!("{} is no share", share.value), "shares are above 0");
            } else if let Some(class) = class {
                shares.push((ClassId::from_index(class), share.value));
            }
        }
        if shares.is_empty() {
            let class = self.reference(entry.class.as_ref(), &classes.names, "class");
            let class = class.or(classes.names.get("adult").copied()).unwrap_or(0);
            return vec![(ClassId::from_index(class), 1.0)];
        }
        let total: f64 = shares.iter().map(|s| s.1).sum();
        shares.iter().map(|&(class, share)| (class, share / total)).collect()
    }

    fn supply(&mut self, entry: &At<SourceFile>, ground: &Base<'_>, area_m2: f64) -> Option<Supply> {
        let density =
            self.optional_number(entry.density_per_m2.as_ref(), 0.0..=100.0, "a density per square metre");
        let count = self.count(entry.count.as_ref()).or(density.map(|d| (d * area_m2).round() as u32));
        if let (Some(_), Some(density)) = (&entry.count, &entry.density_per_m2) {
            self.add(&density.span, "count and density_per_m2 are given", "give one of them");
        }
        let schedule = self.schedule(entry, ground);
        let rate = self.optional_number(entry.rate_per_s.as_ref(), 1.0e-6..=1.0e5, "a rate per second");
        let from = self.tick(entry.at_s.as_ref(), ground);
        let ways = [schedule.is_some(), entry.rate_per_s.is_some(), entry.inside.is_some()];
        if ways.iter().filter(|w| **w).count() > 1 {
            self.add(&entry.span, "a source gives agents in one way", "rate_per_s, inside or a schedule");
            return None;
        }
        for (key, given) in [("from_s", &entry.from_s), ("until_s", &entry.until_s)] {
            if let Some(given) = given.as_ref().filter(|_| rate.is_none()) {
                self.add(
                    &given.span,
                    format!("{key} without rate_per_s has no effect"),
                    "add rate_per_s, or use at_s",
                );
            }
        }
        if let Some(schedule) = schedule {
            return Some(Supply::Schedule(schedule));
        }
        if entry.inside.is_some() {
            return Some(Supply::Keep { inside: self.count(entry.inside.as_ref())?, from });
        }
        if let Some(per_s) = rate {
            let seconds = 0.0..=1.0e8;
            let ms = |s: f64| (s * 1000.0).round() as u64;
            let from_s = self.number(entry.from_s.as_ref(), 0.0, seconds.clone(), "a time in seconds");
            let until_s = self.optional_number(entry.until_s.as_ref(), seconds, "a time in seconds");
            if let Some(until) = entry.until_s.as_ref().filter(|u| u.value <= from_s) {
                self.add(&until.span, "the stream ends before it begins", "until_s must be after from_s");
            }
            let known = [("regular", false), ("poisson", true)];
            let poisson =
                entry.arrivals.as_ref().and_then(|a| word(a, &known, &mut self.problems)).unwrap_or(false);
            return Some(Supply::Rate {
                per_s,
                from_ms: ms(from_s),
                until_ms: until_s.map(ms),
                poisson,
                count,
            });
        }
        let Some(count) = count else {
            self.add(
                &entry.span,
                "the source does not say how many",
                "add: count, density_per_m2, inside, rate_per_s or schedule",
            );
            return None;
        };
        Some(Supply::Schedule(vec![(from, count)]))
    }

    fn schedule(&mut self, entry: &At<SourceFile>, ground: &Base<'_>) -> Option<Vec<(Tick, u32)>> {
        let mut rows: Vec<([f64; 2], Range<usize>)> = Vec::new();
        if let Some(list) = &entry.schedule {
            rows.extend(list.value.iter().map(|row| (row.value, row.span.clone())));
        } else {
            let name = entry.schedule_file.as_ref()?;
            let text = self.side_file(name)?;
            match csv_rows(&text) {
                Ok(read) => rows.extend(read.into_iter().map(|row| (row, name.span.clone()))),
                Err(message) => {
                    self.add(&name.span, format!("{}: {message}", name.value), "rows of seconds,count");
                    return None;
                }
            }
        }
        let mut schedule = Vec::new();
        for ([at_s, count], span) in rows {
            let is_count = count >= 0.0 && count <= limit::AGENTS as f64 && count.fract() == 0.0;
            if !(0.0..=1.0e8).contains(&at_s) || !is_count {
                self.add(
                    &span,
                    format!("[{at_s}, {count}] is no entry of a schedule"),
                    "[seconds, whole number of agents]",
                );
                continue;
            }
            schedule.push((ground.clock.tick_at(at_s), count as u32));
        }
        schedule.sort_unstable();
        Some(schedule)
    }

    fn placement(
        &mut self,
        entry: &At<SourceFile>,
        ground: &Base<'_>,
        classes: &Classes,
        shares: &[(ClassId, f64)],
    ) -> Option<Placement> {
        let comfort =
            shares.iter().map(|(class, _)| classes.list[class.index()].comfort_radius).max().unwrap_or(0);
        let spacing = self.length(entry.spacing_m.as_ref(), 0.001..=1000.0, "a distance in metres");
        let spacing = spacing.unwrap_or((2 * comfort + 1_000).max(1_000));
        let known = [("random", 0), ("grid", 1), ("hex", 2), ("points", 3)];
        let which = entry.placement.as_ref().map_or(Some(0), |p| word(p, &known, &mut self.problems))?;
        let points = self.points(entry, ground);
        match which {
            0 => Some(Placement::Random),
            1 => Some(Placement::Grid { spacing }),
            2 => Some(Placement::Hex { spacing }),
            _ if entry.points.is_none() => {
                self.add(&entry.span, "placement = \"points\" without points", "add: points = [[x, y], ...]");
                None
            }
            _ => Some(Placement::Points(points)),
        }
    }

    fn points(&mut self, entry: &At<SourceFile>, ground: &Base<'_>) -> Vec<Point> {
        let mut points = Vec::new();
        for point in entry.points.iter().flat_map(|p| &p.value) {
            let Some(place) = self.place(point, ground.area.frame) else { continue };
            if !ground.area.contains(place) {
                self.add(
                    &point.span,
                    format!("({}, {}) is off the walkable area", point.value[0], point.value[1]),
                    "",
                );
            }
            points.push(place);
        }
        points
    }

    pub(super) fn agents(
        &mut self,
        file: &File,
        ground: &Base<'_>,
        names: &PeopleNames<'_>,
    ) -> Vec<PlacedAgent> {
        let mut agents = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for entry in file.agent.iter().flat_map(|list| &list.value) {
            if let Some(name) = entry.name.as_ref().filter(|n| !known.insert(n.value.clone())) {
                self.add(
                    &name.span,
                    format!("agent \"{}\" is defined twice", name.value),
                    "names must differ",
                );
            }
            let class = self.reference(entry.class.as_ref(), &names.classes.names, "class");
            let class = class.or(names.classes.names.get("adult").copied()).unwrap_or(0);
            let errand = self.errand(entry.goal.as_ref(), entry.journey.as_ref(), names);
            let speed = 0.01..=limit::SPEED_MPS;
            let speed_mps = self.optional_number(entry.speed_mps.as_ref(), speed, "a speed in m/s");
            let premovement_s =
                self.optional_number(entry.premovement_s.as_ref(), 0.0..=1.0e6, "a time in seconds");
            let from = self.tick(entry.at_s.as_ref(), ground);
            let Some(at) = &entry.at else {
                self.add(&entry.span, "an agent has no place", "add: at = [x, y]");
                continue;
            };
            let Some(place) = self.place(at, ground.area.frame) else { continue };
            agents.push(PlacedAgent {
                name: entry.name.as_ref().map(|n| n.value.clone()),
                at: place,
                class: ClassId::from_index(class),
                errand,
                speed_mps,
                premovement_s,
                from,
            });
        }
        agents.sort_by_cached_key(|a| (a.name.clone(), a.at.x, a.at.y, format!("{a:?}")));
        agents
    }

    pub(super) fn events(
        &mut self,
        file: &File,
        ground: &Base<'_>,
        names: &PeopleNames<'_>,
        doors: &Names,
    ) -> Vec<Command> {
        let mut events = Vec::new();
        for entry in file.event.iter().flat_map(|list| &list.value) {
            let Some(at_s) = &entry.at_s else {
                self.add(&entry.span, "an event has no time", "add: at_s = 30.0");
                continue;
            };
            let tick = self.tick(Some(at_s), ground);
            let action = self.action(entry, names, doors);
            events.extend(action.map(|action| Command { tick, action }));
        }
        events.sort_by_cached_key(|event| (event.tick, format!("{:?}", event.action)));
        events
    }

    fn action(&mut self, entry: &At<EventFile>, names: &PeopleNames<'_>, doors: &Names) -> Option<Action> {
        let things = [&entry.open, &entry.close, &entry.ground, &entry.release, &entry.move_goal];
        if things.into_iter().flatten().count() != 1 {
            let help = "open, close, ground, release or move_goal";
            self.add(&entry.span, "an event does exactly one thing", help);
            return None;
        }
        self.companions(entry);
        if let Some(door) = entry.open.as_ref().or(entry.close.as_ref()) {
            let door = DoorId::from_index(self.reference(Some(door), doors, "door")?);
            return Some(Action::SetDoor { door, open: entry.open.is_some() });
        }
        if entry.release.is_some() {
            let goal = self.reference(entry.release.as_ref(), names.goals, "goal")?;
            return Some(Action::Release { goal: GoalId::from_index(goal) });
        }
        let regions = names.regions.names();
        if entry.move_goal.is_some() {
            let goal = self.reference(entry.move_goal.as_ref(), names.goals, "goal");
            let to = match &entry.to {
                Some(_) => self.reference(entry.to.as_ref(), &regions, "region"),
                None => {
                    self.add(&entry.span, "a goal moves to a region", "add: to = \"region\"");
                    None
                }
            };
            let shape = ShapeSpec::Region(RegionId::from_index(to?));
            return Some(Action::MoveGoal { goal: GoalId::from_index(goal?), shape });
        }
        self.ground_change(entry, &regions, &names.classes.names)
    }

    /// Keys that mean something only beside others.
    fn companions(&mut self, entry: &EventFile) {
        let of_ground = [
            entry.price.as_ref().map(|p| &p.span),
            entry.speed.as_ref().map(|s| &s.span),
            entry.closed_to.as_ref().map(|c| &c.span),
            entry.open_to.as_ref().map(|o| &o.span),
        ];
        if let Some(span) = of_ground.into_iter().flatten().next().filter(|_| entry.ground.is_none()) {
            let help = "add: ground = \"region\", in an event of its own";
            self.add(span, "this belongs to a change of ground", help);
        }
        if let Some(to) = entry.to.as_ref().filter(|_| entry.move_goal.is_none()) {
            let help = "add: move_goal = \"goal\", in an event of its own";
            self.add(&to.span, "this belongs to a goal that moves", help);
        }
    }

    fn ground_change(&mut self, entry: &EventFile, regions: &Names, classes: &Names) -> Option<Action> {
        let region = self.reference(entry.ground.as_ref(), regions, "region");
        let price = self.optional_number(entry.price.as_ref(), 1.0..=limit::PRICE, "a price per metre");
        let speed = self.optional_number(entry.speed.as_ref(), 0.001..=1.0, "a factor on walking speed");
        let mut classes_of = |list: Option<&At<Vec<At<String>>>>| -> Vec<ClassId> {
            let known =
                list.iter().flat_map(|l| &l.value).filter_map(|n| self.reference(Some(n), classes, "class"));
            known.map(ClassId::from_index).collect()
        };
        let closed_to = classes_of(entry.closed_to.as_ref());
        let open_to = classes_of(entry.open_to.as_ref());
        let (price, speed) = (price.map(|p| p as f32), speed.map(|s| s as f32));
        Some(Action::SetGround { region: RegionId::from_index(region?), price, speed, closed_to, open_to })
    }
}

/// Rows of two numbers; a first row of words is a heading.
fn csv_rows(text: &str) -> Result<Vec<[f64; 2]>, String> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut cells = line.split(',').map(|cell| cell.trim().parse::<f64>().ok().filter(|v| v.is_finite()));
        match (cells.next().flatten(), cells.next().flatten(), cells.next()) {
            (Some(at_s), Some(count), None) => rows.push([at_s, count]),
            _ if number == 0 => {}
            _ => return Err(format!("line {}: \"{}\" is not seconds,count", number + 1, line.trim())),
        }
    }
    Ok(rows)
}
