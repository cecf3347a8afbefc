use std::collections::HashSet;
use std::sync::Arc;

use capnp::text;

use crate::error::{Code, Error, Result};
use crate::wire;

const MOST_LEAVES: u32 = 4096; // of a record, and groups and metrics
const MOST_HEADS: u32 = 256; // leaves of the action
const MOST_PLACES: u32 = 32; // sizes of a shape, names of a path `given`
const MOST_NAME: u32 = 256; // bytes
const MOST_TEXTS: u32 = 1 << 20; // bytes of all texts of a spec

/// Bytes that a row may take with one element in each group, and the rows of a message together.
pub const MOST_BYTES: usize = 64 << 20;

/// The type of a leaf's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DType {
    /// Also for truth values and masks.
    U8,
    /// Counts, choices and indices.
    I32,
    /// Large counts.
    I64,
    /// Most observations.
    F32,
    /// Where single precision is not enough.
    F64,
}

impl DType {
    /// Bytes of a value.
    pub fn size(self) -> usize {
        match self {
            DType::U8 => 1,
            DType::I32 | DType::F32 => 4,
            DType::I64 | DType::F64 => 8,
        }
    }

    /// True for whole numbers.
    pub fn is_integer(self) -> bool {
        matches!(self, DType::U8 | DType::I32 | DType::I64)
    }
}

const DTYPES: [(DType, wire::DType); 5] = [
    (DType::U8, wire::DType::U8),
    (DType::I32, wire::DType::I32),
    (DType::I64, wire::DType::I64),
    (DType::F32, wire::DType::F32),
    (DType::F64, wire::DType::F64),
];

/// One named array of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// Such as `server.jobs`.
    pub name: String,
    /// Of its values.
    pub dtype: DType,
    /// Of a row; of one element where there is a group.
    pub shape: Vec<i64>,
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
    /// Such as `s`; `1` where there is none.
    pub unit: String,
    /// What it tells.
    pub doc: String,
    /// The group of its record that it belongs to; empty: one per row.
    pub group: String,
    /// Values select an element of this group of the observation, from 0; or empty.
    pub index_of: String,
    /// Of an action whose mask depends on an earlier one: that head, then the index leaves of the
    /// observation to follow from its value.
    pub given: Vec<String>,
}

impl Leaf {
    /// Values of one element: the product of the shape, `usize::MAX` where that is larger.
    pub fn width(&self) -> usize {
        let sizes = self.shape.iter().map(|&size| usize::try_from(size).unwrap_or(0));
        sizes.fold(1, usize::saturating_mul)
    }

    /// Bytes of one element.
    pub(crate) fn bytes(&self) -> usize {
        self.width().saturating_mul(self.dtype.size())
    }
}

/// A ragged dimension of a record: its leaves share one count per row.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Such as `server`.
    pub name: String,
    /// The most elements in a row.
    pub capacity: i64,
}

/// A flat, ordered record of leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The arrays, in the order of the columns of rows.
    pub leaves: Vec<Leaf>,
    /// The ragged dimensions, in the order of the counts of rows.
    pub groups: Vec<Group>,
}

impl Record {
    /// The place of a leaf.
    pub fn leaf(&self, name: &str) -> Option<usize> {
        self.leaves.iter().position(|leaf| leaf.name == name)
    }

    /// The place of a group.
    pub fn group(&self, name: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.name == name)
    }

    /// Fails where so many rows, with one element in each group, take more than a message has, and
    /// names the leaf with which they do.
    pub(crate) fn check_rows(&self, rows: usize) -> Result<()> {
        let mut bytes = 0usize;
        for leaf in &self.leaves {
            bytes = bytes.saturating_add(leaf.bytes().saturating_mul(rows));
            if bytes > MOST_BYTES {
                let (name, shape) = (&leaf.name, &leaf.shape);
                let what = if rows == 1 { "a row takes" } else { "the rows take" };
                return Err(Error::new(
                    Code::TooMuch,
                    format!("{name}: with its shape {shape:?} {what} more than {MOST_BYTES} bytes"),
                ));
            }
        }
        Ok(())
    }
}

/// A figure per episode that the users of an environment report.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Such as `avg_response_s`.
    pub name: String,
    /// Such as `s`.
    pub unit: String,
    /// False where more is better.
    pub lower_is_better: bool,
    /// What it tells.
    pub doc: String,
}

/// All that there is to know of an environment; a server sends it once.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Such as `load_balance`.
    pub name: String,
    /// One line.
    pub summary: String,
    /// Where it comes from, such as a paper.
    pub reference: String,
    /// Rises when results change.
    pub version: u32,
    /// Equal for environments that the same policy can play; see [`Spec::layout`].
    pub layout_hash: u64,
    /// What is observed.
    pub observation: Arc<Record>,
    /// What is decided; its leaves are the heads of an action.
    pub action: Arc<Record>,
    /// The figures of an episode.
    pub metrics: Vec<Metric>,
    /// True for a running system, false for a simulator.
    pub system: bool,
    /// The same episode and actions give the same bytes.
    pub replayable: bool,
    /// The other one of a simulated and a real system.
    pub twin: String,
    /// The canonical text of the environment.
    pub text: String,
}

