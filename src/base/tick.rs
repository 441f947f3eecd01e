//! Time: an integer tick times an integer number of milliseconds, never a running sum.

use serde::{Deserialize, Serialize};

/// A moment of a run. Tick 0 is the state before the first step; step `n` leads to tick `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tick(pub u32);

impl Tick {
    /// The tick after this one.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl std::fmt::Display for Tick {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The length of a tick, and the conversions that follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Milliseconds per tick.
    pub tick_ms: u32,
}

impl Clock {
    /// Seconds per tick.
    pub fn tick_s(self) -> f32 {
        self.tick_ms as f32 / 1000.0
    }

    /// The time of `tick` in milliseconds since the start of the run.
    pub fn ms(self, tick: Tick) -> u64 {
        u64::from(tick.0) * u64::from(self.tick_ms)
    }

    /// The time of `tick` in seconds since the start of the run.
    pub fn seconds(self, tick: Tick) -> f64 {
        self.ms(tick) as f64 / 1000.0
    }

    /// The first tick at or after `seconds`; times before the start give tick 0.
    pub fn tick_at(self, seconds: f64) -> Tick {
        let ms = (seconds * 1000.0).round().max(0.0) as u64;
        Tick(u32::try_from(ms.div_ceil(u64::from(self.tick_ms))).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_falls_on_the_first_tick_not_before_it() {
        let clock = Clock { tick_ms: 50 };
        assert_eq!(clock.tick_at(0.0), Tick(0));
        assert_eq!(clock.tick_at(0.05), Tick(1));
        assert_eq!(clock.tick_at(0.051), Tick(2));
        assert_eq!(clock.tick_at(30.0), Tick(600));
        assert_eq!(clock.seconds(Tick(600)), 30.0);
    }
}
