use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::codec::frame::Frame;
use crate::codec::spec::{DType, Leaf, Record};
use crate::error::{Code, Error, Result};
use crate::wire;

// With the most bytes of an element, sizes in bytes stay far below 2^64.
const MOST_ELEMENTS: usize = 1 << 32;
const FEW_GROUPS: usize = 16; // that are searched one by one

/// A type that columns may have.
pub trait Element: bytemuck::Pod + sealed::Sealed {
    /// The same in a spec.
    const DTYPE: DType;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($type:ty: $dtype:ident),*) => {$(
        impl sealed::Sealed for $type {}
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}
elements!(u8: U8, i32: I32, i64: I64, f32: F32, f64: F64);

/// A part of memory that is aligned to 8 bytes.
#[derive(Clone, Debug)]
struct Column {
    memory: Arc<Vec<u64>>,
    at: Range<usize>,
}

impl Column {
    fn zeros(bytes: usize) -> Self {
        Column { memory: Arc::new(vec![0; bytes.div_ceil(size_of::<u64>())]), at: 0..bytes }
    }

    fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.memory)[self.at.clone()]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(Arc::<Vec<u64>>::make_mut(&mut self.memory))[self.at.clone()]
    }
}

/// Rows of a record as columns, one for each leaf in the record's order. A column has the values
/// of all rows one after the other: `n` times the shape of the leaf, or with a group the shape for
/// each element of each row. Received rows are views into the message that brought them; writing to them
/// copies it first.
#[derive(Clone, Debug)]
pub struct Rows {
    record: Arc<Record>,
    count: usize,
    offsets: Vec<Vec<usize>>, // per group: where each row begins, and the end
    columns: Vec<Column>,
}

impl Rows {
    /// Rows of zeros; in a group a row has no elements.
    pub fn new(record: &Arc<Record>, count: usize) -> Self {
        Rows::zeros(record, count, vec![vec![0; count + 1]; record.groups.len()])
    }

    /// Rows of zeros, with the number of elements of each row for each group of the record.
    pub fn with_elements(
        record: &Arc<Record>,
        count: usize,
        elements: &[Vec<u32>],
    ) -> Result<Self> {
        if elements.len() != record.groups.len() || elements.iter().any(|n| n.len() != count) {
            let groups = record.groups.len();
            return Err(Error::malformed(format!(
                "elements: needs {count} numbers for each of {groups} groups"
            )));
        }
        let offsets = record.groups.iter().zip(elements);
        let offsets = offsets.map(|(g, n)| offsets_of(&g.name, g.capacity, n.iter().copied()));
        Ok(Rows::zeros(record, count, offsets.collect::<Result<_>>()?))
    }

