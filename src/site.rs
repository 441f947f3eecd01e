//! The surroundings as they are now: doors, added obstacles, ground and goals, each change counted in a version.

use crate::base::{ClassId, Clock, DoorId, GoalId, ObstacleId, Point, RegionId, SlotId, Tick};
use crate::scenario::{Action, Arrival, Goal, GoalPlace, Ground, Scenario, ShapeSpec};
use crate::space::{Body, Grid, Shape, Solid, Terrain, Wall};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where a run takes place, as it is in this tick.
#[derive(Clone, Debug)]
pub struct Site {
    scenario: Arc<Scenario>,
    terrain: Terrain,
    grounds: Vec<Ground>,
    goals: Vec<GoalNow>,
    gates: Vec<Gate>,
    ground_version: u32,
}

/// A goal as it is now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalNow {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: GoalPlace,
    /// Units; for each shape, how near a centre of each class must come to have arrived: 0 where it must be inside, its core
    /// radius where walls leave no room for it in the shape, so that touching it is all that one can do.
    pub arrives_within: Vec<Vec<i32>>,
    /// What happens there.
    pub arrival: Arrival,
    /// Places that one agent each may hold, in the order in which they are given out.
    pub slots: Vec<Point>,
    /// Whether the slots are a queue.
    pub fifo: bool,
    /// Whether the scenario named the slots; else they fill from the middle.
    pub named_slots: bool,
    /// Agents that may hold a place at once.
    pub capacity: Option<u32>,
    /// Raised by every move of the goal.
    pub version: u32,
    /// The last tick at which those who wait were released.
    pub released: Option<Tick>,
}

/// What a door asks of those who pass while it is open.
#[derive(Clone, Debug, PartialEq)]
struct Gate {
    shape: Shape,
    one_way: Option<[f64; 2]>,
    /// Microseconds between two who enter.
    interval_us: Option<u64>,
    /// Microseconds; nobody enters earlier.
    next_entry_us: u64,
}

/// What of a site can change: its part of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteState {
    solids: Vec<Solid>,
    grounds: Vec<Ground>,
    goals: Vec<GoalNow>,
    next_entries_us: Vec<u64>,
    ground_version: u32,
}

/// Why a command cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Something it names does not exist.
    #[error("there is no {kind} {id}")]
    Unknown {
        /// Agent, goal, door, ...
        kind: &'static str,
        /// Its id.
        id: u32,
    },
    /// A value is out of range.
    #[error("{what} must be {allowed}")]
    Range {
        /// Which value.
        what: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A new agent has no room where it was put.
    #[error("there is no room for a body at ({x_m}, {y_m})")]
    NoRoom {
        /// Metres, as text so that errors compare.
        x_m: String,
        /// Metres, as text so that errors compare.
        y_m: String,
    },
}

impl Site {
    /// The site of a scenario at its start.
    pub fn new(scenario: &Arc<Scenario>) -> Self {
        let door = |d: &crate::scenario::Door| Solid {
            shape: scenario.region(d.region).shape.clone(),
            closed: !d.open,
        };
        let solids = scenario.doors.iter().map(door).collect();
        let terrain = Terrain::new(scenario.area.clone(), solids, wall_reach(scenario));
        let gate = |d: &crate::scenario::Door| Gate {
            shape: scenario.region(d.region).shape.clone(),
            one_way: d.one_way,
            interval_us: d.max_flow_per_s.map(|flow| (1.0e6 / flow).ceil() as u64),
            next_entry_us: 0,
        };
        let gates = scenario.doors.iter().map(gate).collect();
        let mut site = Self {
            scenario: scenario.clone(),
            terrain,
            grounds: scenario.grounds.clone(),
            goals: Vec::new(),
            gates,
            ground_version: 0,
        };
        site.goals = scenario.goals.iter().map(|goal| site.goal_of(goal)).collect();
        site
    }

    fn goal_of(&self, goal: &Goal) -> GoalNow {
        let mut now = GoalNow {
            name: goal.name.clone(),
            place: goal.place.clone(),
            arrives_within: Vec::new(),
            arrival: goal.arrival,
            slots: goal.slots.clone(),
            fifo: goal.fifo,
            named_slots: !goal.slots.is_empty(),
            capacity: goal.capacity,
            version: 0,
            released: None,
        };
        self.find_places(&mut now);
        now
    }

