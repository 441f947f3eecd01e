//! Guidance, congestion, motion, steering and expectations.

use super::super::file::{ExpectFile, File, GuidanceFile, PublishFile};
use super::super::value::{At, word};
use super::super::{Congestion, Expect, ExpectExit, ExpectFlow, ExpectMeasure, Motion, Steering};
use super::{Check, Names};
use crate::base::{GoalId, LineId, MeasureId, limit};
use crate::field::{
    Compass, Derivation, Diagonal, Guidance, Neighbourhood, Publish, Sampling, Solver, TieOrder,
    WallFallback, Weight,
};

/// Names that expectations refer to.
pub(super) struct ExpectNames<'a> {
    pub(super) lines: &'a Names,
    pub(super) measures: &'a Names,
    pub(super) goals: &'a Names,
}

impl Check<'_> {
    pub(super) fn guidance(&mut self, file: &File) -> Guidance {
        let mut guidance = Guidance::default();
        let Some(table) = &file.guidance else { return guidance };
        self.later_guidance(table);
        let choose = &mut self.problems;
        let diagonals =
            [("strict", Diagonal::Strict), ("one-flank", Diagonal::OneFlank), ("free", Diagonal::Free)];
        let samplings = [("nearest", Sampling::Nearest), ("bilinear", Sampling::Bilinear)];
        let fallbacks = [("neutral", WallFallback::Neutral), ("best-neighbour", WallFallback::BestNeighbour)];
        guidance.diagonal =
            table.diagonal.as_ref().and_then(|d| word(d, &diagonals, choose)).unwrap_or(guidance.diagonal);
        guidance.sampling =
            table.sampling.as_ref().and_then(|s| word(s, &samplings, choose)).unwrap_or(guidance.sampling);
        guidance.wall_fallback = table
            .wall_fallback
            .as_ref()
            .and_then(|f| word(f, &fallbacks, choose))
            .unwrap_or(guidance.wall_fallback);
        guidance.solver = self.solver(table);
        self.accuracy(table, &mut guidance);
        guidance.derivation = self.derivation(table);
        guidance.neighbours = self.neighbours(table, &guidance.solver);
        guidance.tie_order = table.tie_order.as_ref().map_or(guidance.tie_order, |t| self.tie_order(t));
        guidance.line_of_sight = table.line_of_sight.as_ref().is_some_and(|l| l.value);
        guidance.publish = self.publish(table);
        let what = "a size in megabytes";
        let cache = self.optional_number(table.cache_mb.as_ref(), 0.0..=1.0e6, what);
        guidance.cache_bytes = cache.map_or(guidance.cache_bytes, |mb| (mb * 1.0e6) as u64);
        guidance
    }

    /// Keys whose effect comes later.
    fn later_guidance(&mut self, table: &GuidanceFile) {
        if let Some(tiles) = table.tile_cells.as_ref().filter(|t| t.value > 0) {
            self.not_yet(&tiles.span, "solving by tiles");
        }
    }

    fn publish(&mut self, table: &GuidanceFile) -> Publish {
        match table.publish.as_ref().map(|p| &p.value) {
            Some(PublishFile::Word(name)) => {
                word(name, &[("same-tick", Publish::SameTick)], &mut self.problems).unwrap_or_default()
            }
            Some(PublishFile::After(after)) => {
                let Some(ticks) = after.after_ticks.as_ref() else { return Publish::SameTick };
                let most = u64::from(limit::TICKS);
                if ticks.value > most {
                    self.add(&ticks.span, "a run has no more ticks", format!("at most {most}"));
                }
                match ticks.value.min(most) as u32 {
                    0 => Publish::SameTick,
                    ticks => Publish::AfterTicks(ticks),
                }
            }
            None => Publish::SameTick,
        }
    }

    /// Order and factoring, which only the eikonal solvers have.
    fn accuracy(&mut self, table: &GuidanceFile, guidance: &mut Guidance) {
        let is_eikonal =
            matches!(guidance.solver, Solver::FastMarching | Solver::FastSweeping | Solver::FastIterative);
        let allowed = "fast-marching, fast-sweeping or fast-iterative as distance";
        if let Some(order) = &table.order {
            match order.value {
                1 => {}
                2 if is_eikonal => guidance.order = 2,
                2 => self.add(&order.span, "this distance has no second order", allowed),
                other => self.add(&order.span, format!("order {other} is not known"), "1 or 2"),
            }
        }
        if let Some(factored) = table.factored.as_ref().filter(|f| f.value) {
            guidance.factored = is_eikonal;
            if !is_eikonal {
                self.add(&factored.span, "this distance cannot be factored", allowed);
            }
        }
    }

    fn solver(&mut self, table: &GuidanceFile) -> Solver {
        let kernel = table.kernel.as_ref();
        let known = [
            ("labels", Solver::Labels),
            ("dijkstra", Solver::Dijkstra),
            ("bucket-dijkstra", Solver::BucketDijkstra),
            ("kernel", Solver::Kernel([[0.0; 3]; 3])),
            ("fast-marching", Solver::FastMarching),
            ("fast-sweeping", Solver::FastSweeping),
            ("fast-iterative", Solver::FastIterative),
        ];
        let solver =
            table.distance.as_ref().and_then(|d| word(d, &known, &mut self.problems)).unwrap_or_default();
        if !matches!(solver, Solver::Kernel(_)) {
            if let Some(kernel) = kernel {
                self.add(&kernel.span, "a kernel without distance = \"kernel\" has no effect", "add it");
            }
            return solver;
        }
        let Some(kernel) = kernel else {
            self.add(
                &table.span,
                "distance = \"kernel\" needs a kernel",
                "for example kernel = [[4, 3, 4], [3, 0, 3], [4, 3, 4]]",
            );
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
        let weights = [
            ("inverse", Weight::Inverse),
            ("inverse-square", Weight::InverseSquare),
            ("exponential", Weight::Exponential),
            ("softmin", Weight::Softmin),
        ];
        let weight = table.weight.as_ref().and_then(|w| word(w, &weights, &mut self.problems));
        if let Some(weight) =
            table.weight.as_ref().filter(|_| table.direction.as_ref().is_none_or(|d| d.value != "weighted"))
        {
            self.add(&weight.span, "a weight without direction = \"weighted\" has no effect", "add it");
        }
        let known = [
            ("parent", Derivation::Parent),
            ("best-neighbour", Derivation::BestNeighbour),
            ("sobel", Derivation::Sobel),
            ("weighted", Derivation::Weighted(weight.unwrap_or_default())),
            ("gradient", Derivation::Gradient),
            ("on-demand", Derivation::OnDemand),
        ];
        table.direction.as_ref().and_then(|d| word(d, &known, &mut self.problems)).unwrap_or_default()
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

    fn tie_order(&mut self, order: &At<String>) -> TieOrder {
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
                self.add(
                    &order.span,
                    format!("\"{}\" is no tie order", order.value),
                    "N, E, S and W, each once, as in \"NESW\"",
                );
                TieOrder::default()
            }
        }
    }

    pub(super) fn congestion(&mut self, file: &File) -> Congestion {
        let mut congestion = Congestion::default();
        if let Some(table) = &file.congestion {
            congestion.enabled = table.enabled.as_ref().map_or(congestion.enabled, |e| e.value);
            let what = "a time in seconds";
            congestion.update_s =
                self.number(table.update_s.as_ref(), congestion.update_s, 0.01..=3600.0, what);
        }
        congestion
    }

    pub(super) fn motion(&mut self, file: &File) -> Motion {
        let Some(model) = file.motion.as_ref().and_then(|m| m.model.as_ref()) else {
            return Motion::default();
        };
        if model.value == "social-force" {
            self.not_yet(&model.span, "the social force model");
            return Motion::default();
        }
        let known = [
            ("layered", Motion::Layered),
            ("tile-steps", Motion::TileSteps),
            ("field-only", Motion::FieldOnly),
        ];
        word(model, &known, &mut self.problems).unwrap_or_default()
    }

    pub(super) fn steering(&mut self, file: &File) -> Steering {
        let mut s = Steering::default();
        let Some(table) = &file.steering else { return s };
        s.enabled = table.enabled.as_ref().map_or(s.enabled, |e| e.value);
        for (target, value, range) in [
            (&mut s.relaxation_s, &table.relaxation_s, 0.0..=10.0),
            (&mut s.impatience_rise_s, &table.impatience_rise_s, 0.0..=600.0),
            (&mut s.impatience_fall_s, &table.impatience_fall_s, 0.0..=600.0),
        ] {
            *target = self.number(value.as_ref(), *target, range, "a time in seconds");
        }
        for (target, value, range) in [
            (&mut s.reach_m, &table.reach_m, 0.5..=10.0),
            (&mut s.push_per_s, &table.push_per_s, 0.0..=50.0),
            (&mut s.push_from_behind, &table.push_from_behind, 0.0..=1.0),
            (&mut s.push_max_mps, &table.push_max_mps, 0.0..=5.0),
            (&mut s.wedge_mps, &table.wedge_mps, 0.0..=1.0),
            (&mut s.wedge_max_m, &table.wedge_max_m, 0.0..=1.0),
            (&mut s.bend, &table.bend, 0.0..=5.0),
            (&mut s.bend_reach_m, &table.bend_reach_m, 0.001..=5.0),
            (&mut s.wall_bend_reach_m, &table.wall_bend_reach_m, 0.001..=5.0),
            (&mut s.time_gap_s, &table.time_gap_s, 0.001..=5.0),
            (&mut s.time_gap_impatient_s, &table.time_gap_impatient_s, 0.001..=5.0),
            (&mut s.lane, &table.lane, 0.0..=2.0),
            (&mut s.lane_impatient, &table.lane_impatient, 0.0..=2.0),
            (&mut s.contact_s, &table.contact_s, 0.01..=5.0),
            (&mut s.impatience_below, &table.impatience_below, 0.0..=1.0),
            (&mut s.sidestep_mps, &table.sidestep_mps, 0.0..=5.0),
            (&mut s.sidestep_margin_m, &table.sidestep_margin_m, 0.001..=2.0),
            (&mut s.overtake_mps, &table.overtake_mps, 0.0..=5.0),
            (&mut s.sidestep_max_mps, &table.sidestep_max_mps, 0.0..=5.0),
        ] {
            let default = f64::from(*target);
            if value.is_some() {
                *target = self.number(value.as_ref(), default, range, "a value for this parameter") as f32;
            }
        }
        s
    }

    pub(super) fn expect(&mut self, file: &File, names: &ExpectNames<'_>) -> Expect {
        let Some(table) = &file.expect else { return Expect::default() };
        let seconds = 0.0..=1.0e8;
        let digest = table.digest.as_ref().and_then(|digest| match digest.parse() {
            Ok(digest) => Some(digest),
            Err(message) => {
                self.add(&digest.span, message, "\"throng check --bless\" writes it");
                None
            }
        });
        let what = "a time in seconds";
        Expect {
            all_arrived_by_s: self.optional_number(table.all_arrived_by_s.as_ref(), seconds.clone(), what),
            max_overlap_m: self.optional_number(
                table.max_overlap_m.as_ref(),
                0.0..=100.0,
                "an overlap in metres",
            ),
            digest,
            unreachable: self.count(table.unreachable.as_ref()),
            stuck: self.count(table.stuck.as_ref()),
            blocked: self.count(table.blocked.as_ref()),
            travel_p95_s: self.optional_number(table.travel_p95_s.as_ref(), seconds, what),
            flows: self.expect_flows(table, names.lines),
            measures: self.expect_measures(table, names.measures),
            exits: self.expect_exits(table, names.goals),
        }
    }

    fn expect_flows(&mut self, table: &ExpectFile, lines: &Names) -> Vec<ExpectFlow> {
        let mut flows = Vec::new();
        for entry in table.flow.iter().flat_map(|list| &list.value) {
            let line = self.required_reference(entry.line.as_ref(), lines, "line", &entry.span);
            let what = "a flow per second";
            let min_per_s = self.optional_number(entry.min_per_s.as_ref(), 0.0..=1.0e6, what);
            let max_per_s = self.optional_number(entry.max_per_s.as_ref(), 0.0..=1.0e6, what);
            let (count_min, count_max) =
                (self.count(entry.count_min.as_ref()), self.count(entry.count_max.as_ref()));
            let Some(line) = line else { continue };
            flows.push(ExpectFlow {
                line: LineId::from_index(line),
                min_per_s,
                max_per_s,
                count_min,
                count_max,
            });
        }
        flows.sort_by_cached_key(|f: &ExpectFlow| (f.line, format!("{f:?}")));
        flows
    }

    fn expect_measures(&mut self, table: &ExpectFile, known: &Names) -> Vec<ExpectMeasure> {
        let mut measures = Vec::new();
        for entry in table.measure.iter().flat_map(|list| &list.value) {
            let measure = self.required_reference(entry.measure.as_ref(), known, "measure", &entry.span);
            let density_max =
                self.optional_number(entry.density_max.as_ref(), 0.0..=1000.0, "a density per m2");
            let speed_min = self.optional_number(entry.speed_min.as_ref(), 0.0..=100.0, "a speed in m/s");
            let Some(measure) = measure else { continue };
            measures.push(ExpectMeasure { measure: MeasureId::from_index(measure), density_max, speed_min });
        }
        measures.sort_by_cached_key(|m: &ExpectMeasure| (m.measure, format!("{m:?}")));
        measures
    }

    fn expect_exits(&mut self, table: &ExpectFile, goals: &Names) -> Vec<ExpectExit> {
        let mut exits = Vec::new();
        for entry in table.exit.iter().flat_map(|list| &list.value) {
            let goal = self.required_reference(entry.goal.as_ref(), goals, "goal", &entry.span);
            let share_min = self.optional_number(entry.share_min.as_ref(), 0.0..=1.0, "a share");
            let share_max = self.optional_number(entry.share_max.as_ref(), 0.0..=1.0, "a share");
            let Some(goal) = goal else { continue };
            exits.push(ExpectExit { goal: GoalId::from_index(goal), share_min, share_max });
        }
        exits.sort_by_cached_key(|e: &ExpectExit| (e.goal, format!("{e:?}")));
        exits
    }
}
