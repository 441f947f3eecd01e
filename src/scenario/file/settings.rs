//! Tables that say how: guidance, congestion, motion, steering and reservation.

use super::super::problem::Problems;
use super::List;
use super::value::{At, FromValue, read_at, table_of, tables};
use super::words::{DirectionWord, DistanceWord, ModelWord, PublishWord};
use crate::base::limit;
use crate::field::{Diagonal, Sampling, WallFallback, Weight};
use toml::Spanned;
use toml::de::DeValue;

tables! {
    /// How fields are computed and read. The defaults are the recommended values.
    ///
    /// ```toml
    /// [guidance]
    /// neighbours = 8
    /// diagonal = "strict"
    /// distance = "kernel"
    /// kernel = [[4, 3, 4], [3, 0, 3], [4, 3, 4]]
    /// direction = "weighted"
    /// weight = "softmin"
    /// sampling = "nearest"
    /// wall_fallback = "best-neighbour"
    /// tie_order = "NESW"
    /// cache_mb = 500.0
    /// order = 1
    /// factored = false
    /// line_of_sight = false
    /// tile_cells = 0
    /// publish = "same-tick"
    /// ```
    GuidanceFile {
        /// 4 or 8.
        neighbours: u64 [4, 8] => "8; 4 for labels",
        /// When a diagonal move is legal: both flanks open, one of them, or always.
        diagonal: Diagonal = Diagonal::Strict,
        /// The distance solver.
        distance: DistanceWord = DistanceWord::FastMarching,
        /// Move lengths in cells for "kernel", the upper row first; 0 forbids a move.
        kernel: List<[f64; 3]>,
        /// Of accuracy, 1 or 2; eikonal distances only.
        order: u64 [1, 2] = 1,
        /// Whether the distance is factored by that of an open plane; eikonal distances only.
        factored: bool = false,
        /// The direction derivation.
        direction: DirectionWord = DirectionWord::Gradient,
        /// How much a neighbour counts in "weighted".
        weight: Weight = Weight::Inverse,
        /// How a direction is read between cell centres.
        sampling: Sampling = Sampling::Bilinear,
        /// What stands in for a neighbour that a wall hides.
        wall_fallback: WallFallback = WallFallback::Neutral,
        /// The order of N, E, S and W among equals, each once.
        tie_order: String = "NESW".to_owned(),
        /// Whether agents walk straight to a goal in sight where nothing on the way costs more than its length.
        line_of_sight: bool = false,
        /// Cells along the side of a tile; 0 solves whole fields (others: not supported yet).
        tile_cells: u64 [0, 65536] = 0,
        /// What fields may take.
        cache_mb: f64 [0.0, 1.0e6] = 1000.0,
        /// When a field becomes visible: in the tick in which it is due, or so many ticks later.
        publish: PublishFile => "\"same-tick\"",
    }

    /// `publish`, as a table.
    ///
    /// ```toml
    /// [guidance]
    /// publish = { after_ticks = 4 }
    /// ```
    AfterFile {
        /// Ticks until a field becomes visible; agents without one hold.
        after_ticks: u64 [0, limit::TICKS] = 0,
    }

    /// How density becomes a price.
    ///
    /// ```toml
    /// [congestion]
    /// enabled = true
    /// update_s = 2.0
    /// ```
    CongestionFile {
        /// Whether fields follow the crowd.
        enabled: bool = false,
        /// Time between updates.
        update_s: f64 [0.01, 3600.0] = 2.0,
    }

    /// Which model moves agents.
    ///
    /// With "tile-steps" everybody goes from the middle of a cell to that of the next one, at most one a tick, as often as the
    /// own speed and the ground allow. With reservations a tile has one holder; two who come from either side pass each other
    /// where there is open ground beside both tiles. Agents start in the middle of a tile.
    ///
    /// ```toml
    /// [motion]
    /// model = "layered"
    /// ```
    MotionFile {
        /// Local motion layered over guidance; one cell of the guidance grid a step; or straight along the field.
        model: ModelWord = ModelWord::Layered,
    }

    /// Parameters of the layered local motion. One set of defaults serves every validation scenario.
    ///
    /// ```toml
    /// [steering]
    /// enabled = true
    /// relaxation_s = 0.3
    /// reach_m = 2.5
    /// push_per_s = 5.0
    /// push_from_behind = 0.3
    /// push_max_mps = 0.8
    /// wedge_mps = 0.1
    /// wedge_max_m = 0.3
    /// bend = 0.5
    /// bend_reach_m = 0.3
    /// wall_bend_reach_m = 0.15
    /// time_gap_s = 1.0
    /// time_gap_impatient_s = 0.55
    /// lane = 0.6
    /// lane_impatient = 0.4
    /// contact_s = 0.1
    /// impatience_below = 0.15
    /// impatience_rise_s = 3.0
    /// impatience_fall_s = 15.0
    /// sidestep_mps = 1.0
    /// sidestep_margin_m = 0.15
    /// overtake_mps = 0.6
    /// sidestep_max_mps = 0.6
    /// ```
    SteeringFile {
        /// Whether local motion acts at all; without it agents propose their preferred velocity.
        enabled: bool = true,
        /// Time in which velocity relaxes towards its target.
        relaxation_s: f64 [0.0, 10.0] = 0.3,
        /// How far neighbours count.
        reach_m: f64 [0.5, 10.0] = 2.5,
        /// How fast overlap of comfort discs becomes a velocity.
        push_per_s: f64 [0.0, 50.0] = 5.0,
        /// Share of a push from those who are not ahead.
        push_from_behind: f64 [0.0, 1.0] = 0.3,
        /// The largest push.
        push_max_mps: f64 [0.0, 5.0] = 0.8,
        /// How fast the comfort distance of a leader grows who stands.
        wedge_mps: f64 [0.0, 1.0] = 0.1,
        /// The most that it grows.
        wedge_max_m: f64 [0.0, 1.0] = 0.3,
        /// Weight with which those ahead bend the heading.
        bend: f64 [0.0, 5.0] = 0.5,
        /// The gap at which bending begins.
        bend_reach_m: f64 [0.001, 5.0] = 0.3,
        /// The gap to walls at which bending begins.
        wall_bend_reach_m: f64 [0.001, 5.0] = 0.15,
        /// Time gap to the one ahead, calm (Seyfried 2005: 1.06).
        time_gap_s: f64 [0.001, 5.0] = 1.0,
        /// Time gap, impatient.
        time_gap_impatient_s: f64 [0.001, 5.0] = 0.55,
        /// Half width of the lane of the time gap, in sums of core radii, calm.
        lane: f64 [0.0, 2.0] = 0.6,
        /// Half width of that lane, impatient.
        lane_impatient: f64 [0.0, 2.0] = 0.4,
        /// Distance until contact over this bounds speed.
        contact_s: f64 [0.01, 5.0] = 0.1,
        /// Share of free speed below which impatience grows.
        impatience_below: f64 [0.0, 1.0] = 0.15,
        /// Time constant of growing impatience.
        impatience_rise_s: f64 [0.0, 600.0] = 3.0,
        /// Time constant of fading impatience.
        impatience_fall_s: f64 [0.0, 600.0] = 15.0,
        /// The sidestep for oncoming and crossing people.
        sidestep_mps: f64 [0.0, 5.0] = 1.0,
        /// Width beyond the two cores over which a sidestep acts.
        sidestep_margin_m: f64 [0.001, 2.0] = 0.15,
        /// The sidestep for slower people ahead.
        overtake_mps: f64 [0.0, 5.0] = 0.6,
        /// What sidesteps sum to at most.
        sidestep_max_mps: f64 [0.0, 5.0] = 0.6,
    }

    /// Whether bodies reserve their places.
    ///
    /// ```toml
    /// [reservation]
    /// enabled = true
    /// ```
    ReservationFile {
        /// Whether a move is granted only where it overlaps nobody. Without it bodies may overlap.
        enabled: bool = true,
    }
}

/// When a field becomes visible.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scenario) enum PublishFile {
    /// A word.
    Word(At<PublishWord>),
    /// After so many ticks.
    After(At<AfterFile>),
}

impl FromValue for PublishFile {
    fn allowed() -> String {
        "\"same-tick\" or { after_ticks = 4 }".to_owned()
    }

    fn read(value: &Spanned<DeValue<'_>>, problems: &mut Problems) -> Option<Self> {
        if value.get_ref().is_str() {
            return read_at(value, problems).map(Self::Word);
        }
        table_of::<Self>(value, problems)?;
        read_at(value, problems).map(Self::After)
    }
}