    /// Finds out how a goal is reached, and where agents stay or wait in it, as many as it may hold.
    fn find_places(&self, goal: &mut GoalNow) {
        let GoalPlace::Shapes(shapes) = &goal.place else { return };
        goal.arrives_within = self.arrives_within(shapes);
        if goal.arrival != Arrival::Leave && !goal.named_slots {
            goal.slots = self.found_slots(shapes);
        }
        goal.slots.truncate(goal.capacity.map_or(usize::MAX, |c| c as usize));
    }

    /// Places in shapes for the largest body that is to come; where it has none, for the smallest. Doors count as open:
    /// they may open later.
    fn found_slots(&self, shapes: &[Shape]) -> Vec<Point> {
        let doors = self.scenario.doors.len();
        let with_open_doors = self.terrain.solids()[..doors].iter().any(|door| door.closed).then(|| {
            let mut solids = self.terrain.solids().to_vec();
            solids[..doors].iter_mut().for_each(|door| door.closed = false);
            Terrain::new(self.scenario.area.clone(), solids, self.terrain.walls().reach())
        });
        let terrain = with_open_doors.as_ref().unwrap_or(&self.terrain);
        let in_use = self.scenario.classes_in_use();
        let classes = || in_use.iter().map(|&class| self.scenario.class(class));
        let core = (classes().map(|c| c.core_radius).max(), classes().map(|c| c.core_radius).min());
        let comfort = (classes().map(|c| c.comfort_radius).max(), classes().map(|c| c.comfort_radius).min());
        let slots = lattice_places(terrain, shapes, core.0.unwrap_or(0), comfort.0.unwrap_or(0));
        if !slots.is_empty() {
            return slots;
        }
        lattice_places(terrain, shapes, core.1.unwrap_or(0), comfort.1.unwrap_or(0))
    }

    /// See [`GoalNow::arrives_within`]. Walls that always stand decide: a door that closes does not bring a goal closer.
    fn arrives_within(&self, shapes: &[Shape]) -> Vec<Vec<i32>> {
        let mut bare = None;
        let mut within = |shape: &Shape, radius: i32| {
            let has_room = |t: &Terrain| {
                let body = |at| Body { at, radius: radius + ROOM_TO_STAND };
                shape.find_place(radius, |at| t.is_free(body(at))).is_some()
            };
            let is_entered = has_room(&self.terrain)
                || (self.terrain.solids().iter().any(|s| s.closed)
                    && has_room(bare.get_or_insert_with(|| {
                        Terrain::new(self.scenario.area.clone(), Vec::new(), self.terrain.walls().reach())
                    })));
            if is_entered { 0 } else { radius }
        };
        let radii: Vec<i32> = self.scenario.classes.iter().map(|c| c.core_radius).collect();
        shapes.iter().map(|shape| radii.iter().map(|&radius| within(shape, radius)).collect()).collect()
    }

    /// The walkable area with its doors and added obstacles.
    pub fn terrain(&self) -> &Terrain {
        &self.terrain
    }

    /// Every goal, in order of id.
    pub fn goals(&self) -> &[GoalNow] {
        &self.goals
    }

    /// The goal with this id.
    ///
    /// # Panics
    /// If there is none.
    pub fn goal(&self, id: GoalId) -> &GoalNow {
        &self.goals[id.index()]
    }

    /// Where slot `slot` of `goal` is.
    pub fn slot(&self, goal: GoalId, slot: SlotId) -> Option<Point> {
        self.goal(goal).slots.get(slot.index()).copied()
    }

    /// Raised by every change of doors, obstacles or ground.
    pub fn ground_version(&self) -> u32 {
        self.ground_version
    }

    /// The factor on walking speed at `point`: the lowest of the grounds there.
    pub fn speed_factor(&self, point: Point) -> f32 {
        let here = self.grounds.iter().filter(|g| self.scenario.region(g.region).shape.contains(point));
        here.map(|g| g.speed).fold(1.0, f32::min)
    }

