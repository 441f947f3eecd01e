//! Parameters of motion, each with unit, range and source. One set of defaults serves every validation scenario.

use super::file::{CongestionFile, SteeringFile};
use crate::base::{Clock, Tick};
use serde::{Deserialize, Serialize};

/// Which model moves agents (`[motion]`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Motion {
    /// Local motion layered over guidance.
    #[default]
    Layered,
    /// One cell of the guidance grid per step, along the distances.
    TileSteps,
    /// Straight along the field, without local motion.
    FieldOnly,
}

/// How density becomes a price (`[congestion]`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Congestion {
    /// Whether fields follow the crowd.
    pub enabled: bool,
    /// Seconds between updates of the price.
    pub update_s: f64,
}

impl Congestion {
    /// Whether the price is updated in the step that leaves `tick`.
    pub fn is_due(&self, clock: Clock, tick: Tick) -> bool {
        let period = clock.tick_at(self.update_s).0.max(1);
        self.enabled && tick.0.is_multiple_of(period)
    }
}

/// Parameters of the layered local motion (`[steering]`). Lengths in metres, times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steering {
    /// Whether local motion acts at all; without it agents propose their preferred velocity.
    pub enabled: bool,
    /// Seconds in which velocity relaxes towards its target. 0 to 10.
    pub relaxation_s: f64,
    /// Metres; how far neighbours count. 0.5 to 10.
    pub reach_m: f32,
    /// Per second; overlap of comfort discs becomes a velocity. 0 to 50.
    pub push_per_s: f32,
    /// Share of a push from those who are not ahead. 0 to 1.
    pub push_from_behind: f32,
    /// Metres per second; the largest push. 0 to 5.
    pub push_max_mps: f32,
    /// Metres per second of standing by which a leader's comfort distance grows. 0 to 1.
    pub wedge_mps: f32,
    /// Metres; the most it grows. 0 to 1.
    pub wedge_max_m: f32,
    /// Weight with which those ahead bend the heading. 0 to 5.
    pub bend: f32,
    /// Metres; the gap at which bending begins. 0 to 5.
    pub bend_reach_m: f32,
    /// Metres; the gap to walls at which bending begins. 0 to 5.
    pub wall_bend_reach_m: f32,
    /// Seconds; time gap to the one ahead, calm. 0 to 5 (Seyfried 2005: 1.06).
    pub time_gap_s: f32,
    /// Seconds; time gap, impatient. 0 to 5.
    pub time_gap_impatient_s: f32,
    /// Half width of the lane of the time gap, in sums of core radii, calm. 0 to 2.
    pub lane: f32,
    /// Half width of that lane, impatient. 0 to 2.
    pub lane_impatient: f32,
    /// Seconds; distance until contact over this bounds speed. 0.01 to 5.
    pub contact_s: f32,
    /// Share of free speed below which impatience grows. 0 to 1.
    pub impatience_below: f32,
    /// Seconds; time constant of growing impatience. 0 to 600.
    pub impatience_rise_s: f64,
    /// Seconds; time constant of fading impatience. 0 to 600.
    pub impatience_fall_s: f64,
    /// Metres per second; the sidestep for oncoming and crossing people. 0 to 5.
    pub sidestep_mps: f32,
    /// Metres; width beyond the two cores over which a sidestep acts. 0 to 2.
    pub sidestep_margin_m: f32,
    /// Metres per second; the sidestep for slower people ahead. 0 to 5.
    pub overtake_mps: f32,
    /// Metres per second; sidesteps sum to at most this. 0 to 5.
    pub sidestep_max_mps: f32,
}

impl Default for Steering {
    fn default() -> Self {
        Self::from(&SteeringFile::default())
    }
}

/// Whether bodies reserve their places (`[reservation]`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// Whether a move is granted only where it overlaps nobody.
    pub enabled: bool,
}

impl Default for Reservation {
    fn default() -> Self {
        Self { enabled: true }
    }
}

impl Default for Congestion {
    /// Off: the plain price bends streams away from the doors they queue at, and costs flow there.
    fn default() -> Self {
        Self::from(&CongestionFile::default())
    }
}
