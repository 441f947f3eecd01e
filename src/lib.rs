//! Throng
pub mod base;
pub mod field;
pub mod record;
pub mod rows;
pub mod scenario;
pub mod simulation;
pub mod site;
pub mod space;
pub mod stage;
pub mod world;
