//! The words that a scenario file may use, and what each stands for.

use super::value::Word;
use crate::field::{Diagonal, Sampling, WallFallback, Weight};

/// Gives the values of a type their words.
macro_rules! words {
    ($($kind:ident { $($variant:ident = $word:literal,)+ })+) => {$(
        impl Word for $kind {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
        }

        #[cfg(feature = "cli")]
        impl schemars::JsonSchema for $kind {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($kind).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": [$($word),+] })
            }
        }
    )+};
}

words! {
    Diagonal { Strict = "strict", OneFlank = "one-flank", Free = "free", }
    Sampling { Nearest = "nearest", Bilinear = "bilinear", }
    WallFallback { Neutral = "neutral", BestNeighbour = "best-neighbour", }
    Weight { Inverse = "inverse", InverseSquare = "inverse-square", Exponential = "exponential", Softmin = "softmin", }
    DistanceWord {
        Labels = "labels",
        Dijkstra = "dijkstra",
        BucketDijkstra = "bucket-dijkstra",
        Kernel = "kernel",
        FastMarching = "fast-marching",
        FastSweeping = "fast-sweeping",
        FastIterative = "fast-iterative",
    }
    DirectionWord {
        Parent = "parent",
        BestNeighbour = "best-neighbour",
        Sobel = "sobel",
        Weighted = "weighted",
        Gradient = "gradient",
        OnDemand = "on-demand",
    }
    PublishWord { SameTick = "same-tick", }
    ModelWord { Layered = "layered", TileSteps = "tile-steps", FieldOnly = "field-only", }
    ArrivalWord { Leave = "leave", Stay = "stay", Wait = "wait", }
    OrderWord { Any = "any", Fifo = "fifo", }
    HeadingWord { Rightwards = "+x", Leftwards = "-x", }
    ChoiceWord { Cost = "cost", Share = "share", LeastOccupied = "least-occupied", }
    PlacementWord { Random = "random", Grid = "grid", Hex = "hex", Points = "points", }
    StreamWord { Regular = "regular", Poisson = "poisson", }
}

/// `[guidance] distance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum DistanceWord {
    Labels,
    Dijkstra,
    BucketDijkstra,
    Kernel,
    FastMarching,
    FastSweeping,
    FastIterative,
}

/// `[guidance] direction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum DirectionWord {
    Parent,
    BestNeighbour,
    Sobel,
    Weighted,
    Gradient,
    OnDemand,
}

/// `[guidance] publish`, where it is a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum PublishWord {
    SameTick,
}

/// `[motion] model`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum ModelWord {
    Layered,
    TileSteps,
    FieldOnly,
}

/// `arrival` of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum ArrivalWord {
    Leave,
    Stay,
    Wait,
}

/// `order` of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum OrderWord {
    Any,
    Fifo,
}

/// `heading` of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum HeadingWord {
    Rightwards,
    Leftwards,
}

/// `by` of a stage that chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum ChoiceWord {
    Cost,
    Share,
    LeastOccupied,
}

/// `placement` of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum PlacementWord {
    Random,
    Grid,
    Hex,
    Points,
}

/// `arrivals` of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scenario) enum StreamWord {
    Regular,
    Poisson,
}