impl Spec {
    pub(crate) fn read(from: wire::spec::Reader) -> Result<Self> {
        let mut texts = Texts::default();
        let spec = Spec {
            name: texts.name(from.get_name()?, "the environment")?,
            summary: texts.text(from.get_summary()?, "summary")?,
            reference: texts.text(from.get_reference()?, "reference")?,
            version: from.get_version(),
            layout_hash: from.get_layout_hash(),
            observation: texts.record(from.get_observation()?, MOST_LEAVES)?.into(),
            action: texts.record(from.get_action()?, MOST_HEADS)?.into(),
            metrics: texts.metrics(from)?,
            system: from.get_system(),
            replayable: from.get_replayable(),
            twin: texts.name(from.get_twin()?, "the twin")?,
            text: texts.text(from.get_text()?, "text")?,
        };
        spec.check()?;
        if spec.layout() != spec.layout_hash {
            return Err(Error::malformed("spec: layoutHash is not that of its leaves"));
        }
        Ok(spec)
    }

    pub(crate) fn write(&self, mut to: wire::spec::Builder) -> Result<()> {
        to.set_name(&self.name);
        to.set_summary(&self.summary);
        to.set_reference(&self.reference);
        to.set_version(self.version);
        to.set_layout_hash(self.layout_hash);
        write_record(&self.observation, to.reborrow().init_observation())?;
        write_record(&self.action, to.reborrow().init_action())?;
        let mut metrics = to.reborrow().init_metrics(self.metrics.len() as u32);
        for (i, metric) in self.metrics.iter().enumerate() {
            let mut to = metrics.reborrow().get(i as u32);
            to.set_name(&metric.name);
            to.set_unit(&metric.unit);
            to.set_lower_is_better(metric.lower_is_better);
            to.set_doc(&metric.doc);
        }
        to.set_system(self.system);
        to.set_replayable(self.replayable);
        to.set_twin(&self.twin);
        to.set_text(&self.text);
        Ok(())
    }

    /// The place of a metric.
    pub fn metric(&self, name: &str) -> Result<usize> {
        self.metrics.iter().position(|metric| metric.name == name).ok_or_else(|| {
            let names: Vec<_> = self.metrics.iter().map(|metric| metric.name.as_str()).collect();
            let names = names.join(", ");
            let text = format!("metric: there is no \"{name}\"; there are {names}");
            Error::new(Code::UnknownName, text)
        })
    }

    /// What rows and masks rely on: shapes, groups, and what an index selects from.
    fn check(&self) -> Result<()> {
        let observed = group_names(&self.observation);
        for record in [&self.observation, &self.action] {
            let groups = group_names(record);
            for leaf in &record.leaves {
                let bad = |what: &str| Err(Error::malformed(format!("{}: {what}", leaf.name)));
                if leaf.shape.iter().any(|&size| size < 1) {
                    return bad("its shape is empty; allowed are sizes above 0");
                }
                if !leaf.low.is_finite() || !leaf.high.is_finite() || leaf.low > leaf.high {
                    return bad("its bounds are not finite or in the wrong order");
                }
                if !leaf.group.is_empty() && !groups.contains(leaf.group.as_str()) {
                    return bad("is in no group of its record");
                }
                if !leaf.index_of.is_empty()
                    && (leaf.dtype != DType::I32 || !observed.contains(leaf.index_of.as_str()))
                {
                    return bad("indexOf needs an i32 leaf and a group of the observation");
                }
            }
            record.check_rows(1)?;
        }
        Ok(())
    }

    /// What `layout_hash` of a server has to be: FNV-1a over what a policy depends on
    /// (docs/protocol.md, Rows).
    pub fn layout(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.text("park layout 1");
        let names = self.observation.leaves.iter().map(|leaf| leaf.name.as_str());
        let observed: HashSet<&str> = names.collect();
        for (record, is_action) in [(&self.observation, false), (&self.action, true)] {
            for leaf in record.leaves.iter().filter(|leaf| !leaf.name.starts_with("info.")) {
                hash.text(&leaf.name);
                hash.number(leaf.dtype as u64);
                hash.number(leaf.shape.len() as u64);
                leaf.shape.iter().for_each(|&d| hash.number(d as u64));
                hash.text(&leaf.group);
                hash.text(&leaf.index_of);
                hash.number(leaf.given.len() as u64);
                leaf.given.iter().for_each(|name| hash.text(name));
                let ranged = observed.contains(format!("{}.min", leaf.name).as_str());
                if is_action && leaf.dtype.is_integer() && leaf.index_of.is_empty() && !ranged {
                    hash.number((leaf.high - leaf.low + 1.0) as u64);
                }
            }
            hash.text("|");
        }
        hash.0
    }
}

