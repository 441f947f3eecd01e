//! Publishing fields later than they are due: guidance then sees the site and the congestion of so many ticks ago.
//!
//! A field is a function of its generation, that is of site and congestion, so remembering the generations that are not
//! overtaken yet is all it takes, in a checkpoint too.

use super::density::Congested;
use super::refresh::RefreshInput;
use crate::base::{ClassId, GoalId, Tick};
use crate::field::Publish;
use crate::scenario::Scenario;
use crate::site::{Site, SiteState};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// What the fields of one generation are made from.
#[derive(Clone, Debug)]
struct Generation {
    /// The tick in which they became due.
    since: Tick,
    /// Doors, ground and goals at that tick.
    site: Site,
    /// Where it was crowded.
    congested: Congested,
}

impl Generation {
    fn is_still(&self, site: &Site, congested: &Congested) -> bool {
        let goals = |site: &Site| site.goals().iter().map(|g| g.version).collect::<Vec<_>>();
        self.site.ground_version() == site.ground_version()
            && self.congested.version == congested.version
            && goals(&self.site) == goals(site)
    }
}

/// Generations that are published so many ticks after they are due, and since when fields have been asked for.
#[derive(Debug, Default)]
pub struct Delay {
    /// The published one and those to come, oldest first; before the first publication only those to come.
    generations: VecDeque<Generation>,
    asked: BTreeMap<(GoalId, ClassId), Tick>,
}

/// Whether what was due at `since` can be seen by now.
fn is_visible(since: Tick, input: &RefreshInput<'_>) -> bool {
    let ticks = match input.scenario.guidance.publish {
        Publish::SameTick => 0,
        Publish::AfterTicks(ticks) => ticks,
    };
    since.0.saturating_add(ticks) <= input.tick.0
}

/// What a checkpoint keeps of a [`Delay`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DelayState {
    generations: Vec<(Tick, SiteState, Congested)>,
    asked: Vec<((GoalId, ClassId), Tick)>,
}

impl Delay {
    /// Notes what is due: a new generation where something changed, and fields nobody asked for before. Forgets what is
    /// overtaken.
    pub fn note(&mut self, input: &RefreshInput<'_>, wanted: &BTreeSet<(GoalId, ClassId)>) {
        if !self.generations.back().is_some_and(|last| last.is_still(input.site, input.congested)) {
            self.generations.push_back(Generation {
                since: input.tick,
                site: input.site.clone(),
                congested: input.congested.clone(),
            });
        }
        for &pair in wanted {
            self.asked.entry(pair).or_insert(input.tick);
        }
        while self.generations.get(1).is_some_and(|next| is_visible(next.since, input)) {
            self.generations.pop_front();
        }
    }

    /// The surroundings that guidance sees; `None` before the first generation is published.
    pub fn published<'a>(&'a self, input: &RefreshInput<'a>) -> Option<RefreshInput<'a>> {
        let latest = self.generations.iter().rev().find(|g| is_visible(g.since, input))?;
        Some(RefreshInput { site: &latest.site, congested: &latest.congested, ..*input })
    }

    /// Whether a field was asked for long enough ago to be seen.
    pub fn is_published(&self, pair: (GoalId, ClassId), input: &RefreshInput<'_>) -> bool {
        self.asked.get(&pair).is_some_and(|&since| is_visible(since, input))
    }

    /// For a checkpoint.
    pub fn state(&self) -> DelayState {
        let state = |g: &Generation| (g.since, g.site.state(), g.congested.clone());
        DelayState {
            generations: self.generations.iter().map(state).collect(),
            asked: self.asked.iter().map(|(&pair, &since)| (pair, since)).collect(),
        }
    }

    /// From a checkpoint.
    pub fn restore(state: DelayState, scenario: &Arc<Scenario>) -> Self {
        let generation = |(since, site, congested): (Tick, SiteState, Congested)| Generation {
            since,
            site: site.restore(scenario),
            congested,
        };
        Self {
            generations: state.generations.into_iter().map(generation).collect(),
            asked: state.asked.into_iter().collect(),
        }
    }
}
