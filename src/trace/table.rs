//! The tables of a trace: one row type a file, its Arrow schema, and the conversions between the two.

use crate::base::Digest;
use arrow_array::types::{Float32Type, Float64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// A value that a column can hold.
pub(super) trait Cell: Sized {
    /// Its type in the file.
    const KIND: DataType;
    /// Whether it may be absent.
    const NULLABLE: bool;
    /// The values as a column.
    fn column(values: impl Iterator<Item = Self>) -> ArrayRef;
    /// The values of a column; `None` where the column has another type or lacks a value.
    fn values(column: &ArrayRef) -> Option<Vec<Self>>;
    /// Whether both are the same, bit for bit.
    fn same(&self, other: &Self) -> bool;
    /// As a person reads it.
    fn text(&self) -> String;
    /// As a number, where it is one.
    fn number(&self) -> Option<f64>;
}

macro_rules! number_cells {
    ($($kind:ty: $arrow:ty, $data:ident, $text:literal;)+) => {$(
        impl Cell for $kind {
            const KIND: DataType = DataType::$data;
            const NULLABLE: bool = false;

            fn column(values: impl Iterator<Item = Self>) -> ArrayRef {
                Arc::new(PrimitiveArray::<$arrow>::from_iter_values(values))
            }

            fn values(column: &ArrayRef) -> Option<Vec<Self>> {
                let column = column.as_any().downcast_ref::<PrimitiveArray<$arrow>>()?;
                (column.null_count() == 0).then(|| column.values().to_vec())
            }

            fn same(&self, other: &Self) -> bool {
                self.to_le_bytes() == other.to_le_bytes()
            }

            fn text(&self) -> String {
                format!($text, self)
            }

            fn number(&self) -> Option<f64> {
                Some(*self as f64)
            }
        }
    )+};
}

number_cells! {
    u8: UInt8Type, UInt8, "{}";
    u32: UInt32Type, UInt32, "{}";
    f32: Float32Type, Float32, "{}";
    f64: Float64Type, Float64, "{}";
}

impl Cell for Digest {
    const KIND: DataType = DataType::UInt64;
    const NULLABLE: bool = false;

    fn column(values: impl Iterator<Item = Self>) -> ArrayRef {
        Arc::new(PrimitiveArray::<UInt64Type>::from_iter_values(values.map(|digest| digest.0)))
    }

    fn values(column: &ArrayRef) -> Option<Vec<Self>> {
        let column = column.as_any().downcast_ref::<PrimitiveArray<UInt64Type>>()?;
        (column.null_count() == 0).then(|| column.values().iter().map(|&v| Self(v)).collect())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

macro_rules! optional_cells {
    ($($kind:ty: $arrow:ty, $data:ident;)+) => {$(
        impl Cell for Option<$kind> {
            const KIND: DataType = DataType::$data;
            const NULLABLE: bool = true;

            fn column(values: impl Iterator<Item = Self>) -> ArrayRef {
                Arc::new(values.collect::<PrimitiveArray<$arrow>>())
            }

            fn values(column: &ArrayRef) -> Option<Vec<Self>> {
                Some(column.as_any().downcast_ref::<PrimitiveArray<$arrow>>()?.iter().collect())
            }

            fn same(&self, other: &Self) -> bool {
                self == other
            }

            fn text(&self) -> String {
                self.map_or_else(|| "none".to_owned(), |v| v.to_string())
            }

            fn number(&self) -> Option<f64> {
                None
            }
        }
    )+};
}

optional_cells! {
    u16: UInt16Type, UInt16;
    u32: UInt32Type, UInt32;
}

impl Cell for String {
    const KIND: DataType = DataType::Utf8;
    const NULLABLE: bool = false;

    fn column(values: impl Iterator<Item = Self>) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(values))
    }

    fn values(column: &ArrayRef) -> Option<Vec<Self>> {
        let column = column.as_any().downcast_ref::<StringArray>()?;
        column.iter().map(|text| text.map(str::to_owned)).collect()
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn text(&self) -> String {
        format!("{self:?}")
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

impl Cell for Option<String> {
    const KIND: DataType = DataType::Utf8;
    const NULLABLE: bool = true;

    fn column(values: impl Iterator<Item = Self>) -> ArrayRef {
        Arc::new(values.collect::<StringArray>())
    }

    fn values(column: &ArrayRef) -> Option<Vec<Self>> {
        let column = column.as_any().downcast_ref::<StringArray>()?;
        Some(column.iter().map(|text| text.map(str::to_owned)).collect())
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn text(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), |v| format!("{v:?}"))
    }

    fn number(&self) -> Option<f64> {
        None
    }
}

/// Two values of one column that differ.
pub(super) struct Unequal {
    pub(super) column: &'static str,
    pub(super) a: String,
    pub(super) b: String,
    /// `b - a`, for numbers.
    pub(super) by: Option<f64>,
}

impl Unequal {
    fn between<T: Cell>(column: &'static str, a: &T, b: &T) -> Option<Self> {
        let by = || Some(b.number()? - a.number()?);
        (!a.same(b)).then(|| Self { column, a: a.text(), b: b.text(), by: by() })
    }
}

/// A row of one of the trace's tables.
pub(super) trait Table: Sized {
    /// The file.
    const FILE: &'static str;
    /// The columns.
    fn schema() -> SchemaRef;
    /// Rows as columns.
    fn to_batch(rows: &[Self]) -> Result<RecordBatch, ArrowError>;
    /// Columns as rows; `None` where a column has another type.
    fn from_batch(batch: &RecordBatch) -> Option<Vec<Self>>;
    /// The first column in which two rows differ.
    fn difference(&self, other: &Self) -> Option<Unequal>;
}

macro_rules! table {
    ($(#[$doc:meta])* $name:ident in $file:literal { $($(#[$column_doc:meta])* $column:ident: $kind:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$column_doc])* pub $column: $kind,)+
        }

        impl Table for $name {
            const FILE: &'static str = $file;

            fn schema() -> SchemaRef {
                let fields = vec![
                    $(Field::new(stringify!($column), <$kind as Cell>::KIND, <$kind as Cell>::NULLABLE),)+
                ];
                Arc::new(Schema::new(fields))
            }

            fn to_batch(rows: &[Self]) -> Result<RecordBatch, ArrowError> {
                let columns = vec![
                    $(<$kind as Cell>::column(rows.iter().map(|row| row.$column.clone())),)+
                ];
                RecordBatch::try_new(Self::schema(), columns)
            }

            fn from_batch(batch: &RecordBatch) -> Option<Vec<Self>> {
                let mut columns = batch.columns().iter();
                $(let mut $column = <$kind as Cell>::values(columns.next()?)?.into_iter();)+
                (0..batch.num_rows()).map(|_| Some(Self { $($column: $column.next()?,)+ })).collect()
            }

            fn difference(&self, other: &Self) -> Option<Unequal> {
                None$(.or_else(|| Unequal::between(stringify!($column), &self.$column, &other.$column)))+
            }
        }
    };
}

table! {
    /// One agent in one recorded tick: a row of `agents.arrows`.
    AgentRow in "agents.arrows" {
        /// Which tick.
        tick: u32,
        /// Who.
        id: u32,
        /// Metres of the scenario's own coordinates.
        x_m: f64,
        /// Metres of the scenario's own coordinates.
        y_m: f64,
        /// Metres per second.
        vx_mps: f32,
        /// Metres per second.
        vy_mps: f32,
        /// Where it goes, as an index into the goals of `run.json`.
        goal: Option<u16>,
        /// What it is doing: the number of a [`State`](crate::rows::State).
        state: u8,
        /// What held it back: the number of a [`HeldBy`](crate::rows::HeldBy).
        held_by: u8,
    }
}

table! {
    /// One tick: a row of `ticks.arrows`.
    TickRow in "ticks.arrows" {
        /// Which tick.
        tick: u32,
        /// Vouches for the agents of this tick.
        state_digest: Digest,
        /// Vouches for all ticks so far.
        run_digest: Digest,
        /// Agents admitted so far.
        admitted: u32,
        /// Agents inside now.
        inside: u32,
        /// Agents who left at a goal so far.
        arrived: u32,
        /// Agents taken out by commands so far.
        removed: u32,
        /// Agents inside without a way to their goal.
        unreachable: u32,
        /// Agents inside who are blocked.
        blocked: u32,
        /// Agents inside who are stuck.
        stuck: u32,
        /// Agents inside who are settled.
        settled: u32,
        /// Agents inside who wait: at their place, or for one.
        waiting: u32,
        /// Agents who are due and wait outside for room.
        outside: u32,
        /// Rows of this tick in `agents.arrows`; `None` where its agents were not recorded.
        agent_rows: Option<u32>,
    }
}

table! {
    /// One agent, written when it is admitted: a row of `roster.arrows`.
    RosterRow in "roster.arrows" {
        /// Who.
        id: u32,
        /// Its name, where the scenario gives one.
        name: Option<String>,
        /// Its movement class.
        class: String,
        /// Its source; empty where it was placed by itself.
        source: String,
        /// Its number within its origin.
        index: u32,
        /// Metres; its hard core.
        core_radius_m: f64,
        /// Metres; its comfort disc.
        comfort_radius_m: f64,
        /// Metres per second.
        free_speed_mps: f32,
        /// The last tick without it.
        admitted_tick: u32,
    }
}
