//! Every limit in one place. Beyond them a scenario is refused with an error that names the limit.

/// Metres; the longest side of a scenario, so that every difference of two places fits `i32` units.
pub const EXTENT_M: i32 = 20_000;
/// Metres; the longest ring, so that three turns of it fit.
pub const RING_M: i32 = 6_000;
/// Metres; how far below and to the left of the area a place may be named.
pub const MARGIN_M: i32 = 1_000;
/// Cells of the guidance grid.
pub const CELLS: u64 = 1 << 26;
/// Agents admitted in one run.
pub const AGENTS: u64 = 4_000_000;
/// Ticks of one run.
pub const TICKS: u32 = 100_000_000;
/// Milliseconds; shortest and longest tick.
pub const TICK_MS: (u32, u32) = (10, 100);
/// Metres; the largest body radius.
pub const RADIUS_M: f64 = 5.0;
/// Metres per second; the fastest walk. With the longest tick a body moves at most 1 m in a tick.
pub const SPEED_MPS: f64 = 10.0;
/// The highest price of a ground, per metre.
pub const PRICE: f64 = 10_000.0;
/// Corners of all shapes of a scenario together.
pub const CORNERS: usize = 1_000_000;
/// Entries of one kind in a scenario: regions, goals, doors, ...
pub const ENTRIES: usize = 60_000;
/// Bytes of a scenario or map file.
pub const FILE_BYTES: u64 = 256 << 20;
/// Bytes of a name.
pub const NAME_BYTES: usize = 200;
/// Problems listed for one file; more are counted.
pub const PROBLEMS: usize = 100;
/// Threads of one simulation.
pub const THREADS: usize = 256;
