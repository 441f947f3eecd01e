//! Guidance, congestion, motion, steering and expectations.

use super::super::file::value::At;
use super::super::file::words::{DirectionWord, DistanceWord, ModelWord};
use super::super::file::{
    CongestionFile, ExpectFile, File, GuidanceFile, MotionFile, PublishFile, SteeringFile,
};
use super::super::{Congestion, Expect, ExpectExit, ExpectFlow, ExpectMeasure, Motion, Steering};
use super::{Check, Names, count, number};
use crate::base::{GoalId, LineId, MeasureId};
use crate::field::{Compass, Derivation, Guidance, Neighbourhood, Publish, Solver, TieOrder};

/// Names that expectations refer to.
pub(super) struct ExpectNames<'a> {
    pub(super) lines: &'a Names,
    pub(super) measures: &'a Names,
    pub(super) goals: &'a Names,
}

impl Check<'_> {
    pub(super) fn guidance(&mut self, file: &File) -> Guidance {
        let absent = GuidanceFile::default();
        let table = file.guidance.as_deref().unwrap_or(&absent);
        self.later_guidance(table);
        let solver = self.solver(table);
        self.accuracy(table, &solver);
        Guidance {
            neighbours: self.neighbours(table, &solver),
            solver,
            order: table.order() as u8,
            factored: table.factored(),
            diagonal: table.diagonal(),
            derivation: self.derivation(table),
            sampling: table.sampling(),
            wall_fallback: table.wall_fallback(),
            tie_order: self.tie_order(table),
            line_of_sight: table.line_of_sight(),
            publish: publish(table),
            cache_bytes: (table.cache_mb() * 1.0e6) as u64,
            ..Guidance::default()
        }
    }

    /// Values whose effect comes later.
    fn later_guidance(&mut self, table: &GuidanceFile) {
        if let Some(tiles) = table.tile_cells.as_ref().filter(|_| table.tile_cells() > 0) {
            self.not_yet(&tiles.span, "solving by tiles");
        }
    }

    /// Order and factoring, which only the eikonal solvers have.
    fn accuracy(&mut self, table: &GuidanceFile, solver: &Solver) {
        if matches!(solver, Solver::FastMarching | Solver::FastSweeping | Solver::FastIterative) {
            return;
        }
        let help = "fast-marching, fast-sweeping or fast-iterative as distance";
        if let Some(order) = table.order.as_ref().filter(|o| o.value == 2) {
            self.add(&order.span, "this distance has no second order", help);
        }
        if let Some(factored) = table.factored.as_ref().filter(|f| f.value) {
            self.add(&factored.span, "this distance cannot be factored", help);
        }
    }

    fn solver(&mut self, table: &GuidanceFile) -> Solver {
        let kernel = table.kernel.as_ref();
        let plain = match table.distance() {
            DistanceWord::Labels => Some(Solver::Labels),
            DistanceWord::Dijkstra => Some(Solver::Dijkstra),
            DistanceWord::BucketDijkstra => Some(Solver::BucketDijkstra),
            DistanceWord::Kernel => None,
            DistanceWord::FastMarching => Some(Solver::FastMarching),
            DistanceWord::FastSweeping => Some(Solver::FastSweeping),
            DistanceWord::FastIterative => Some(Solver::FastIterative),
        };
        if let Some(solver) = plain {
            if let Some(kernel) = kernel {
                self.add(&kernel.span, "a kernel without distance = \"kernel\" has no effect", "add it");
            }
            return solver;
        }
        let Some(kernel) = kernel else {
            let help = "for example kernel = [[4, 3, 4], [3, 0, 3], [4, 3, 4]]";
            self.missing(table, "distance = \"kernel\" needs a kernel", help);
            return Solver::default();
        };
        let rows: Vec<[f64; 3]> = kernel.value.iter().map(|row| row.value).collect();
        let Ok(matrix) = <[[f64; 3]; 3]>::try_from(rows) else {
            self.add(&kernel.span, "a kernel is a 3x3 matrix", "three rows of three numbers");
            return Solver::default();
        };
        let weights = || matrix.iter().flatten().enumerate().filter(|(i, _)| *i != 4).map(|(_, w)| *w);
        if weights().any(|w| w != 0.0 && !(1.0e-3..=1.0e6).contains(&w)) || weights().all(|w| w == 0.0) {
            self.add(
                &kernel.span,
                "kernel weights must be 0 (no move) or from 0.001 to 1000000",
                "the middle is ignored",
            );
        }
        Solver::Kernel(matrix)
    }

    fn derivation(&mut self, table: &GuidanceFile) -> Derivation {
        let direction = table.direction();
        if let Some(weight) = table.weight.as_ref().filter(|_| direction != DirectionWord::Weighted) {
            self.add(&weight.span, "a weight without direction = \"weighted\" has no effect", "add it");
        }
        match direction {
            DirectionWord::Parent => Derivation::Parent,
            DirectionWord::BestNeighbour => Derivation::BestNeighbour,
            DirectionWord::Sobel => Derivation::Sobel,
            DirectionWord::Weighted => Derivation::Weighted(table.weight()),
            DirectionWord::Gradient => Derivation::Gradient,
            DirectionWord::OnDemand => Derivation::OnDemand,
        }
    }

    fn neighbours(&mut self, table: &GuidanceFile, solver: &Solver) -> Neighbourhood {
        let is_labels = *solver == Solver::Labels;
        let Some(neighbours) = &table.neighbours else {
            return if is_labels { Neighbourhood::Four } else { Neighbourhood::Eight };
        };
        match neighbours.value {
            4 => Neighbourhood::Four,
            8 if is_labels => {
                self.add(
                    &neighbours.span,
                    "labels know four neighbours",
                    "neighbours = 4, or another distance",
                );
                Neighbourhood::Four
            }
            8 => Neighbourhood::Eight,
            other => {
                self.add(&neighbours.span, format!("{other} neighbours are not known"), "4 or 8");
                Neighbourhood::Eight
            }
        }
    }

    fn tie_order(&mut self, table: &GuidanceFile) -> TieOrder {
        let order = table.tie_order();
        let compass = |letter: char| match letter {
            'N' => Some(Compass::North),
            'E' => Some(Compass::East),
            'S' => Some(Compass::South),
            'W' => Some(Compass::West),
            _ => None,
        };
        let mut found: Vec<Compass> = Vec::new();
        for direction in order.chars().filter_map(compass) {
            if !found.contains(&direction) {
                found.push(direction);
            }
        }
        match <[Compass; 4]>::try_from(found) {
            Ok(directions) if order.len() == 4 => TieOrder(directions),
            _ => {
                let span = table.tie_order.as_ref().map_or(0..0, |order| order.span.clone());
                let message = format!("\"{order}\" is no tie order");
                self.add(&span, message, "N, E, S and W, each once, as in \"NESW\"");
                TieOrder::default()
            }
        }
    }

    pub(super) fn expect(&mut self, file: &File, names: &ExpectNames<'_>) -> Expect {
        let Some(table) = &file.expect else { return Expect::default() };
        let digest = table.digest.as_ref().and_then(|digest| match digest.parse() {
            Ok(digest) => Some(digest),
            Err(message) => {
                self.add(&digest.span, message, "\"throng check --bless\" writes it");
                None
            }
        });
        Expect {
            all_arrived_by_s: number(table.all_arrived_by_s.as_ref()),
            max_overlap_m: number(table.max_overlap_m.as_ref()),
            digest,
            unreachable: count(table.unreachable.as_ref()),
            stuck: count(table.stuck.as_ref()),
            blocked: count(table.blocked.as_ref()),
            settled: count(table.settled.as_ref()),
            waiting: count(table.waiting.as_ref()),
            travel_p95_s: number(table.travel_p95_s.as_ref()),
            flows: self.expect_flows(table, names.lines),
            measures: self.expect_measures(table, names.measures),
            exits: self.expect_exits(table, names.goals),
        }
    }

    fn expect_flows(&mut self, table: &ExpectFile, lines: &Names) -> Vec<ExpectFlow> {
        let mut flows = Vec::new();
        for entry in table.flow.iter().flat_map(|list| &list.value) {
            let line = self.required_reference(entry.line.as_ref(), lines, "line", &entry.value);
            let Some(line) = line else { continue };
            flows.push(ExpectFlow {
                line: LineId::from_index(line),
                min_per_s: number(entry.min_per_s.as_ref()),
                max_per_s: number(entry.max_per_s.as_ref()),
                count_min: count(entry.count_min.as_ref()),
                count_max: count(entry.count_max.as_ref()),
            });
        }
        flows.sort_by_cached_key(|f: &ExpectFlow| (f.line, format!("{f:?}")));
        flows
    }

    fn expect_measures(&mut self, table: &ExpectFile, known: &Names) -> Vec<ExpectMeasure> {
        let mut measures = Vec::new();
        for entry in table.measure.iter().flat_map(|list| &list.value) {
            let measure = self.required_reference(entry.measure.as_ref(), known, "measure", &entry.value);
            let Some(measure) = measure else { continue };
            measures.push(ExpectMeasure {
                measure: MeasureId::from_index(measure),
                density_max: number(entry.density_max.as_ref()),
                speed_min: number(entry.speed_min.as_ref()),
            });
        }
        measures.sort_by_cached_key(|m: &ExpectMeasure| (m.measure, format!("{m:?}")));
        measures
    }

    fn expect_exits(&mut self, table: &ExpectFile, goals: &Names) -> Vec<ExpectExit> {
        let mut exits = Vec::new();
        for entry in table.exit.iter().flat_map(|list| &list.value) {
            let goal = self.required_reference(entry.goal.as_ref(), goals, "goal", &entry.value);
            let Some(goal) = goal else { continue };
            exits.push(ExpectExit {
                goal: GoalId::from_index(goal),
                share_min: number(entry.share_min.as_ref()),
                share_max: number(entry.share_max.as_ref()),
            });
        }
        exits.sort_by_cached_key(|e: &ExpectExit| (e.goal, format!("{e:?}")));
        exits
    }
}

