//! Analysis of direction fields: divergence, curl, what part of a field is a gradient, and where its arrows end.
//!
//! **Determinism:** sums are made in the order of cells; no threads.

use super::direction::nearest_step;
use super::transition::Moves;
use crate::base::metres;
use crate::space::{CellIndex, Grid, GridFrame};
use glam::Vec2;

/// A direction in every cell; `None` where there is none.
pub type Arrows = Grid<Option<Vec2>>;

/// How a component changes per metre along an axis: between the neighbours where both have arrows, else one-sided.
fn slope(arrows: &Arrows, cell: CellIndex, (dx, dy): (i32, i32), part: fn(Vec2) -> f32) -> Option<f64> {
    let frame = arrows.frame;
    let value = |c: CellIndex| arrows[c].map(|v| f64::from(part(v)));
    let here = value(cell)?;
    let beside = |sign: i32| frame.neighbour(cell, sign * dx, sign * dy).and_then(value);
    let rise = match (beside(1), beside(-1)) {
        (Some(ahead), Some(behind)) => (ahead - behind) * 0.5,
        (Some(ahead), None) => ahead - here,
        (None, Some(behind)) => here - behind,
        (None, None) => 0.0,
    };
    Some(rise / metres(frame.cell))
}

fn every_cell(arrows: &Arrows, value: impl Fn(CellIndex) -> Option<f64>) -> Grid<Option<f64>> {
    Grid { frame: arrows.frame, values: (0..arrows.frame.len() as u32).map(value).collect() }
}

/// How much more flows out of each cell than in, per metre; negative where arrows meet.
pub fn divergence(arrows: &Arrows) -> Grid<Option<f64>> {
    let sum = |c| Some(slope(arrows, c, (1, 0), |v| v.x)? + slope(arrows, c, (0, 1), |v| v.y)?);
    every_cell(arrows, sum)
}

/// How much the arrows turn around each cell, per metre; positive counter-clockwise.
pub fn curl(arrows: &Arrows) -> Grid<Option<f64>> {
    let difference = |c| Some(slope(arrows, c, (1, 0), |v| v.y)? - slope(arrows, c, (0, 1), |v| v.x)?);
    every_cell(arrows, difference)
}

/// What flows along the edges between cells, in metres: the mean of both arrows along the edge times its length.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeFlow {
    /// From each cell to the one on its right; 0 where there is no edge.
    pub east: Vec<f64>,
    /// From each cell to the one above it; 0 where there is no edge.
    pub north: Vec<f64>,
}

impl EdgeFlow {
    /// The sum of squares over all edges.
    pub fn energy(&self) -> f64 {
        self.east.iter().chain(&self.north).map(|v| v * v).sum()
    }

    fn minus(&self, other: &Self) -> Self {
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect();
        Self { east: difference(&self.east, &other.east), north: difference(&self.north, &other.north) }
    }
}

/// The parts of a flow, mutually orthogonal: their energies add up to the whole's.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// The flow that was decomposed.
    pub whole: EdgeFlow,
    /// What descends some height: no part of it turns in a circle.
    pub gradient: EdgeFlow,
    /// What turns around places inside the walkable area: nothing flows in or out.
    pub rotational: EdgeFlow,
    /// What is left: it circles holes, without divergence and without turning anywhere.
    pub harmonic: EdgeFlow,
    /// What divergence and curl the harmonic part still has, against the whole; how far the solution is from exact.
    pub residual: f64,
}

/// Cells with arrows, the edges between them and the faces between four of them.
struct Complex {
    frame: GridFrame,
    has_east: Vec<bool>,
    has_north: Vec<bool>,
    /// Of the face whose lower left corner is the cell.
    has_face: Vec<bool>,
}

impl Complex {
    fn new(arrows: &Arrows) -> Self {
        let frame = arrows.frame;
        let cells = 0..frame.len() as u32;
        let is_there = |c: CellIndex, (dx, dy): (i32, i32)| {
            let near = frame.neighbour(c, dx, dy).filter(|&n| n != c);
            arrows[c].is_some() && near.is_some_and(|n| arrows[n].is_some())
        };
        let all =
            |deltas: &[(i32, i32)]| cells.clone().map(|c| deltas.iter().all(|&d| is_there(c, d))).collect();
        Self {
            frame,
            has_east: all(&[(1, 0)]),
            has_north: all(&[(0, 1)]),
            has_face: all(&[(1, 0), (0, 1), (1, 1)]),
        }
    }

