//! Geometry: shapes, the walkable area, walls, clearance, grids and the neighbour index.
//! Knows nothing of agents, classes or fields.

mod area;
mod clearance;
mod grid;
mod neighbours;
mod rect;
mod shape;
mod terrain;
mod topology;
mod wall;

pub use area::{Area, AreaError};
pub(crate) use area::{row_runs, union_of};
pub use clearance::{clearance_grid, repair_clearance};
pub use grid::{CellIndex, Grid, GridFrame};
pub use neighbours::NeighbourIndex;
pub use rect::{Rect, Ring};
pub use shape::Shape;
pub use terrain::{Body, Solid, Terrain};
pub use topology::Topology;
pub use wall::{Wall, WallIndex};
