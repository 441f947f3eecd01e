//! Classes, goals, journeys, sources, agents and events: who walks where, and when.

use super::super::file::value::{At, Table};
use super::super::file::words::{ArrivalWord, ChoiceWord, HeadingWord, OrderWord, PlacementWord, StreamWord};
use super::super::file::{EventFile, File, GoalFile, NumberFile, SPEED_MPS, SourceFile, StageFile, WAIT_S};
use super::super::{
    Action, Arrival, Choice, Class, Command, Distribution, Errand, Goal, GoalPlace, Journey, JourneyStage,
    PlacedAgent, Placement, ShapeSpec, Source, Supply,
};
use super::places::Regions;
use super::{Base, Check, Classes, Names, count, length, names_of, number};
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
            let core = length(entry.core_radius_m.as_ref());
            let comfort = length(entry.comfort_radius_m.as_ref());
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
            let speed_mps = self.distribution(entry.speed_mps.as_ref(), SPEED_MPS).unwrap_or(base.speed_mps);
            let premovement_s =
                self.distribution(entry.premovement_s.as_ref(), WAIT_S).unwrap_or(base.premovement_s);
            list.push(Class { name, core_radius, comfort_radius, speed_mps, premovement_s });
        }
        if !list.iter().any(|c| c.name == "adult") {
            list.push(adult());
        }
        list.sort_by(|a, b| a.name.cmp(&b.name));
        let names = names_of(list.iter().map(|c| &c.name));
        Classes { list, names }
    }

    /// What is drawn from, bounded by `[least, largest]` where it names no bounds of its own.
    fn distribution(
        &mut self,
        value: Option<&At<NumberFile>>,
        [least, largest]: [f64; 2],
    ) -> Option<Distribution> {
        let value = value?;
        let table = match &value.value {
            NumberFile::Fixed(number) => return Some(Distribution::Fixed(*number)),
            NumberFile::Drawn(table) => table,
        };
        let is_normal = table.mean.is_some() || table.sd.is_some();
        let kinds = [is_normal, table.uniform.is_some(), table.list.is_some(), table.lognormal.is_some()];
        if kinds.iter().filter(|k| **k).count() != 1 {
            let help = "one of { mean, sd, min, max }, { uniform = [a, b] }, { list = [...] }, { lognormal = [mu, sigma], min, max }";
            self.missing(&**table, "exactly one distribution belongs here", help);
            return None;
        }
        let (min, max) =
            (number(table.min.as_ref()).unwrap_or(least), number(table.max.as_ref()).unwrap_or(largest));
        let drawn = if let Some(uniform) = &table.uniform {
            Distribution::Uniform(uniform.value[0], uniform.value[1])
        } else if let Some(lognormal) = &table.lognormal {
            let [mu, sigma] = lognormal.value;
            if sigma < 0.0 {
                self.add(&lognormal.span, format!("{sigma} is no standard deviation"), "at least 0");
            }
            Distribution::LogNormal { mu, sigma, min, max }
        } else if let Some(list) = &table.list {
            if list.value.is_empty() {
                self.add(&list.span, "this list is empty", "at least one value");
                return None;
            }
            Distribution::List(list.value.iter().map(|v| v.value).collect())
        } else {
            let Some(mean) = number(table.mean.as_ref()) else {
                self.missing(&**table, "a normal distribution needs a mean", "add: mean = 1.34");
                return None;
            };
            Distribution::Normal { mean, sd: table.sd(), min, max }
        };
        let (low, high) = drawn.range();
        if low > high {
            let message = format!("no value lies between {low} and {high}");
            self.add(&value.span, message, "the least comes first");
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
            let fifo = entry.order() == OrderWord::Fifo;
            if fifo && entry.slots.is_none() {
                let message = format!("goal \"{name}\" is a queue without slots");
                self.missing(&entry.value, message, "add: slots = [[x, y], ...], the head first");
            }
            let capacity = count(entry.capacity.as_ref());
            let place = place.unwrap_or(GoalPlace::Shapes(Vec::new()));
            if matches!(place, GoalPlace::Heading { .. }) && arrival != Arrival::Leave {
                self.add(&entry.span, "nobody arrives at a heading", "leave arrival out");
            }
            goals.push(Goal { name, place, arrival, slots, fifo, capacity });
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
                    "choose a place within the area and off obstacles",
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
            self.missing(entry, "a goal needs exactly one place", help);
            return None;
        }
        if let Some(heading) = &entry.heading {
            if ground.area.topology.period_x.is_none() {
                self.add(&heading.span, "a heading needs a ring", "add: [periodic] x = true");
            }
            return Some(GoalPlace::Heading { rightwards: heading.value == HeadingWord::Rightwards });
        }
        let near = units(entry.arrive_within_m()).unwrap_or(UNITS_PER_METRE);
        if let Some(at) = &entry.at {
            let centre = self.place(at, ground.area.frame)?;
            if !ground.area.contains(centre) {
                self.add(
                    &at.span,
                    format!("({}, {}) is off the walkable area", at.value[0], at.value[1]),
                    "choose a place within the area and off obstacles",
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
        let arrival = entry.arrival();
        if let Some(wait_s) = entry.wait_s.as_ref().filter(|_| arrival != ArrivalWord::Wait) {
            let message = "wait_s without arrival = \"wait\" has no effect";
            self.add(&wait_s.span, message, "add: arrival = \"wait\"");
        }
        match arrival {
            ArrivalWord::Leave => Arrival::Leave,
            ArrivalWord::Stay => Arrival::Stay,
            ArrivalWord::Wait => {
                Arrival::Wait { wait_ms: number(entry.wait_s.as_ref()).map(|s| (s * 1000.0).round() as u64) }
            }
        }
    }

    pub(super) fn journeys(&mut self, file: &File, goals: &Names) -> (Vec<Journey>, Names) {
        let entries = self.by_name(file.journey.as_ref(), "journey", |j| j.name.as_ref());
        let names = names_of(entries.iter().map(|(name, _)| name));
        let mut journeys = Vec::new();
        for (name, entry) in entries {
            let written: &[At<StageFile>] = entry.stages.as_ref().map_or(&[], |s| &s.value);
            if written.is_empty() {
                let message = format!("journey \"{name}\" has no stages");
                self.missing(&entry.value, message, "add: stages = [\"goal\", ...]");
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
            self.missing(&choice.value, "this stage names no goal", "add: one_of = [\"goal\", ...]");
            return None;
        }
        let found: Vec<GoalId> = names
            .iter()
            .filter_map(|n| self.reference(Some(n), goals, "goal"))
            .map(GoalId::from_index)
            .collect();
        let shares: Vec<f64> = choice.shares.iter().flat_map(|s| &s.value).map(|s| s.value).collect();
        let choice = match choice.by() {
            ChoiceWord::Share => {
                let total: f64 = shares.iter().sum();
                if shares.len() != names.len() || total <= 0.0 {
                    let message = "shares must be one number of at least 0 for each goal";
                    self.missing(&choice.value, message, "for example shares = [2, 1]");
                    return None;
                }
                Choice::Share(shares.iter().map(|s| s / total).collect())
            }
            ChoiceWord::LeastOccupied => Choice::LeastOccupied,
            ChoiceWord::Cost => Choice::Cost,
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
            let region =
                self.required_reference(entry.region.as_ref(), &region_names, "region", &entry.value);
            let classes = self.class_shares(entry, names.classes);
            let errand = self.errand(entry.goal.as_ref(), entry.journey.as_ref(), names);
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
                gap: units(entry.gap_m()).unwrap_or(0),
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
            shares.extend(class.map(|class| (ClassId::from_index(class), share.value)));
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
        let density = number(entry.density_per_m2.as_ref());
        let count_in_all = count(entry.count.as_ref()).or(density.map(|d| (d * area_m2).round() as u32));
        if let (Some(_), Some(density)) = (&entry.count, &entry.density_per_m2) {
            self.add(&density.span, "count and density_per_m2 are given", "give one of them");
        }
        let schedule = self.schedule(entry, ground);
        let rate = number(entry.rate_per_s.as_ref());
        let from = self.tick(entry.at_s.as_ref(), ground);
        let ways = [schedule.is_some(), entry.rate_per_s.is_some(), entry.inside.is_some()];
        if ways.iter().filter(|w| **w).count() > 1 {
            self.add(&entry.span, "a source gives agents in one way", "rate_per_s, inside or a schedule");
            return None;
        }
        for (key, given) in [("from_s", &entry.from_s), ("until_s", &entry.until_s)] {
            if let Some(given) = given.as_ref().filter(|_| rate.is_none() && entry.is_whole()) {
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
            return Some(Supply::Keep { inside: count(entry.inside.as_ref())?, from });
        }
        if let Some(per_s) = rate {
            let ms = |s: f64| (s * 1000.0).round() as u64;
            let from_s = entry.from_s();
            if let Some(until) = entry.until_s.as_ref().filter(|u| u.value <= from_s) {
                self.add(&until.span, "the stream ends before it begins", "until_s must be after from_s");
            }
            return Some(Supply::Rate {
                per_s,
                from_ms: ms(from_s),
                until_ms: number(entry.until_s.as_ref()).map(ms),
                poisson: entry.arrivals() == StreamWord::Poisson,
                count: count_in_all,
            });
        }
        let Some(count) = count_in_all else {
            let help = "add: count, density_per_m2, inside, rate_per_s or schedule";
            self.missing(&entry.value, "the source does not say how many", help);
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
        let spacing = length(entry.spacing_m.as_ref()).unwrap_or((2 * comfort + 1_000).max(1_000));
        let points = self.points(entry, ground);
        match entry.placement() {
            PlacementWord::Random => Some(Placement::Random),
            PlacementWord::Grid => Some(Placement::Grid { spacing }),
            PlacementWord::Hex => Some(Placement::Hex { spacing }),
            PlacementWord::Points if entry.points.is_none() => {
                let message = "placement = \"points\" without points";
                self.missing(&entry.value, message, "add: points = [[x, y], ...]");
                None
            }
            PlacementWord::Points => Some(Placement::Points(points)),
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
                    "choose a place within the area and off obstacles",
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
            let from = self.tick(entry.at_s.as_ref(), ground);
            let Some(at) = &entry.at else {
                self.missing(&entry.value, "an agent has no place", "add: at = [x, y]");
                continue;
            };
            let Some(place) = self.place(at, ground.area.frame) else { continue };
            agents.push(PlacedAgent {
                name: entry.name.as_ref().map(|n| n.value.clone()),
                at: place,
                class: ClassId::from_index(class),
                errand,
                speed_mps: number(entry.speed_mps.as_ref()),
                premovement_s: number(entry.premovement_s.as_ref()),
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
                self.missing(&entry.value, "an event has no time", "add: at_s = 30.0");
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
            self.missing(&entry.value, "an event does exactly one thing", help);
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
                    self.missing(&entry.value, "a goal moves to a region", "add: to = \"region\"");
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
        let mut classes_of = |list: Option<&At<Vec<At<String>>>>| -> Vec<ClassId> {
            let known =
                list.iter().flat_map(|l| &l.value).filter_map(|n| self.reference(Some(n), classes, "class"));
            known.map(ClassId::from_index).collect()
        };
        let closed_to = classes_of(entry.closed_to.as_ref());
        let open_to = classes_of(entry.open_to.as_ref());
        let narrow = |value: &Option<At<f64>>| number(value.as_ref()).map(|v| v as f32);
        let (price, speed) = (narrow(&entry.price), narrow(&entry.speed));
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