    /// The price per metre in every cell for a class, at least 1: the highest of the grounds there.
    pub fn price_grid(&self, class: ClassId) -> Grid<f32> {
        let mut price = Grid::filled(self.scenario.grid, 1.0_f32);
        for ground in &self.grounds {
            let value = ground.prices[class.index()];
            self.for_cells_of(ground.region, |cell| price.values[cell] = price.values[cell].max(value));
        }
        price
    }

    /// Which cells are closed to a class by ground.
    pub fn closed_grid(&self, class: ClassId) -> Grid<bool> {
        let mut closed = Grid::filled(self.scenario.grid, false);
        for ground in self.grounds.iter().filter(|g| g.closed_to[class.index()]) {
            self.for_cells_of(ground.region, |cell| closed.values[cell] = true);
        }
        closed
    }

    fn for_cells_of(&self, region: RegionId, mut visit: impl FnMut(usize)) {
        let cells = self.scenario.region(region).shape.cells(self.scenario.grid);
        cells.for_each(|cell| visit(cell as usize));
    }

    /// Whether `class` may stand on the ground at `to`; one who is on closed ground already may leave it.
    fn ground_admits(&self, class: ClassId, from: Point, to: Point) -> bool {
        let closed = self.grounds.iter().filter(|g| g.closed_to[class.index()]);
        let mut shapes = closed.map(|g| &self.scenario.region(g.region).shape);
        !shapes.any(|s| s.contains(to) && !s.contains(from))
    }

    /// Whether walls, one-way doors and closed ground let a body of `class` move straight to `to`.
    pub fn admits(&self, class: ClassId, body: Body, to: Point) -> bool {
        self.terrain.is_clear(body, to)
            && self.one_ways_admit(body.at, to)
            && self.ground_admits(class, body.at, to)
    }

    /// Whether a body of `class` could walk straight to `to`, however far: no wall or closed door in the way of its core, no
    /// ground that is closed to it, no one-way door against it. Exact.
    pub fn is_open_straight(&self, class: ClassId, body: Body, to: Point) -> bool {
        let meets = |shape: &Shape| {
            let edge = |(a, b)| Wall { a, b, solid: None };
            shape.contains(body.at) || shape.edges().into_iter().any(|e| !edge(e).is_clear_of(body.at, to, 0))
        };
        let is_closed =
            |g: &Ground| g.closed_to[class.index()] && meets(&self.scenario.region(g.region).shape);
        let goes_against =
            |(shape, way): &(Shape, [f64; 2])| to.minus(body.at).goes_against(*way) && meets(shape);
        self.terrain.sees(body, to)
            && !self.grounds.iter().any(is_closed)
            && !self.one_ways().iter().any(goes_against)
    }

    /// The regions of one-way doors that are open, with their directions.
    pub fn one_ways(&self) -> Vec<(Shape, [f64; 2])> {
        let open = |i: &usize| !self.terrain.solids()[*i].closed;
        let gates = self.gates.iter().enumerate().filter(|(i, _)| open(i));
        gates.filter_map(|(_, g)| Some((g.shape.clone(), g.one_way?))).collect()
    }

    /// Whether no one-way door forbids the straight move between two places.
    fn one_ways_admit(&self, from: Point, to: Point) -> bool {
        let step = to.minus(from);
        let bound = |g: &&Gate| g.shape.contains(from) || g.shape.contains(to);
        !self.gates.iter().filter(bound).any(|g| g.one_way.is_some_and(|way| step.goes_against(way)))
    }

    /// Whether every capped door lets a body enter that moves between two places at `now_us`; counts it if so.
    pub fn enter_gates(&mut self, from: Point, to: Point, now_us: u64, tick_us: u64) -> bool {
        let enters = |g: &Gate| g.interval_us.is_some() && g.shape.contains(to) && !g.shape.contains(from);
        if self.gates.iter().any(|g| enters(g) && now_us < g.next_entry_us) {
            return false;
        }
        for gate in self.gates.iter_mut().filter(|g| enters(g)) {
            // A late entry within the tick keeps the mean; an idle door saves nothing up.
            let due = gate.next_entry_us.max(now_us.saturating_sub(tick_us));
            gate.next_entry_us = due + gate.interval_us.unwrap_or(0);
        }
        true
    }

