//! Throng
pub mod base;
pub mod field;
pub mod record;
pub mod rows;
pub mod scenario;
pub mod space;
