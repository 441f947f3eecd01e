//! The store: fields under (goal, class, ground version, congestion version), within a budget of bytes.

use super::field::Field;
use crate::base::{ClassId, GoalId, Tick};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a field depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FieldKey {
    /// Where it leads.
    pub goal: GoalId,
    /// For which class.
    pub class: ClassId,
    /// The doors, obstacles and ground it was made on.
    pub ground_version: u32,
    /// The congestion it was made on.
    pub congestion_version: u32,
}

/// What a store has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreCounters {
    /// Fields asked for that were there.
    pub hits: u64,
    /// Fields asked for that were not.
    pub misses: u64,
    /// Fields put in.
    pub builds: u64,
    /// Fields dropped to keep the budget.
    pub evictions: u64,
    /// Bytes held now.
    pub bytes: u64,
}

/// Fields, kept until they are overtaken or the budget asks for their room.
#[derive(Debug)]
pub struct FieldStore {
    budget: u64,
    fields: BTreeMap<FieldKey, (Tick, Arc<Field>)>,
    counters: StoreCounters,
}

impl FieldStore {
    /// An empty store that keeps at most `budget` bytes, but always the field asked for last.
    pub fn new(budget: u64) -> Self {
        Self { budget, fields: BTreeMap::new(), counters: StoreCounters::default() }
    }

    /// The field under `key`, marked as used at `tick`.
    pub fn get(&mut self, key: FieldKey, tick: Tick) -> Option<Arc<Field>> {
        let entry = self.fields.get_mut(&key);
        match entry {
            Some((used, field)) => {
                *used = tick;
                self.counters.hits += 1;
                Some(field.clone())
            }
            None => {
                self.counters.misses += 1;
                None
            }
        }
    }

    /// Puts a field in; drops the least recently used others, ties by key, where the budget is exceeded.
    pub fn insert(&mut self, key: FieldKey, field: Arc<Field>, tick: Tick) {
        self.counters.builds += 1;
        self.counters.bytes += field.bytes();
        if let Some((_, old)) = self.fields.insert(key, (tick, field)) {
            self.counters.bytes -= old.bytes();
        }
        while self.counters.bytes > self.budget {
            let others = self.fields.iter().filter(|(k, _)| **k != key);
            let Some(oldest) = others.min_by_key(|(k, (used, _))| (*used, **k)).map(|(k, _)| *k) else {
                break;
            };
            self.remove(oldest);
            self.counters.evictions += 1;
        }
    }

    /// Keeps the fields for which `keep` holds, and returns the others in order of key.
    pub fn retain(&mut self, keep: impl Fn(&FieldKey) -> bool) -> Vec<(FieldKey, Arc<Field>)> {
        let overtaken: Vec<FieldKey> = self.fields.keys().filter(|k| !keep(k)).copied().collect();
        overtaken.into_iter().filter_map(|key| Some((key, self.remove(key)?))).collect()
    }

    fn remove(&mut self, key: FieldKey) -> Option<Arc<Field>> {
        let (_, field) = self.fields.remove(&key)?;
        self.counters.bytes -= field.bytes();
        Some(field)
    }

    /// The keys of the fields held, in order.
    pub fn keys(&self) -> Vec<FieldKey> {
        self.fields.keys().copied().collect()
    }

    /// What it has done so far.
    pub fn counters(&self) -> StoreCounters {
        self.counters
    }
}
