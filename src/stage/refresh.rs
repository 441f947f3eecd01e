//! `refresh`: the fields that this tick needs, built where doors, ground, goals or congestion have changed.

use super::density::{Congested, price_table};
use super::publish::{Delay, DelayState};
use crate::base::{ClassId, GoalId, Point, Tick, Workers};
use crate::field::{
    Field, FieldKey, FieldStore, GoalInput, Guide, Moves, MovesInput, Publish, Transition, goal_cells,
};
use crate::rows::Rows;
use crate::scenario::{GoalPlace, Scenario};
use crate::site::{GoalNow, Site};
use crate::space::{Grid, clearance_grid};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What refreshing reads.
#[derive(Clone, Copy, Debug)]
pub struct RefreshInput<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Doors, ground and goals as they are.
    pub site: &'a Site,
    /// Where it is crowded.
    pub congested: &'a Congested,
    /// The tick that the step leaves.
    pub tick: Tick,
    /// Threads for solvers that use them.
    pub workers: &'a Workers,
}

/// The fields of one tick, by goal and class; all of one generation.
#[derive(Clone, Debug, Default)]
pub struct FieldTable {
    fields: BTreeMap<(GoalId, ClassId), Arc<Field>>,
    /// Asked for, but not published yet.
    pending: BTreeSet<(GoalId, ClassId)>,
    versions: (u32, u32),
}

impl FieldTable {
    /// The field of a goal for a class. `None` for pairs nobody asked for.
    pub fn field(&self, goal: GoalId, class: ClassId) -> Option<&Arc<Field>> {
        self.fields.get(&(goal, class))
    }

    /// Whether a field is asked for but not published yet.
    pub fn is_pending(&self, goal: GoalId, class: ClassId) -> bool {
        self.pending.contains(&(goal, class))
    }

    /// Ground and congestion version of the generation.
    pub fn versions(&self) -> (u32, u32) {
        self.versions
    }
}

/// Fields and what they are made from, kept from tick to tick. Pure cache: every entry can be made again from the
/// site and the congestion, with the same bits.
#[derive(Debug)]
pub struct Guides {
    store: FieldStore,
    clearance: Option<(u32, Grid<u32>)>,
    moves: BTreeMap<ClassId, (u32, Arc<Moves>)>,
    prices: BTreeMap<ClassId, ((u32, u32), Arc<Grid<f32>>)>,
    /// For each class the first class that shares its fields.
    shared_by: Vec<ClassId>,
    goal_versions: Vec<u32>,
    table: Vec<f32>,
    delay: Delay,
}

impl Guides {
    /// Empty, for a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        Self {
            store: FieldStore::new(scenario.guidance.cache_bytes),
            clearance: None,
            moves: BTreeMap::new(),
            prices: BTreeMap::new(),
            shared_by: (0..scenario.classes.len()).map(|i| twin_of(scenario, i)).collect(),
            goal_versions: Vec::new(),
            table: price_table(),
            delay: Delay::default(),
        }
    }

    /// The generations that are not overtaken yet, for a checkpoint; empty where fields are published in the same tick.
    pub fn delay(&self) -> DelayState {
        self.delay.state()
    }

    /// Goes on from a checkpoint.
    pub fn restore_delay(&mut self, state: DelayState, scenario: &Arc<Scenario>) {
        self.delay = Delay::restore(state, scenario);
    }

    /// What published guidance says about a place.
    pub fn guide(&mut self, input: &RefreshInput<'_>, goal: GoalId, class: ClassId, at: Point) -> Guide {
        let delay = std::mem::take(&mut self.delay);
        let field = match (input.scenario.guidance.publish, delay.published(input)) {
            (Publish::SameTick, _) => Some(self.field(input, goal, class)),
            (Publish::AfterTicks(_), Some(seen)) if goal.index() < seen.site.goals().len() => {
                self.forget_overtaken(&seen);
                Some(self.field(&seen, goal, class))
            }
            (Publish::AfterTicks(_), _) => None,
        };
        self.delay = delay;
        field.map_or(Guide::NotSolved, |field| field.guide(at))
    }

    /// Counters of the store.
    pub fn store(&self) -> &FieldStore {
        &self.store
    }

    /// The field of one goal and class, built if need be.
    pub fn field(&mut self, input: &RefreshInput<'_>, goal: GoalId, class: ClassId) -> Arc<Field> {
        let goal_now = input.site.goal(goal);
        let class = self.shared_by.get(class.index()).copied().unwrap_or(class);
        let key = FieldKey {
            goal,
            class,
            ground_version: input.site.ground_version(),
            congestion_version: input.congested.version,
        };
        if let Some(field) = self.store.get(key, input.tick) {
            return field;
        }
        let transition = self.transition(input, class);
        let field = Arc::new(build(input, goal_now, class, transition));
        self.store.insert(key, field.clone(), input.tick);
        field
    }

    /// What legality and cost are asked of, for a class.
    pub fn transition(&mut self, input: &RefreshInput<'_>, class: ClassId) -> Transition {
        Transition { moves: self.moves(input, class), price: self.price(input, class) }
    }

    /// Drops what the site or the congestion has overtaken.
    fn forget_overtaken(&mut self, input: &RefreshInput<'_>) {
        let versions: Vec<u32> = input.site.goals().iter().map(|g| g.version).collect();
        let (ground, congestion) = (input.site.ground_version(), input.congested.version);
        let old = std::mem::replace(&mut self.goal_versions, versions);
        let moved =
            |goal: GoalId| old.get(goal.index()).is_some_and(|v| *v != self.goal_versions[goal.index()]);
        self.store.retain(|key| {
            key.ground_version == ground && key.congestion_version == congestion && !moved(key.goal)
        });
    }

    fn moves(&mut self, input: &RefreshInput<'_>, class: ClassId) -> Arc<Moves> {
        let version = input.site.ground_version();
        if let Some((_, moves)) = self.moves.get(&class).filter(|(v, _)| *v == version) {
            return moves.clone();
        }
        if self.clearance.as_ref().is_none_or(|(v, _)| *v != version) {
            let cap = input.scenario.largest_core_radius() + 2 * input.scenario.grid.cell;
            let grid = clearance_grid(input.site.terrain(), input.scenario.grid, cap);
            self.clearance = Some((version, grid));
        }
        let (_, clearance) = self.clearance.as_ref().expect("it was made above");
        let moves = Arc::new(Moves::new(&MovesInput {
            terrain: input.site.terrain(),
            clearance,
            radius: input.scenario.class(class).core_radius,
            closed: &input.site.closed_grid(class),
            one_way: &input.site.one_ways(),
            guidance: &input.scenario.guidance,
        }));
        self.moves.insert(class, (version, moves.clone()));
        moves
    }

    fn price(&mut self, input: &RefreshInput<'_>, class: ClassId) -> Arc<Grid<f32>> {
        let version = (input.site.ground_version(), input.congested.version);
        if let Some((_, price)) = self.prices.get(&class).filter(|(v, _)| *v == version) {
            return price.clone();
        }
        let mut price = input.site.price_grid(class);
        if input.congested.version > 0 {
            let frame = price.frame;
            for (cell, price) in price.values.iter_mut().enumerate() {
                *price *= input.congested.price(&self.table, frame.centre(cell as u32));
            }
        }
        let price = Arc::new(price);
        self.prices.insert(class, (version, price.clone()));
        price
    }
}