    fn zeros(record: &Arc<Record>, count: usize, offsets: Vec<Vec<usize>>) -> Self {
        let columns = column_bytes(record, count, &offsets).into_iter().map(Column::zeros);
        let columns = columns.collect();
        Rows { record: record.clone(), count, offsets, columns }
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What the columns are.
    pub fn record(&self) -> &Arc<Record> {
        &self.record
    }

    /// A whole column, such as `f32` values of the leaf `server.load`. Fails where the record has
    /// no such leaf or the leaf has another type.
    pub fn column<T: Element>(&self, leaf: &str) -> Result<&[T]> {
        let c = self.place::<T>(leaf)?;
        Ok(bytemuck::cast_slice(self.columns[c].bytes()))
    }

    /// A whole column, to be written.
    pub fn column_mut<T: Element>(&mut self, leaf: &str) -> Result<&mut [T]> {
        let c = self.place::<T>(leaf)?;
        Ok(bytemuck::cast_slice_mut(self.columns[c].bytes_mut()))
    }

    /// The part of a column that belongs to a row. Panics where there is no such row.
    pub fn row<T: Element>(&self, leaf: &str, row: usize) -> Result<&[T]> {
        let c = self.place::<T>(leaf)?;
        let span = self.span(&self.record.leaves[c], row, row + 1);
        Ok(bytemuck::cast_slice(&self.columns[c].bytes()[span]))
    }

    /// The part of a column that belongs to a row, to be written.
    pub fn row_mut<T: Element>(&mut self, leaf: &str, row: usize) -> Result<&mut [T]> {
        let c = self.place::<T>(leaf)?;
        let span = self.span(&self.record.leaves[c], row, row + 1);
        Ok(bytemuck::cast_slice_mut(&mut self.columns[c].bytes_mut()[span]))
    }

    /// Where the elements of each row begin in a group, and after the last row their number.
    pub fn offsets(&self, group: &str) -> Result<&[usize]> {
        let g = self.record.group(group).ok_or_else(|| {
            Error::new(Code::UnknownName, format!("group: there is no \"{group}\""))
        })?;
        Ok(&self.offsets[g])
    }

    /// The number of elements of a group in a row.
    pub fn elements(&self, group: &str, row: usize) -> Result<usize> {
        let offsets = self.offsets(group)?;
        Ok(offsets[row + 1] - offsets[row])
    }

    /// The place of a leaf of this type.
    fn place<T: Element>(&self, name: &str) -> Result<usize> {
        let c = self.record.leaf(name).ok_or_else(|| {
            let names: Vec<_> = self.record.leaves.iter().map(|leaf| leaf.name.as_str()).collect();
            let names = names.join(", ");
            Error::new(
                Code::UnknownName,
                format!("leaf: there is no \"{name}\"; there are {names}"),
            )
        })?;
        let dtype = self.record.leaves[c].dtype;
        if dtype != T::DTYPE {
            return Err(Error::malformed(format!("{name}: is {dtype:?}, not {:?}", T::DTYPE)));
        }
        Ok(c)
    }

    /// The bytes of rows in the column of a leaf.
    fn span(&self, leaf: &Leaf, first: usize, end: usize) -> Range<usize> {
        let group = if leaf.group.is_empty() { None } else { self.record.group(&leaf.group) };
        match group.map(|g| &self.offsets[g]) {
            Some(offsets) => offsets[first] * leaf.bytes()..offsets[end] * leaf.bytes(),
            None => first * leaf.bytes()..end * leaf.bytes(),
        }
    }

    /// Views of what a message holds; every size is checked.
    pub(crate) fn read(
        from: wire::rows::Reader,
        frame: &Frame,
        record: &Arc<Record>,
        most_rows: usize,
    ) -> Result<Self> {
        let count = from.get_count() as usize;
        if count > most_rows {
            let text = format!("rows: {count}, at most {most_rows} are allowed");
            return Err(Error::new(Code::TooMuch, text));
        }
        if count == 0 {
            return Rows::none(from, record);
        }
        let offsets = read_offsets(from, record, count)?;
        let columns = from.get_columns()?;
        if columns.len() as usize != record.leaves.len() {
            let (n, leaves) = (columns.len(), record.leaves.len());
            return Err(Error::malformed(format!("rows: {n} columns for {leaves} leaves")));
        }
        let sizes = column_bytes(record, count, &offsets);
        let mut rows = Rows { record: record.clone(), count, offsets, columns: Vec::new() };
        for ((leaf, size), bytes) in record.leaves.iter().zip(sizes).zip(columns.iter()) {
            let bytes = bytes?;
            if bytes.len() != size {
                let (name, n) = (&leaf.name, bytes.len());
                return Err(Error::malformed(format!("{name}: {n} bytes, the rows have {size}")));
            }
            rows.columns.push(Column { memory: frame.memory(), at: frame.range(bytes) });
        }
        Ok(rows)
    }

    /// Without rows there need not be any column; one that is there is empty.
    fn none(from: wire::rows::Reader, record: &Arc<Record>) -> Result<Self> {
        for (list, wanted, what) in [
            (from.get_counts()?, record.groups.len(), "lists of counts"),
            (from.get_columns()?, record.leaves.len(), "columns"),
        ] {
            let n = list.len() as usize;
            if n != 0 && n != wanted {
                let text = format!("rows: {n} {what}, allowed are {wanted}, or 0 without rows");
                return Err(Error::malformed(text));
            }
            for bytes in list.iter() {
                if !bytes?.is_empty() {
                    return Err(Error::malformed(format!("rows: {what} have bytes without rows")));
                }
            }
        }
        Ok(Rows::new(record, 0))
    }

    pub(crate) fn write(&self, mut to: wire::rows::Builder) {
        to.set_count(self.count as u32);
        let mut counts = to.reborrow().init_counts(self.offsets.len() as u32);
        for (g, offsets) in self.offsets.iter().enumerate() {
            let n: Vec<u32> = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as u32).collect();
            counts.set(g as u32, bytemuck::cast_slice(&n));
        }
        let mut columns = to.init_columns(self.columns.len() as u32);
        for (c, column) in self.columns.iter().enumerate() {
            columns.set(c as u32, column.bytes());
        }
    }

    /// Of an observation: fails where a value is out of its leaf's bounds or an index selects no
    /// element of its row.
    pub(crate) fn check_values(&self) -> Result<()> {
        self.check_bounds()?;
        self.check_indices()
    }