/// FNV-1a with 64 bits; a byte ff ends each text.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn text(&mut self, text: &str) {
        for &byte in text.as_bytes().iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn number(&mut self, number: u64) {
        self.text(&number.to_string());
    }
}

fn group_names(record: &Record) -> HashSet<&str> {
    record.groups.iter().map(|group| group.name.as_str()).collect()
}

fn check_most(what: &str, n: u32, most: u32) -> Result<()> {
    if n <= most {
        return Ok(());
    }
    Err(Error::new(Code::TooMuch, format!("spec: {n} {what}, at most {most} are allowed")))
}

/// Reads the texts of one spec, and what they name. Every list and text is bounded before it is
/// copied.
#[derive(Default)]
struct Texts {
    bytes: u32,
}

impl Texts {
    fn text(&mut self, from: text::Reader, of: &str) -> Result<String> {
        let bytes = u32::try_from(from.len()).unwrap_or(u32::MAX);
        self.bytes = self.bytes.saturating_add(bytes);
        check_most(&format!("bytes of texts up to {of}"), self.bytes, MOST_TEXTS)?;
        Ok(from.to_string()?)
    }

    fn name(&mut self, from: text::Reader, of: &str) -> Result<String> {
        let bytes = u32::try_from(from.len()).unwrap_or(u32::MAX);
        check_most(&format!("bytes in a name of {of}"), bytes, MOST_NAME)?;
        self.text(from, of)
    }

    fn record(&mut self, from: wire::record::Reader, most_leaves: u32) -> Result<Record> {
        let (leaves, groups) = (from.get_leaves()?, from.get_groups()?);
        check_most("leaves of a record", leaves.len(), most_leaves)?;
        check_most("groups of a record", groups.len(), MOST_LEAVES)?;
        let mut record = Record::default();
        for leaf in leaves {
            record.leaves.push(self.leaf(leaf)?);
        }
        for group in groups {
            let name = self.name(group.get_name()?, "a group")?;
            record.groups.push(Group { name, capacity: group.get_capacity() });
        }
        Ok(record)
    }

    fn leaf(&mut self, from: wire::leaf::Reader) -> Result<Leaf> {
        let name = self.name(from.get_name()?, "a leaf")?;
        let (shape, path) = (from.get_shape()?, from.get_given()?);
        check_most(&format!("sizes in the shape of {name}"), shape.len(), MOST_PLACES)?;
        check_most(&format!("names in given of {name}"), path.len(), MOST_PLACES)?;
        let mut given = Vec::new();
        for head in path {
            given.push(self.name(head?, &name)?);
        }
        Ok(Leaf {
            dtype: DTYPES[from.get_dtype()? as usize].0,
            shape: shape.iter().collect(),
            low: from.get_low(),
            high: from.get_high(),
            unit: self.text(from.get_unit()?, &name)?,
            doc: self.text(from.get_doc()?, &name)?,
            group: self.name(from.get_group()?, &name)?,
            index_of: self.name(from.get_index_of()?, &name)?,
            given,
            name,
        })
    }

    fn metrics(&mut self, from: wire::spec::Reader) -> Result<Vec<Metric>> {
        let metrics = from.get_metrics()?;
        check_most("metrics", metrics.len(), MOST_LEAVES)?;
        let mut all = Vec::new();
        for metric in metrics {
            let name = self.name(metric.get_name()?, "a metric")?;
            all.push(Metric {
                unit: self.text(metric.get_unit()?, &name)?,
                lower_is_better: metric.get_lower_is_better(),
                doc: self.text(metric.get_doc()?, &name)?,
                name,
            });
        }
        Ok(all)
    }
}

fn write_record(record: &Record, mut to: wire::record::Builder) -> Result<()> {
    let mut leaves = to.reborrow().init_leaves(record.leaves.len() as u32);
    for (i, leaf) in record.leaves.iter().enumerate() {
        write_leaf(leaf, leaves.reborrow().get(i as u32))?;
    }
    let mut groups = to.init_groups(record.groups.len() as u32);
    for (i, group) in record.groups.iter().enumerate() {
        let mut to = groups.reborrow().get(i as u32);
        to.set_name(&group.name);
        to.set_capacity(group.capacity);
    }
    Ok(())
}

fn write_leaf(leaf: &Leaf, mut to: wire::leaf::Builder) -> Result<()> {
    to.set_name(&leaf.name);
    to.set_dtype(DTYPES[leaf.dtype as usize].1);
    to.set_shape(&leaf.shape[..])?;
    to.set_low(leaf.low);
    to.set_high(leaf.high);
    to.set_unit(&leaf.unit);
    to.set_doc(&leaf.doc);
    to.set_group(&leaf.group);
    to.set_index_of(&leaf.index_of);
    to.set_given(&leaf.given[..])?;
    Ok(())
}
