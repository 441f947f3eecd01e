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
use crate::space::{Grid, Rect, Solid, clearance_grid, repair_clearance};
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
    /// Fields of the generation before, from which the next is repaired; kept no longer than that takes.
    overtaken: BTreeMap<(GoalId, ClassId), Arc<Field>>,
    clearance: Option<(Ground, Grid<u32>)>,
    moves: BTreeMap<ClassId, KnownMoves>,
    prices: BTreeMap<ClassId, ((u32, u32), Arc<Grid<f32>>)>,
    /// For each class the first class that shares its fields.
    shared_by: Vec<ClassId>,
    goal_versions: Vec<u32>,
    table: Vec<f32>,
    delay: Delay,
}

/// The walls that something was made from.
#[derive(Debug)]
struct Ground {
    version: u32,
    solids: Vec<Solid>,
}

impl Ground {
    fn of(site: &Site) -> Self {
        Self { version: site.ground_version(), solids: site.terrain().solids().to_vec() }
    }

    /// Boxes around the doors and obstacles that have opened, closed, come or gone since.
    fn changed_boxes(&self, site: &Site) -> Vec<Rect> {
        let now = site.terrain().solids();
        let closed =
            |solids: &'_ [Solid], i: usize| solids.get(i).filter(|s| s.closed).map(|s| s.shape.clone());
        let changed = (0..self.solids.len().max(now.len())).flat_map(|i| {
            let (before, after) = (closed(&self.solids, i), closed(now, i));
            if before == after { [None, None] } else { [before, after] }
        });
        changed.flatten().filter_map(|shape| shape.bounds()).collect()
    }
}

/// The moves of a class, with what they were made from.
#[derive(Debug)]
struct KnownMoves {
    ground: Ground,
    closed: Grid<bool>,
    moves: Arc<Moves>,
}

impl Guides {
    /// Empty, for a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        Self {
            store: FieldStore::new(scenario.guidance.cache_bytes),
            overtaken: BTreeMap::new(),
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
        let before = self.overtaken.get(&(goal, class));
        let field = Arc::new(build(input, goal_now, class, transition, before.map(|field| &**field)));
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
        let dropped = self.store.retain(|key| {
            key.ground_version == ground && key.congestion_version == congestion && !moved(key.goal)
        });
        self.overtaken.extend(dropped.into_iter().map(|(key, field)| ((key.goal, key.class), field)));
    }

    fn moves(&mut self, input: &RefreshInput<'_>, class: ClassId) -> Arc<Moves> {
        let version = input.site.ground_version();
        let before = self.moves.remove(&class);
        if let Some(known) = before.as_ref().filter(|known| known.ground.version == version) {
            let moves = known.moves.clone();
            self.moves.extend(before.map(|known| (class, known)));
            return moves;
        }
        let closed = input.site.closed_grid(class);
        let moves_input = MovesInput {
            terrain: input.site.terrain(),
            clearance: self.clearance(input),
            radius: input.scenario.class(class).core_radius,
            closed: &closed,
            one_way: &input.site.one_ways(),
            guidance: &input.scenario.guidance,
        };
        let moves = Arc::new(match before.filter(|_| !input.scenario.grid.ring) {
            Some(known) => {
                let mut changed = known.ground.changed_boxes(input.site);
                changed.extend(box_of_differences(&known.closed, &closed));
                known.moves.repaired(&moves_input, &changed)
            }
            None => Moves::new(&moves_input),
        });
        let known = KnownMoves { ground: Ground::of(input.site), closed, moves: moves.clone() };
        self.moves.insert(class, known);
        moves
    }

    fn clearance(&mut self, input: &RefreshInput<'_>) -> &Grid<u32> {
        let frame = input.scenario.grid;
        let cap = input.scenario.largest_core_radius() + 2 * frame.cell;
        let terrain = input.site.terrain();
        let version = input.site.ground_version();
        let grid = match self.clearance.take() {
            Some((ground, grid)) if ground.version == version => grid,
            Some((ground, mut grid)) if !frame.ring => {
                for changed in ground.changed_boxes(input.site) {
                    repair_clearance(terrain, cap, changed, &mut grid);
                }
                grid
            }
            _ => clearance_grid(terrain, frame, cap),
        };
        let (_, grid) = self.clearance.insert((Ground::of(input.site), grid));
        grid
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
    let fields = wanted.into_iter().map(field).collect();
    guides.overtaken.clear();
    FieldTable {
        fields,
        pending: BTreeSet::new(),
        versions: (input.site.ground_version(), input.congested.version),
    }
}

/// The field of a goal, by repair of the one `before` where that will do.
fn build(
    input: &RefreshInput<'_>,
    goal: &GoalNow,
    class: ClassId,
    transition: Transition,
    before: Option<&Field>,
) -> Field {
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
            let repaired = before.and_then(|before| before.repaired(&transition, &cells));
            repaired.unwrap_or_else(|| Field::build(transition, &cells, guidance, input.workers))
        }
    }
}

/// The box around the centres of all cells in which two grids differ.
fn box_of_differences(a: &Grid<bool>, b: &Grid<bool>) -> Option<Rect> {
    let differ = (0..a.frame.len() as u32).filter(|&cell| a[cell] != b[cell]);
    differ.map(|cell| a.frame.centre(cell)).map(|at| Rect { min: at, max: at }).reduce(Rect::union)
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
