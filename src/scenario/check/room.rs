//! Whether everybody who is to appear finds room.

use super::super::file::value::At;
use super::super::file::{AgentFile, File};
use super::super::{Arrival, GoalPlace, Motion, Placement, Scenario, Source, Supply};
use super::Check;
use crate::base::{ClassId, Point, Tick, limit, metres};
use crate::space::{Body, Shape, Solid, Terrain};
use std::ops::Range;

impl Check<'_> {
    /// Whether everybody who is to appear has room: not one body of a source, or an agent in a wall or in another.
    pub(super) fn check_room(&mut self, file: &File, scenario: &Scenario) {
        let solids = scenario
            .doors
            .iter()
            .map(|d| Solid { shape: scenario.region(d.region).shape.clone(), closed: !d.open });
        let radius = scenario.largest_core_radius();
        let terrain = Terrain::new(scenario.area.clone(), solids.collect(), radius + 10_000);
        let written = |name: &str| {
            let sources = file.source.iter().flat_map(|list| &list.value);
            sources
                .filter(|s| s.name.as_ref().is_some_and(|n| n.value == name))
                .map(|s| s.span.clone())
                .next()
        };
        for source in &scenario.sources {
            let region = scenario.region(source.region);
            if region.shape.bounds().is_none() {
                continue;
            }
            // A body that never fits would hold up everybody behind it, so each class is asked for.
            for class in source.classes.iter().map(|(class, _)| scenario.class(*class)) {
                if !has_room(scenario, source, &terrain, class.core_radius) {
                    let span = written(&source.name).unwrap_or(0..0);
                    let (name, class, region) = (&source.name, &class.name, &region.name);
                    let message = format!(
                        "not one body of source \"{name}\" (class \"{class}\") fits into region \"{region}\""
                    );
                    self.add(&span, message, "make the region larger, or the bodies or gap_m smaller");
                }
            }
        }
        self.check_stays(file, scenario);
        self.check_tiles(file, scenario);
        self.check_total(scenario);
        self.check_agent_room(file, scenario, &terrain);
    }

    /// Who is to stay or wait in a region needs a place in it; doors may open.
    fn check_stays(&mut self, file: &File, scenario: &Scenario) {
        let in_use = scenario.classes_in_use();
        let radius = in_use.iter().map(|&class| scenario.class(class).core_radius).min().unwrap_or(0);
        let bare = Terrain::new(scenario.area.clone(), Vec::new(), radius + 10_000);
        for entry in file.goal.iter().flat_map(|list| &list.value).filter(|goal| goal.at.is_none()) {
            let goal = entry.name.as_ref().and_then(|name| scenario.goal_named(name));
            let Some(goal) = goal.map(|id| scenario.goal(id)) else { continue };
            let GoalPlace::Shapes(shapes) = &goal.place else { continue };
            let has_place =
                |shape: &Shape| shape.find_place(radius, |at| bare.is_free(Body { at, radius })).is_some();
            let is_known = shapes.iter().any(|shape| shape.bounds().is_some());
            if goal.arrival != Arrival::Leave
                && goal.slots.is_empty()
                && is_known
                && !shapes.iter().any(has_place)
            {
                let message =
                    format!("nobody can stay in goal \"{}\": no body fits into its region", goal.name);
                self.add(&entry.span, message, "make the region larger, or give slots");
            }
        }
    }

    /// Tiles are reserved whole: a body wider than a tile would reach into its neighbour's.
    fn check_tiles(&mut self, file: &File, scenario: &Scenario) {
        if scenario.motion != Motion::TileSteps {
            return;
        }
        let span = file.motion.as_ref().map_or(0..0, |m| m.span.clone());
        if let Some(goal) = scenario.goals.iter().find(|g| g.arrival != Arrival::Leave || !g.slots.is_empty())
        {
            let message =
                format!("tile-steps know no places to stay or wait, and goal \"{}\" has some", goal.name);
            self.add(&span, message, "arrival = \"leave\" without slots, or model = \"layered\"");
        }
        let classes = scenario.classes_in_use().into_iter();
        let told = scenario.agents.iter().filter_map(|a| a.speed_mps);
        let drawn = classes.clone().map(|class| scenario.class(class).speed_mps.range().1);
        let fastest = drawn.chain(told).fold(0.0, f64::max);
        let per_tick = fastest * f64::from(scenario.clock.tick_ms) / 1000.0;
        if per_tick > metres(scenario.grid.cell) + 1.0e-9 {
            let help = "make cell_m larger, tick_ms smaller, or the speed lower";
            self.add(&span, format!("at {fastest} m/s a body moves more than a tile a tick"), help);
        }
        for agent in file.agent.iter().flat_map(|list| &list.value) {
            let Some(at) = &agent.at else { continue };
            let Some(place) = scenario.area.frame.place(at.value[0], at.value[1]) else { continue };
            let middle = scenario.place_to_start(place);
            if middle != place {
                let [x, y] = scenario.area.frame.metres(middle);
                let message = format!("({}, {}) is not the middle of a tile", at.value[0], at.value[1]);
                self.add(&at.span, message, format!("with tile-steps one starts there: ({x}, {y})"));
            }
        }
        let widest = classes.map(|class| scenario.class(class).core_radius).max().unwrap_or(0);
        if 2 * widest > scenario.grid.cell && scenario.reservation.enabled {
            let help = "make cell_m at least twice the core radius, or set [reservation] enabled = false";
            self.add(&span, "a body is wider than a tile", help);
        }
    }

    fn check_total(&mut self, scenario: &Scenario) {
        let of_source = |source: &Source| match &source.supply {
            Supply::Schedule(entries) => entries.iter().map(|e| u64::from(e.1)).sum(),
            Supply::Keep { inside, .. } => u64::from(*inside),
            Supply::Rate { .. } => 0,
        };
        let total = scenario.sources.iter().map(of_source).sum::<u64>() + scenario.agents.len() as u64;
        if total > limit::AGENTS {
            self.add(
                &(0..0),
                format!("{total} agents are too many"),
                format!("at most {} in one run", limit::AGENTS),
            );
        }
    }

    fn check_agent_room(&mut self, file: &File, scenario: &Scenario, terrain: &Terrain) {
        let entries: Vec<&At<AgentFile>> = file.agent.iter().flat_map(|l| &l.value).collect();
        let mut bodies: Vec<(Point, i32, Tick, Range<usize>)> = Vec::new();
        for entry in entries {
            let Some(at) = &entry.at else { continue };
            let Some(place) = scenario.area.frame.place(at.value[0], at.value[1]) else { continue };
            let class = entry.class.as_ref().and_then(|c| scenario.class_named(&c.value));
            let class = class.or(scenario.class_named("adult")).unwrap_or(ClassId(0));
            let radius = scenario.class(class).core_radius;
            if !terrain.is_free(Body { at: place, radius }) {
                let what =
                    if terrain.contains(place) { "stands in a wall" } else { "is off the walkable area" };
                let message = format!("an agent at ({}, {}) {what}", at.value[0], at.value[1]);
                self.add(&at.span, message, format!("its core has a radius of {} m", metres(radius)));
            }
            bodies.push((
                place,
                radius,
                scenario.clock.tick_at(entry.at_s.as_ref().map_or(0.0, |a| a.value)),
                at.span.clone(),
            ));
        }
        if !scenario.reservation.enabled {
            return;
        }
        bodies.sort_by_key(|b| (b.0.x, b.3.start));
        let largest = scenario.largest_core_radius();
        for (i, (at, radius, from, span)) in bodies.iter().enumerate() {
            let near = bodies[..i].iter().rev().take_while(|b| at.x - b.0.x <= radius + largest);
            let meets = |b: &&(Point, i32, Tick, Range<usize>)| {
                b.2 == *from && scenario.area.topology.displacement(b.0, *at).is_shorter_than(radius + b.1)
            };
            if near.into_iter().any(|b| meets(&b)) {
                self.add(span, "two agents start in one place", "move one, or start it later");
            }
        }
    }
}

/// Whether a body fits somewhere in the source's region: at its points, or on a fine lattice over it.
fn has_room(scenario: &Scenario, source: &Source, terrain: &Terrain, radius: i32) -> bool {
    let shape = &scenario.region(source.region).shape;
    let gap = if scenario.reservation.enabled { source.gap } else { 0 };
    if let Placement::Points(points) = &source.placement {
        return points.iter().any(|&at| terrain.is_free(Body { at: scenario.place_to_start(at), radius }));
    }
    let fits = |at: Point| {
        let at = scenario.place_to_start(at);
        shape.contains(at) && terrain.is_free(Body { at, radius: radius + gap })
    };
    shape.find_place(radius, fits).is_some()
}
