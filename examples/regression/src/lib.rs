//! A game, say. Its crowd is tested in `tests/crowd.rs`.
