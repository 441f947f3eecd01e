//! Reads the blocks of one Arrow stream, one at a time. Every length that the file states is checked before anything
//! is set aside for it, because Arrow's own reader trusts some of them.

use super::error::TraceError;
use super::table::Table;
use super::writer::BLOCK_ROWS;
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::read_record_batch;
use arrow_ipc::{CompressionType, Message, MessageHeader, root_as_message};
use arrow_schema::DataType;
use std::fs::File;
use std::io::{BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Bytes; a message's description.
const HEAD_BYTES: u32 = 1 << 20;
/// Bytes; a message's columns, compressed or not. The largest block of names stays below it.
const BODY_BYTES: i64 = 64 << 20;
/// What every message begins with.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// A file that is read block by block.
pub(super) struct BlockReader<T> {
    path: PathBuf,
    input: BufReader<File>,
    end: Option<StreamEnd>,
    rows: std::vec::IntoIter<T>,
}

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// With the mark of a finished stream.
    Finished,
    /// In the middle: its writer was killed, or still writes.
    Cut,
}

/// What was found where a message should be.
enum Found {
    Message(Vec<u8>),
    End(StreamEnd),
}

impl<T: Table> BlockReader<T> {
    /// Opens the stream of `T` in `folder` and checks its schema.
    pub(super) fn open(folder: &Path) -> Result<Self, TraceError> {
        let path = folder.join(T::FILE);
        let file = File::open(&path).map_err(TraceError::io("read", &path))?;
        let mut reader = Self { path, input: BufReader::new(file), end: None, rows: Vec::new().into_iter() };
        match reader.read_head()? {
            Found::Message(head) => check_schema::<T>(&head)?,
            Found::End(end) => reader.end = Some(end),
        }
        Ok(reader)
    }

    /// The next row; `None` at the end, whole or not.
    pub(super) fn next_row(&mut self) -> Result<Option<T>, TraceError> {
        loop {
            if let Some(row) = self.rows.next() {
                return Ok(Some(row));
            }
            if self.end.is_some() {
                return Ok(None);
            }
            self.read_block()?;
        }
    }

    /// How the stream ends, once it has been read so far.
    pub(super) fn end(&self) -> Option<StreamEnd> {
        self.end
    }

    fn read_block(&mut self) -> Result<(), TraceError> {
        let head = match self.read_head()? {
            Found::Message(head) => head,
            Found::End(end) => {
                self.end = Some(end);
                return Ok(());
            }
        };
        let message = root_as_message(&head).map_err(|e| TraceError::damaged(T::FILE, e.to_string()))?;
        let length = message.bodyLength();
        if !(0..=BODY_BYTES).contains(&length) {
            return Err(TraceError::damaged(T::FILE, format!("a block of {length} bytes")));
        }
        let Some(body) = self.read_exactly(length as usize)? else {
            self.end = Some(StreamEnd::Cut);
            return Ok(());
        };
        self.rows = decode::<T>(message, body)?.into_iter();
        Ok(())
    }

    fn read_head(&mut self) -> Result<Found, TraceError> {
        let Some(start) = self.read_exactly(8)? else { return Ok(Found::End(StreamEnd::Cut)) };
        let length = u32::from_le_bytes([start[4], start[5], start[6], start[7]]);
        if start[..4] != CONTINUATION || length > HEAD_BYTES {
            return Err(TraceError::damaged(T::FILE, "no block begins where one should"));
        }
        if length == 0 {
            return match self.read_exactly(1)? {
                None => Ok(Found::End(StreamEnd::Finished)),
                Some(_) => Err(TraceError::damaged(T::FILE, "something follows its end")),
            };
        }
        let head = self.read_exactly(length as usize)?;
        Ok(head.map_or(Found::End(StreamEnd::Cut), Found::Message))
    }

    /// So many bytes; `None` where the file is shorter. Memory grows only with what is there.
    fn read_exactly(&mut self, length: usize) -> Result<Option<Vec<u8>>, TraceError> {
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(length as u64).read_to_end(&mut bytes);
        read.map_err(TraceError::io("read", &self.path))?;
        Ok((bytes.len() == length).then_some(bytes))
    }
}