    /// Opens or closes a door.
    pub fn set_door(&mut self, door: DoorId, open: bool) {
        self.terrain.change_solids(|solids| solids[door.index()].closed = !open);
        self.ground_version += 1;
    }

    /// Adds a solid obstacle.
    pub fn add_obstacle(&mut self, shape: Shape) -> ObstacleId {
        let id = ObstacleId::from_index(self.terrain.solids().len() - self.scenario.doors.len());
        self.terrain.change_solids(|solids| solids.push(Solid { shape, closed: true }));
        self.ground_version += 1;
        id
    }

    /// Takes an added obstacle out.
    pub fn remove_obstacle(&mut self, obstacle: ObstacleId) {
        let index = self.scenario.doors.len() + obstacle.index();
        self.terrain.change_solids(|solids| solids[index].closed = false);
        self.ground_version += 1;
    }

    /// Changes ground; a region that had none gets it. Absent entries stay as they are.
    pub fn set_ground(
        &mut self,
        region: RegionId,
        price: Option<f32>,
        speed: Option<f32>,
        closed: &[(ClassId, bool)],
    ) {
        let classes = self.scenario.classes.len();
        let known = self.grounds.iter().position(|g| g.region == region);
        let index = known.unwrap_or_else(|| {
            let prices = vec![1.0; classes];
            self.grounds.push(Ground { region, prices, speed: 1.0, closed_to: vec![false; classes] });
            self.grounds.len() - 1
        });
        let ground = &mut self.grounds[index];
        if let Some(price) = price {
            ground.prices.fill(price);
        }
        ground.speed = speed.unwrap_or(ground.speed);
        for &(class, is_closed) in closed {
            ground.closed_to[class.index()] = is_closed;
        }
        self.ground_version += 1;
    }

    /// Adds a goal.
    pub fn add_goal(&mut self, name: String, shape: Shape, leave: bool) -> GoalId {
        let arrival = if leave { Arrival::Leave } else { Arrival::Stay };
        let mut goal = GoalNow {
            name,
            place: GoalPlace::Shapes(vec![shape]),
            arrives_within: Vec::new(),
            arrival,
            slots: Vec::new(),
            fifo: false,
            named_slots: false,
            capacity: None,
            version: 0,
            released: None,
        };
        self.find_places(&mut goal);
        self.goals.push(goal);
        GoalId::from_index(self.goals.len() - 1)
    }

    /// Moves a goal; its named slots are given up for places at the new one.
    pub fn move_goal(&mut self, id: GoalId, shape: Shape) {
        let mut goal = self.goals[id.index()].clone();
        goal.place = GoalPlace::Shapes(vec![shape]);
        goal.named_slots = false;
        goal.slots.clear();
        goal.version += 1;
        self.find_places(&mut goal);
        self.goals[id.index()] = goal;
    }

    /// Lets everybody who waits at a goal at `tick` go on.
    pub fn release(&mut self, goal: GoalId, tick: Tick) {
        self.goals[goal.index()].released = Some(tick);
    }

    /// The shape of a specification in metres; an error where it is not a shape or lies too far away.
    ///
    /// # Errors
    /// If a coordinate is not finite or beyond the limits, or the shape has no area.
    pub fn shape(&self, spec: &ShapeSpec) -> Result<Shape, CommandError> {
        shape_of(spec, &self.scenario).ok_or(CommandError::Range {
            what: "a shape",
            allowed: "of some area, with finite coordinates within 20 km of the area, or a known region",
        })
    }