    fn flow(&self, east: impl Fn(CellIndex) -> f64, north: impl Fn(CellIndex) -> f64) -> EdgeFlow {
        let on = |has: &[bool], value: &dyn Fn(CellIndex) -> f64| {
            (0..has.len() as u32).map(|c| if has[c as usize] { value(c) } else { 0.0 }).collect()
        };
        EdgeFlow { east: on(&self.has_east, &east), north: on(&self.has_north, &north) }
    }

    /// The value of a neighbour, or 0 beyond the grid.
    fn beside(&self, values: &[f64], cell: CellIndex, delta: (i32, i32)) -> f64 {
        self.frame.neighbour(cell, delta.0, delta.1).map_or(0.0, |n| values[n as usize])
    }

    fn gradient(&self, height: &[f64]) -> EdgeFlow {
        let rise = |c: CellIndex, delta| self.beside(height, c, delta) - height[c as usize];
        self.flow(|c| rise(c, (1, 0)), |c| rise(c, (0, 1)))
    }

    /// What flows into each cell less what flows out: the transpose of the gradient.
    fn inflow(&self, flow: &EdgeFlow) -> Vec<f64> {
        let into = |c: CellIndex| {
            let (west, south) = (self.beside(&flow.east, c, (-1, 0)), self.beside(&flow.north, c, (0, -1)));
            west - flow.east[c as usize] + south - flow.north[c as usize]
        };
        (0..self.frame.len() as u32).map(into).collect()
    }

    /// What flows around each face, counter-clockwise.
    fn circulation(&self, flow: &EdgeFlow) -> Vec<f64> {
        let around = |c: CellIndex| {
            let (right, top) = (self.beside(&flow.north, c, (1, 0)), self.beside(&flow.east, c, (0, 1)));
            flow.east[c as usize] + right - top - flow.north[c as usize]
        };
        (0..self.frame.len() as u32)
            .map(|c| if self.has_face[c as usize] { around(c) } else { 0.0 })
            .collect()
    }

    /// The flow around faces: the transpose of the circulation.
    fn rotation(&self, faces: &[f64]) -> EdgeFlow {
        self.flow(
            |c| faces[c as usize] - self.beside(faces, c, (0, -1)),
            |c| self.beside(faces, c, (-1, 0)) - faces[c as usize],
        )
    }
}

/// Splits a direction field into a gradient, a rotational and a harmonic part: the discrete Helmholtz-Hodge decomposition
/// on the edges between cells with arrows (Jiang, Lim, Yao and Ye 2011).
///
/// **Cost:** two solutions by conjugate gradients; some hundred passes over a grid of a hundred cells a side.
pub fn decompose(arrows: &Arrows) -> Decomposition {
    let complex = Complex::new(arrows);
    let side = metres(arrows.frame.cell);
    let mean = |part: fn(Vec2) -> f32, delta| {
        let component =
            arrows.values.iter().map(|v| v.map_or(0.0, |v| f64::from(part(v)))).collect::<Vec<_>>();
        let complex = &complex;
        move |c: CellIndex| (component[c as usize] + complex.beside(&component, c, delta)) * 0.5 * side
    };
    let whole = complex.flow(mean(|v| v.x, (1, 0)), mean(|v| v.y, (0, 1)));
    let height = conjugate_gradients(|x| complex.inflow(&complex.gradient(x)), &complex.inflow(&whole));
    let faces =
        conjugate_gradients(|x| complex.circulation(&complex.rotation(x)), &complex.circulation(&whole));
    let (gradient, rotational) = (complex.gradient(&height), complex.rotation(&faces));
    let harmonic = whole.minus(&gradient).minus(&rotational);
    let left = dot(&complex.inflow(&harmonic), &complex.inflow(&harmonic))
        + dot(&complex.circulation(&harmonic), &complex.circulation(&harmonic));
    let energy = whole.energy();
    let residual = if energy > 0.0 { (left / energy).sqrt() } else { 0.0 };
    Decomposition { whole, gradient, rotational, harmonic, residual }
}