fn check_schema<T: Table>(head: &[u8]) -> Result<(), TraceError> {
    let found = contained::<T, _>(|| {
        let message = root_as_message(head).map_err(|e| e.to_string())?;
        let schema = message.header_as_schema().ok_or("it does not begin with a schema")?;
        let body = message.bodyLength();
        if body != 0 {
            return Err(format!("a schema with {body} bytes of columns"));
        }
        try_fb_to_schema(schema).map_err(|e| e.to_string())
    })?;
    if found != *T::schema() {
        return Err(TraceError::damaged(T::FILE, "its columns are not those of a trace"));
    }
    Ok(())
}

fn decode<T: Table>(message: Message, body: Vec<u8>) -> Result<Vec<T>, TraceError> {
    contained::<T, _>(|| {
        check_block::<T>(&message, &body)?;
        let batch = to_batch::<T>(&message, body)?;
        T::from_batch(&batch).ok_or_else(|| "a column lacks values".to_owned())
    })
}

#[expect(clippy::disallowed_types, reason = "Arrow asks for a map of dictionaries; this one stays empty")]
fn to_batch<T: Table>(message: &Message, body: Vec<u8>) -> Result<RecordBatch, String> {
    let block = message.header_as_record_batch().ok_or("something else than a block of rows")?;
    let dictionaries = std::collections::HashMap::new();
    let body = Buffer::from_vec(body);
    read_record_batch(&body, block, T::schema(), &dictionaries, None, &message.version())
        .map_err(|e| e.to_string())
}

/// Checks every length that Arrow would otherwise trust.
fn check_block<T: Table>(message: &Message, body: &[u8]) -> Result<(), String> {
    if message.header_type() != MessageHeader::RecordBatch {
        return Err("something else than a block of rows".to_owned());
    }
    let block = message.header_as_record_batch().ok_or("a block without a description")?;
    let rows = block.length();
    if !(1..=BLOCK_ROWS as i64).contains(&rows) {
        return Err(format!("a block of {rows} rows"));
    }
    let codec = block.compression().ok_or("a block that is not compressed")?;
    if codec.codec() != CompressionType::ZSTD {
        return Err("a block in an unknown compression".to_owned());
    }
    let schema = T::schema();
    let nodes = block.nodes().ok_or("a block without columns")?;
    let nodes_fit = nodes.len() == schema.fields().len()
        && nodes.iter().all(|node| node.length() == rows && (0..=rows).contains(&node.null_count()));
    let buffers = block.buffers().ok_or("a block without bytes")?;
    let expected: usize =
        schema.fields().iter().map(|field| if *field.data_type() == DataType::Utf8 { 3 } else { 2 }).sum();
    if !nodes_fit || buffers.len() != expected {
        return Err("a block whose columns are not those of the table".to_owned());
    }
    let mut total = 0;
    for buffer in buffers {
        total += unpacked_length(buffer.offset(), buffer.length(), body)?;
        if total > BODY_BYTES {
            return Err("a block that unpacks to too many bytes".to_owned());
        }
    }
    Ok(())
}

/// How many bytes a buffer unpacks to; it must lie within `body`.
fn unpacked_length(offset: i64, length: i64, body: &[u8]) -> Result<i64, String> {
    let outside = || format!("a column at byte {offset} of {length} bytes, outside its block");
    let begin = usize::try_from(offset).map_err(|_| outside())?;
    let length = usize::try_from(length).map_err(|_| outside())?;
    let bytes = begin.checked_add(length).and_then(|end| body.get(begin..end)).ok_or_else(outside)?;
    if bytes.is_empty() {
        return Ok(0);
    }
    let prefix = bytes.first_chunk::<8>().ok_or("a column too short for its own length")?;
    match i64::from_le_bytes(*prefix) {
        -1 => Ok(length as i64),
        unpacked @ 0..=BODY_BYTES => Ok(unpacked),
        unpacked => Err(format!("a column that unpacks to {unpacked} bytes")),
    }
}

/// Runs `read` and turns errors and panics alike into damage.
fn contained<T: Table, R>(read: impl FnOnce() -> Result<R, String>) -> Result<R, TraceError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err("Arrow cannot read it".to_owned()))
        .map_err(|what| TraceError::damaged(T::FILE, what))
}