    /// Whether everything that an action names exists and every value is in range.
    ///
    /// # Errors
    /// The first thing that is wrong. Whether an agent is inside is not asked here.
    pub fn check(&self, action: &Action) -> Result<(), CommandError> {
        let known = |kind, id: u32, count: usize| {
            ((id as usize) < count).then_some(()).ok_or(CommandError::Unknown { kind, id })
        };
        let goals = self.goals.len();
        match action {
            Action::AddAgent { class, goal, speed_mps, at_m } => {
                known("class", class.0, self.scenario.classes.len())?;
                goal.map_or(Ok(()), |g| known("goal", g.0, goals))?;
                check_speed(*speed_mps)?;
                let no_place = CommandError::Range { what: "a place", allowed: "within 20 km of the area" };
                self.scenario.place(*at_m).map(|_| ()).ok_or(no_place)
            }
            Action::RemoveAgent { .. } => Ok(()),
            Action::SetGoal { goal, .. } => goal.map_or(Ok(()), |g| known("goal", g.0, goals)),
            Action::SetSpeed { speed_mps, .. } => check_speed(Some(*speed_mps)),
            Action::SetPreferredVelocity { velocity_mps, .. } => {
                let finite = velocity_mps.is_none_or(|v| v.iter().all(|c| c.is_finite()));
                finite.then_some(()).ok_or(CommandError::Range { what: "a velocity", allowed: "finite" })
            }
            Action::AddGoal { shape, .. } | Action::AddObstacle { shape } => self.shape(shape).map(|_| ()),
            Action::MoveGoal { goal, shape } => {
                known("goal", goal.0, goals).and(self.shape(shape).map(|_| ()))
            }
            Action::RemoveObstacle { obstacle } => {
                known("obstacle", obstacle.0, self.terrain.solids().len() - self.scenario.doors.len())
            }
            Action::SetDoor { door, .. } => known("door", door.0, self.scenario.doors.len()),
            Action::SetGround { region, price, speed, closed_to, open_to } => {
                known("region", region.0, self.scenario.regions.len())?;
                let mut classes = closed_to.iter().chain(open_to);
                classes.try_for_each(|c| known("class", c.0, self.scenario.classes.len()))?;
                check_ground(*price, *speed)
            }
            Action::Release { goal } => known("goal", goal.0, goals),
        }
    }

    /// What can change, for a checkpoint.
    pub fn state(&self) -> SiteState {
        SiteState {
            solids: self.terrain.solids().to_vec(),
            grounds: self.grounds.clone(),
            goals: self.goals.clone(),
            next_entries_us: self.gates.iter().map(|g| g.next_entry_us).collect(),
            ground_version: self.ground_version,
        }
    }
}

/// Units; a place in a goal that leaves less than this between a core and the walls is none: nobody would find it.
const ROOM_TO_STAND: i32 = 500;
/// Units; free space between the comfort discs of two who hold neighbouring slots.
const SLOT_GAP: i32 = 2_000;
/// Units; a round goal up to this size is a point: its slots lie around it.
const POINT_RADIUS: i32 = 50_000;
/// Rings of slots around a point.
const POINT_RINGS: i32 = 20;

/// Metres beyond its comfort disc and one tick's way within which walls concern a body.
const WALL_MARGIN_M: f64 = 0.3;

fn wall_reach(scenario: &Scenario) -> i32 {
    let radius = scenario.classes.iter().map(|c| c.comfort_radius).max().unwrap_or(0);
    let speeds = scenario.agents.iter().filter_map(|a| a.speed_mps);
    let speed = scenario.classes.iter().map(|c| c.speed_mps.range().1).chain(speeds).fold(0.0, f64::max);
    let margin = WALL_MARGIN_M + f64::from(scenario.steering.wall_bend_reach_m);
    let way = (speed * f64::from(scenario.clock.tick_s())).max(f64::from(scenario.grid.cell) * 1.5e-5);
    radius + crate::base::units(way + margin).unwrap_or(i32::MAX / 4)
}

fn lattice_rings(shapes: &[Shape], middle: Point, spacing: i32) -> i32 {
    let far = |s: &Shape| {
        let b = s.bounds()?;
        let reach = [b.min.x - middle.x, b.max.x - middle.x, b.min.y - middle.y, b.max.y - middle.y];
        reach.iter().map(|v| v.abs()).max()
    };
    shapes.iter().filter_map(far).max().unwrap_or(0) / (spacing * 3 / 4).max(1) + 2
}