/// Of the right-hand side; where conjugate gradients stop.
const TOLERANCE: f64 = 1.0e-12;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves `apply(x) = b` for a symmetric, positive semidefinite `apply` whose range holds `b` (Hestenes and Stiefel 1952).
fn conjugate_gradients(apply: impl Fn(&[f64]) -> Vec<f64>, b: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; b.len()];
    let (mut rest, mut way) = (b.to_vec(), b.to_vec());
    let mut left = dot(&rest, &rest);
    let enough = TOLERANCE * TOLERANCE * left;
    // In exact arithmetic it ends after as many rounds as there are unknowns.
    for _ in 0..b.len() {
        let image = apply(&way);
        let bend = dot(&way, &image);
        if left <= enough || bend <= 0.0 {
            break;
        }
        let step = left / bend;
        for (i, x) in x.iter_mut().enumerate() {
            *x += step * way[i];
            rest[i] -= step * image[i];
        }
        let before = std::mem::replace(&mut left, dot(&rest, &rest));
        for (way, rest) in way.iter_mut().zip(&rest) {
            *way = rest + left / before * *way;
        }
    }
    x
}

/// Where following arrows from cell to cell ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArrowEnds {
    /// Cells that lead nowhere, though they have an arrow or an arrow leads to them: of a sound field, cells of its goal.
    pub sinks: Vec<CellIndex>,
    /// Ways that come back to where they began: each from its smallest cell, in order of that cell. A sound field has none.
    pub cycles: Vec<Vec<CellIndex>>,
}

