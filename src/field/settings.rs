//! What a scenario chooses about guidance (`[guidance]`).

use serde::{Deserialize, Serialize};

/// How many neighbours a cell has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Neighbourhood {
    /// North, east, south, west.
    Four,
    /// The four and the diagonals.
    #[default]
    Eight,
}

/// When a diagonal move is legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Diagonal {
    /// Both flanking cells are open.
    #[default]
    Strict,
    /// At least one flanking cell is open.
    OneFlank,
    /// Whatever the flanks are; for worlds without bodies.
    Free,
}

/// How distances to the goal are computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Solver {
    /// Breadth-first labels: every move costs 1; four neighbours.
    Labels,
    /// Dijkstra (1959) with a binary heap.
    Dijkstra,
    /// Dijkstra with buckets.
    BucketDijkstra,
    /// Dijkstra with move lengths, in cells, from a 3x3 matrix whose middle is ignored; 0 forbids a move.
    /// Row 0 is the upper row.
    Kernel([[f64; 3]; 3]),
    /// The eikonal equation by fast marching (Sethian 1996).
    #[default]
    FastMarching,
    /// The eikonal equation by fast sweeping (Zhao 2005).
    FastSweeping,
    /// The eikonal equation by the fast iterative method (Jeong and Whitaker 2008).
    FastIterative,
}

/// How a direction is made from distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Derivation {
    /// The first legal neighbour in the tie order that attains the minimum of move cost plus distance.
    Parent,
    /// The legal neighbour with the steepest descent per length.
    BestNeighbour,
    /// The 3x3 Sobel operator.
    Sobel,
    /// A sum of the legal neighbours' directions, weighted by their distance values.
    Weighted(Weight),
    /// The upwind gradient of the eikonal equation.
    #[default]
    Gradient,
    /// No directions are kept: each query descends the distances in the tie order.
    OnDemand,
}

/// How much a neighbour counts in [`Derivation::Weighted`], by its remaining cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Weight {
    /// 1 / d.
    #[default]
    Inverse,
    /// 1 / d^2.
    InverseSquare,
    /// exp(-d).
    Exponential,
    /// exp(-(d - dmin) / h), normalised.
    Softmin,
}

/// How a direction is read between cell centres.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sampling {
    /// The cell's own.
    Nearest,
    /// Blended from the four cells around, never across a wall.
    #[default]
    Bilinear,
}

/// What stands in for a neighbour that a derivation lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WallFallback {
    /// It counts as the centre's value.
    #[default]
    Neutral,
    /// The whole cell takes the direction of its best legal neighbour.
    BestNeighbour,
}

/// One of the four directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compass {
    /// y up.
    North,
    /// x right.
    East,
    /// y down.
    South,
    /// x left.
    West,
}

/// The order in which equal neighbours are tried: the four straight ones, then the diagonals between each and its
/// successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TieOrder(pub [Compass; 4]);

impl Default for TieOrder {
    fn default() -> Self {
        Self([Compass::North, Compass::East, Compass::South, Compass::West])
    }
}

/// When a field that was asked for becomes visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Publish {
    /// In the tick that asked.
    #[default]
    SameTick,
    /// So many ticks later; until then the old one serves.
    AfterTicks(u32),
}

/// Everything a scenario chooses about guidance. The defaults are the recommended values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guidance {
    /// Four or eight neighbours.
    pub neighbours: Neighbourhood,
    /// When a diagonal is legal.
    pub diagonal: Diagonal,
    /// The distance solver.
    pub solver: Solver,
    /// Of accuracy, 1 or 2; eikonal solvers only, and of second order always by marching.
    pub order: u8,
    /// Whether the distance is factored by that of an open plane: by eikonal solvers, always by marching, and for goals of
    /// one cell only.
    pub factored: bool,
    /// The direction derivation.
    pub derivation: Derivation,
    /// Nearest or bilinear.
    pub sampling: Sampling,
    /// What stands in for a missing neighbour.
    pub wall_fallback: WallFallback,
    /// Order among equals.
    pub tie_order: TieOrder,
    /// Whether an agent that sees its goal walks straight where that costs no more than the field says.
    pub line_of_sight: bool,
    /// Cells along the side of a tile; 0 solves the whole field at once.
    pub tile_cells: u32,
    /// Bytes that published fields may take.
    pub cache_bytes: u64,
    /// When a field becomes visible.
    pub publish: Publish,
}

impl Default for Guidance {
    fn default() -> Self {
        Self {
            neighbours: Neighbourhood::default(),
            diagonal: Diagonal::default(),
            solver: Solver::default(),
            order: 1,
            factored: false,
            derivation: Derivation::default(),
            sampling: Sampling::default(),
            wall_fallback: WallFallback::default(),
            tie_order: TieOrder::default(),
            line_of_sight: false,
            tile_cells: 0,
            cache_bytes: 1_000_000_000,
            publish: Publish::default(),
        }
    }
}