fn publish(table: &GuidanceFile) -> Publish {
    match &table.publish {
        Some(At { value: PublishFile::After(after), .. }) if after.after_ticks() > 0 => {
            Publish::AfterTicks(after.after_ticks() as u32)
        }
        _ => Publish::SameTick,
    }
}

pub(super) fn congestion(file: &File) -> Congestion {
    file.congestion.as_deref().map_or_else(Congestion::default, Congestion::from)
}

pub(super) fn motion(file: &File) -> Motion {
    match file.motion.as_deref().unwrap_or(&MotionFile::default()).model() {
        ModelWord::Layered => Motion::Layered,
        ModelWord::TileSteps => Motion::TileSteps,
        ModelWord::FieldOnly => Motion::FieldOnly,
    }
}

pub(super) fn steering(file: &File) -> Steering {
    file.steering.as_deref().map_or_else(Steering::default, Steering::from)
}

impl From<&SteeringFile> for Steering {
    fn from(table: &SteeringFile) -> Self {
        Self {
            enabled: table.enabled(),
            relaxation_s: table.relaxation_s(),
            reach_m: table.reach_m() as f32,
            push_per_s: table.push_per_s() as f32,
            push_from_behind: table.push_from_behind() as f32,
            push_max_mps: table.push_max_mps() as f32,
            wedge_mps: table.wedge_mps() as f32,
            wedge_max_m: table.wedge_max_m() as f32,
            bend: table.bend() as f32,
            bend_reach_m: table.bend_reach_m() as f32,
            wall_bend_reach_m: table.wall_bend_reach_m() as f32,
            time_gap_s: table.time_gap_s() as f32,
            time_gap_impatient_s: table.time_gap_impatient_s() as f32,
            lane: table.lane() as f32,
            lane_impatient: table.lane_impatient() as f32,
            contact_s: table.contact_s() as f32,
            impatience_below: table.impatience_below() as f32,
            impatience_rise_s: table.impatience_rise_s(),
            impatience_fall_s: table.impatience_fall_s(),
            sidestep_mps: table.sidestep_mps() as f32,
            sidestep_margin_m: table.sidestep_margin_m() as f32,
            overtake_mps: table.overtake_mps() as f32,
            sidestep_max_mps: table.sidestep_max_mps() as f32,
        }
    }
}

impl From<&CongestionFile> for Congestion {
    fn from(table: &CongestionFile) -> Self {
        Self { enabled: table.enabled(), update_s: table.update_s() }
    }
}