/// The fields for every goal and class that somebody in `rows` has, or may choose in this tick; those that are published
/// later than they are due as they were due so many ticks ago.
///
/// **Determinism:** in order of (goal, class); a field depends on its key and the site alone.
pub fn run(input: &RefreshInput<'_>, rows: &Rows, guides: &mut Guides) -> FieldTable {
    let wanted = wanted(input.scenario, rows);
    if input.scenario.guidance.publish == Publish::SameTick {
        return build_all(input, wanted, guides);
    }
    let mut delay = std::mem::take(&mut guides.delay);
    delay.note(input, &wanted);
    let (published, pending): (BTreeSet<_>, BTreeSet<_>) =
        wanted.into_iter().partition(|&pair| delay.is_published(pair, input));
    let table = delay.published(input).map(|seen| build_all(&seen, published, guides));
    guides.delay = delay;
    FieldTable { pending, ..table.unwrap_or_default() }
}

/// The fields that somebody in `rows` has use for.
fn wanted(scenario: &Scenario, rows: &Rows) -> BTreeSet<(GoalId, ClassId)> {
    let mut wanted = BTreeSet::new();
    for row in 0..rows.len() {
        match (rows.goal[row], rows.journey[row]) {
            (Some(goal), _) => {
                wanted.insert((goal, rows.class[row]));
            }
            (None, Some(journey)) => {
                let stage = scenario.journey(journey).stages.get(rows.stage[row] as usize);
                wanted.extend(stage.iter().flat_map(|s| &s.goals).map(|&goal| (goal, rows.class[row])));
            }
            (None, None) => {}
        }
    }
    wanted
}

fn build_all(
    input: &RefreshInput<'_>,
    wanted: BTreeSet<(GoalId, ClassId)>,
    guides: &mut Guides,
) -> FieldTable {
    guides.forget_overtaken(input);
    let field = |(goal, class)| ((goal, class), guides.field(input, goal, class));
    FieldTable {
        fields: wanted.into_iter().map(field).collect(),
        pending: BTreeSet::new(),
        versions: (input.site.ground_version(), input.congested.version),
    }
}

fn build(input: &RefreshInput<'_>, goal: &GoalNow, class: ClassId, transition: Transition) -> Field {
    let guidance = &input.scenario.guidance;
    match &goal.place {
        GoalPlace::Heading { rightwards } => {
            Field::build_heading(&transition, *rightwards, guidance, input.workers)
        }
        GoalPlace::Shapes(shapes) => {
            let within = goal.arrives_within.iter().map(|classes| classes[class.index()]);
            let cells = goal_cells(&GoalInput {
                terrain: input.site.terrain(),
                radius: input.scenario.class(class).core_radius,
                shapes: &shapes.iter().zip(within).collect::<Vec<_>>(),
                moves: &transition.moves,
            });
            Field::build(transition, &cells, guidance, input.workers)
        }
    }
}

/// The first class with the same body and prices as class `i`: they share fields.
fn twin_of(scenario: &Scenario, i: usize) -> ClassId {
    let alike = |j: &usize| {
        scenario.classes[*j].core_radius == scenario.classes[i].core_radius
            && scenario
                .grounds
                .iter()
                .all(|g| g.prices[*j].to_bits() == g.prices[i].to_bits() && g.closed_to[*j] == g.closed_to[i])
    };
    // Commands may set ground for one class apart from another, so only scenarios without such regions share.
    let may_share = scenario.grounds.is_empty() && scenario.events.is_empty();
    let twin = if may_share { (0..i).find(alike).unwrap_or(i) } else { i };
    ClassId::from_index(twin)
}