/// Places in shapes for bodies of one size, on a hexagonal lattice, from the middle outwards.
fn lattice_places(terrain: &Terrain, shapes: &[Shape], core: i32, comfort: i32) -> Vec<Point> {
    let spacing = (2 * comfort + SLOT_GAP).max(SLOT_GAP);
    let is_free = |at: Point| terrain.is_free(Body { at, radius: core });
    let is_point = matches!(shapes, [Shape::Circle { radius, .. }] if *radius <= POINT_RADIUS);
    let fitting = shapes.iter().find_map(|shape| shape.find_place(core, is_free));
    let anchor = || shapes.iter().find_map(Shape::anchor).filter(|_| is_point);
    let Some(middle) = fitting.or_else(anchor) else { return Vec::new() };
    let rings = if is_point { POINT_RINGS } else { lattice_rings(shapes, middle, spacing) };
    let mut slots: Vec<Point> = hex_lattice(middle, spacing, rings)
        .filter(|&p| is_point || shapes.iter().any(|s| s.contains(p)))
        .filter(|&p| is_free(p))
        .collect();
    slots.sort_by_key(|p| (p.minus(middle).length_squared(), p.y, p.x));
    slots
}

fn hex_lattice(middle: Point, spacing: i32, rings: i32) -> impl Iterator<Item = Point> {
    // Rows are sqrt(3)/2 of the spacing apart; 1732/2000 keeps it in integers.
    let row_height = (i64::from(spacing) * 1732 / 2000) as i32;
    (-rings..=rings).flat_map(move |row| {
        let shift = if row % 2 == 0 { 0 } else { spacing / 2 };
        (-rings..=rings)
            .map(move |column| Point::new(middle.x + column * spacing + shift, middle.y + row * row_height))
    })
}

fn shape_of(spec: &ShapeSpec, scenario: &Scenario) -> Option<Shape> {
    let place = |p: [f64; 2]| scenario.place(p);
    let shape = match spec {
        ShapeSpec::Rect([x0, y0, x1, y1]) => {
            let corners = [[*x0, *y0], [*x1, *y0], [*x1, *y1], [*x0, *y1]];
            Shape::Polygon(vec![corners.into_iter().map(place).collect::<Option<_>>()?])
        }
        ShapeSpec::Polygon(rings) => {
            let ring = |r: &Vec<[f64; 2]>| r.iter().copied().map(place).collect::<Option<Vec<Point>>>();
            Shape::Polygon(rings.iter().map(ring).collect::<Option<_>>()?)
        }
        ShapeSpec::Circle([x, y, r]) => Shape::Circle {
            centre: place([x - r, y - r]).and(place([x + r, y + r])).and(place([*x, *y]))?,
            radius: crate::base::units(*r).filter(|r| (1..=1_000_000_000).contains(r))?,
        },
        ShapeSpec::Region(region) => scenario.regions.get(region.index())?.shape.clone(),
    };
    (shape.area_m2() > 0.0).then_some(shape)
}

fn check_speed(speed_mps: Option<f64>) -> Result<(), CommandError> {
    let allowed = speed_mps.is_none_or(|v| v > 0.0 && v <= crate::base::limit::SPEED_MPS);
    allowed
        .then_some(())
        .ok_or(CommandError::Range { what: "a speed", allowed: "above 0 and at most 10 m/s" })
}

fn check_ground(price: Option<f32>, speed: Option<f32>) -> Result<(), CommandError> {
    let price_allowed = price.is_none_or(|p| (1.0..=crate::base::limit::PRICE as f32).contains(&p));
    price_allowed.then_some(()).ok_or(CommandError::Range { what: "a price", allowed: "from 1 to 10000" })?;
    let speed_allowed = speed.is_none_or(|s| s > 0.0 && s <= 1.0);
    speed_allowed
        .then_some(())
        .ok_or(CommandError::Range { what: "a speed factor", allowed: "above 0 and at most 1" })
}

/// Microseconds at the end of a tick's step, and of one tick: what capped doors reckon with.
pub fn gate_clock(clock: Clock, tick: Tick) -> (u64, u64) {
    (clock.ms(tick) * 1000, u64::from(clock.tick_ms) * 1000)
}

impl SiteState {
    /// The site of `scenario` as it was when this state was taken.
    pub fn restore(self, scenario: &Arc<Scenario>) -> Site {
        let mut site = Site::new(scenario);
        site.terrain.change_solids(|solids| *solids = self.solids);
        site.grounds = self.grounds;
        site.goals = self.goals;
        site.ground_version = self.ground_version;
        for (gate, next) in site.gates.iter_mut().zip(self.next_entries_us) {
            gate.next_entry_us = next;
        }
        site
    }
}