    /// Fails where a value is out of its leaf's bounds.
    pub(crate) fn check_bounds(&self) -> Result<()> {
        for (leaf, column) in self.record.leaves.iter().zip(&self.columns) {
            let bytes = column.bytes();
            let good = match leaf.dtype {
                DType::U8 => within::<u8>(bytes, leaf),
                DType::I32 => within::<i32>(bytes, leaf),
                DType::I64 => bytemuck::cast_slice::<u8, i64>(bytes)
                    .iter()
                    .all(|&v| (leaf.low..=leaf.high).contains(&(v as f64))),
                DType::F32 => within::<f32>(bytes, leaf),
                DType::F64 => within::<f64>(bytes, leaf),
            };
            if !good {
                let (name, low, high) = (&leaf.name, leaf.low, leaf.high);
                let text = format!("{name}: a value is outside of [{low}, {high}]");
                return Err(Error::malformed(text));
            }
        }
        Ok(())
    }

    fn check_indices(&self) -> Result<()> {
        for leaf in self.record.leaves.iter().filter(|leaf| !leaf.index_of.is_empty()) {
            for r in 0..self.count {
                let n = self.elements(&leaf.index_of, r)?;
                let good = |&i: &i32| usize::try_from(i).is_ok_and(|i| i < n);
                if !self.row::<i32>(&leaf.name, r)?.iter().all(good) {
                    let (name, group) = (&leaf.name, &leaf.index_of);
                    return Err(Error::malformed(format!(
                        "{name}: row {r} has an index that is none of the {n} elements of {group}"
                    )));
                }
            }
        }
        Ok(())
    }
}

fn within<T: Element + Into<f64>>(bytes: &[u8], leaf: &Leaf) -> bool {
    let inside = |&v: &T| (leaf.low..=leaf.high).contains(&v.into());
    // Looks at all of them, so that compilers make it one loop of vectors.
    bytemuck::cast_slice::<u8, T>(bytes).iter().fold(true, |good, v| good & inside(v))
}

/// The bytes of each column. A peer may have sent thousands of groups: those have a table.
fn column_bytes(record: &Record, count: usize, offsets: &[Vec<usize>]) -> Vec<usize> {
    let names = record.groups.iter().enumerate().map(|(g, group)| (group.name.as_str(), g));
    let few = record.groups.len() <= FEW_GROUPS;
    let table: HashMap<_, _> = if few { HashMap::new() } else { names.collect() };
    let place = |name: &str| if few { record.group(name) } else { table.get(name).copied() };
    let elements = |leaf: &Leaf| match leaf.group.as_str() {
        "" => count,
        group => place(group).map_or(count, |g| offsets[g][count]),
    };
    record.leaves.iter().map(|leaf| elements(leaf) * leaf.bytes()).collect()
}

fn read_offsets(
    from: wire::rows::Reader,
    record: &Record,
    count: usize,
) -> Result<Vec<Vec<usize>>> {
    let counts = from.get_counts()?;
    if counts.len() as usize != record.groups.len() {
        let (n, groups) = (counts.len(), record.groups.len());
        return Err(Error::malformed(format!("rows: {n} lists of counts for {groups} groups")));
    }
    let mut all = Vec::with_capacity(record.groups.len());
    for (group, bytes) in record.groups.iter().zip(counts.iter()) {
        let counts: Vec<u32> = numbers(bytes?, count, &group.name)?;
        all.push(offsets_of(&group.name, group.capacity, counts.into_iter())?);
    }
    Ok(all)
}

fn offsets_of(name: &str, capacity: i64, counts: impl Iterator<Item = u32>) -> Result<Vec<usize>> {
    let mut offsets = vec![0];
    for n in counts {
        if i64::from(n) > capacity {
            let text = format!("{name}: {n} elements in a row, at most {capacity} are allowed");
            return Err(Error::malformed(text));
        }
        offsets.push(offsets[offsets.len() - 1] + n as usize);
    }
    if offsets[offsets.len() - 1] > MOST_ELEMENTS {
        return Err(Error::malformed(format!("{name}: more than {MOST_ELEMENTS} elements")));
    }
    Ok(offsets)
}

/// Numbers of a column of a message, exactly `count`.
pub(crate) fn numbers<T: bytemuck::Pod>(bytes: &[u8], count: usize, name: &str) -> Result<Vec<T>> {
    if bytes.len() != count * size_of::<T>() {
        let n = bytes.len();
        return Err(Error::malformed(format!("{name}: {n} bytes for {count} rows")));
    }
    Ok(bytemuck::pod_collect_to_vec(bytes))
}