/// Follows the arrows of every cell, each to the neighbour that lies nearest to its direction, if that step is legal.
pub fn follow_arrows(arrows: &Arrows, moves: &Moves) -> ArrowEnds {
    let next = |cell: CellIndex| {
        let step = nearest_step(arrows[cell]?).filter(|&step| moves.is_legal(cell, step))?;
        moves.neighbour(cell, step)
    };
    let mut ends = ArrowEnds::default();
    // For each cell the first cell of the walk that has seen it.
    let mut seen: Vec<Option<CellIndex>> = vec![None; arrows.frame.len()];
    for start in (0..arrows.frame.len() as u32).filter(|&c| arrows[c].is_some()) {
        let mut walk = Vec::new();
        let mut cell = start;
        while seen[cell as usize].is_none() {
            seen[cell as usize] = Some(start);
            walk.push(cell);
            match next(cell) {
                Some(to) => cell = to,
                None => {
                    ends.sinks.push(cell);
                    walk.clear();
                    break;
                }
            }
        }
        if let Some(first) = walk.iter().position(|&c| c == cell) {
            let mut cycle = walk.split_off(first);
            let smallest = cycle.iter().enumerate().min_by_key(|(_, c)| **c).map_or(0, |(i, _)| i);
            cycle.rotate_left(smallest);
            ends.cycles.push(cycle);
        }
    }
    ends.sinks.sort_unstable();
    ends.cycles.sort_unstable();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Workers;
    use crate::field::{Field, Guidance, Transition};

    const FRAME: GridFrame = GridFrame { columns: 24, rows: 20, cell: 50_000, ring: false };

    /// Arrows as a function of metres from the middle; `None` in the hole.
    fn arrows(hole_m: f32, arrow: impl Fn(f32, f32) -> Vec2) -> Arrows {
        let middle = FRAME.centre(FRAME.columns / 2 + FRAME.rows / 2 * FRAME.columns);
        let at = |cell: u32| {
            let place = FRAME.centre(cell).minus(middle).metres();
            (place.length() >= hole_m).then(|| arrow(place.x, place.y))
        };
        Grid { frame: FRAME, values: (0..FRAME.len() as u32).map(at).collect() }
    }

    fn shares(parts: &Decomposition) -> [f64; 3] {
        assert!(parts.residual < 1e-9, "{}", parts.residual);
        let whole = parts.whole.energy();
        let shares = [&parts.gradient, &parts.rotational, &parts.harmonic].map(|p| p.energy() / whole);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "the parts are orthogonal: {shares:?}");
        shares
    }

    #[test]
    fn divergence_and_curl_of_known_fields() {
        let of = |f: fn(&Arrows) -> Grid<Option<f64>>, arrows: &Arrows| -> (f64, f64) {
            let values: Vec<f64> = f(arrows).values.into_iter().flatten().collect();
            assert!(values.len() > 400);
            (values.iter().copied().fold(9.0, f64::min), values.iter().copied().fold(-9.0, f64::max))
        };
        let near = |(low, high): (f64, f64), to: f64| (low - to).abs() < 1e-5 && (high - to).abs() < 1e-5;
        let outwards = arrows(0.0, |x, y| Vec2::new(2.0 * x, y));
        assert!(near(of(divergence, &outwards), 3.0) && near(of(curl, &outwards), 0.0));
        let turning = arrows(1.0, |x, y| Vec2::new(-y, x));
        assert!(near(of(divergence, &turning), 0.0) && near(of(curl, &turning), 2.0));
    }

    #[test]
    fn a_gradient_is_all_gradient() {
        let parts = decompose(&arrows(1.3, |x, y| Vec2::new(2.0 * x + y, x - y)));
        assert!(shares(&parts)[0] > 1.0 - 1e-9);
    }

    /// A whirl that comes to rest at the rim.
    #[test]
    fn a_rotation_is_all_rotation() {
        let whirl = arrows(0.0, |x, y| {
            let fall = (16.0 - x * x - y * y).max(0.0);
            Vec2::new(-y, x) * (fall * fall)
        });
        assert!(shares(&decompose(&whirl))[1] > 0.999);
    }

    /// Round a hole, falling as 1 / r: neither divergence nor curl, and yet no gradient.
    #[test]
    fn a_flow_around_a_hole_is_harmonic() {
        let around = |x: f32, y: f32| Vec2::new(-y, x) / (x * x + y * y);
        for hole_m in [0.2, 1.6] {
            let with_hole = shares(&decompose(&arrows(hole_m, around)));
            assert!(with_hole[2] > 0.95, "{with_hole:?}");
        }
        let whole = arrows(0.0, |x, y| if (x, y) == (0.0, 0.0) { Vec2::ZERO } else { around(x, y) });
        let without = shares(&decompose(&whole));
        assert!(without[2] < 1e-9, "without a hole nothing is harmonic: {without:?}");
    }

    #[test]
    fn arrows_of_a_field_end_at_its_goal_and_nowhere_circle() {
        let guidance = Guidance::default();
        let speed = Grid {
            frame: FRAME,
            values: (0..FRAME.len() as u32)
                .map(|c| if c % 7 == 3 && c % 24 > 1 { 0.0 } else { 1.0 })
                .collect(),
        };
        let transition = Transition::from_speeds(&speed, &guidance);
        let goals = [0, 1, 24];
        let field = Field::build(transition, &goals, &guidance, &Workers::new(1));
        let ends = follow_arrows(&field.arrows(), &field.transition().moves);
        assert!(ends.cycles.is_empty(), "{ends:?}");
        assert!(!ends.sinks.is_empty() && ends.sinks.iter().all(|c| goals.contains(c)), "{ends:?}");
    }

    #[test]
    fn circles_and_dead_ends_are_found() {
        let frame = GridFrame { columns: 4, rows: 2, cell: 50_000, ring: false };
        let open = Grid::filled(frame, true);
        let moves = Moves::between_cells(&open, &Guidance::default());
        // Three in a circle with one that leads in, and two that lead against each other's wall.
        let (right, up, left, down) = (Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y);
        let values = [right, up, left, right, down, left, up, up].map(Some).to_vec();
        let ends = follow_arrows(&Grid { frame, values }, &moves);
        assert_eq!(ends.cycles, [vec![0, 1, 5, 4]]);
        assert_eq!(ends.sinks, [3, 6, 7]);
    }
}
