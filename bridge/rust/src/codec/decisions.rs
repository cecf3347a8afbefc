use std::sync::Arc;

use capnp::struct_list;

use crate::codec::frame::Frame;
use crate::codec::rows::{Rows, numbers};
use crate::codec::spec::{MOST_BYTES, Record, Spec};
use crate::error::{Code, Error, Result};
use crate::wire;

const MOST_APPLIED: u8 = 2;

/// What an episode depends on. The same seeds and the same actions give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode {
    /// Names it.
    pub id: u64,
    /// Seeds the inputs: arrivals, sizes, traces.
    pub inputs: u64,
    /// Seeds all other chance.
    pub dynamics: u64,
    /// Where it is cut off, in seconds; above 0, may be infinite.
    pub horizon_s: f64,
}

impl Episode {
    /// An episode without a horizon.
    pub fn new(id: u64, inputs: u64, dynamics: u64) -> Self {
        Episode { id, inputs, dynamics, horizon_s: f64::INFINITY }
    }

    fn read(from: wire::episode::Reader) -> Result<Self> {
        let horizon_s = from.get_horizon_s();
        if horizon_s.is_nan() || horizon_s <= 0.0 {
            return Err(Error::malformed("horizonS: is not a time above 0"));
        }
        let (id, inputs, dynamics) = (from.get_id(), from.get_inputs(), from.get_dynamics());
        Ok(Episode { id, inputs, dynamics, horizon_s })
    }

    pub(crate) fn write(&self, mut to: wire::episode::Builder) {
        to.set_id(self.id);
        to.set_inputs(self.inputs);
        to.set_dynamics(self.dynamics);
        to.set_horizon_s(self.horizon_s);
    }
}

/// What is asked, and what has ended since. All vectors have one entry for each row that is asked,
/// but for `begun`.
#[derive(Clone, Debug)]
pub struct Decisions {
    /// A row for each decision that is asked.
    pub observation: Rows,
    /// Where the question comes from: the same slot has one context after the other.
    pub slot: Vec<u32>,
    /// The episode that it belongs to, as a number of the side that asks.
    pub context: Vec<u64>,
    /// Rows of the context before this one; 0 begins it.
    pub sequence: Vec<u64>,
    /// Since the context's row before.
    pub reward: Vec<f64>,
    /// Seconds since the context's row before.
    pub elapsed_s: Vec<f64>,
    /// Who took the decision before: 0 the policy, 1 it was projected, 2 a fall-back.
    pub applied: Vec<u8>,
    /// Questions that nobody saw since the row before.
    pub skipped: Vec<u32>,
    /// The episodes of the rows with sequence 0, in their order.
    pub begun: Vec<Episode>,
    /// What has ended; handle it before what is asked.
    pub ended: Ended,
    /// Nothing will follow.
    pub done: bool,
}

/// Contexts that have ended. All vectors have one entry for each, but for `metrics` and `unseen`.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The last observation of each.
    pub observation: Rows,
    /// Where it was.
    pub slot: Vec<u32>,
    /// Which it was.
    pub context: Vec<u64>,
    /// Decisions of the whole episode.
    pub decisions: Vec<u64>,
    /// Simulated events of the whole episode.
    pub events: Vec<u64>,
    /// Since the context's last row.
    pub reward: Vec<f64>,
    /// Seconds since the context's last row.
    pub elapsed_s: Vec<f64>,
    /// Who took the last decision: 0 the policy, 1 it was projected, 2 a fall-back.
    pub applied: Vec<u8>,
    /// Questions that nobody saw since the last row.
    pub skipped: Vec<u32>,
    /// 1 where the episode was cut off at its horizon, 0 where it came to its end.
    pub truncated: Vec<u8>,
    /// The metrics of the spec, one after the other, for each episode.
    pub metrics: Vec<f64>,
    /// The episodes of those with no decision, in their order.
    pub unseen: Vec<Episode>,
}

impl Ended {
    /// How many.
    pub fn count(&self) -> usize {
        self.slot.len()
    }

    /// The values of a metric, one for each that has ended. Fails where the spec has no such metric.
    pub fn metric(&self, spec: &Spec, name: &str) -> Result<impl Iterator<Item = f64>> {
        let place = spec.metric(name)?;
        Ok(self.metrics.iter().copied().skip(place).step_by(spec.metrics.len()))
    }

    /// Fails where a metric is no number. An episode that was cut off may leave one undefined, such
    /// as a mean over nothing; then it is NaN.
    pub(crate) fn check_metrics(&self, spec: &Spec) -> Result<()> {
        for (i, metric) in spec.metrics.iter().enumerate() {
            let values = self.metrics.iter().skip(i).step_by(spec.metrics.len());
            for ((value, truncated), slot) in values.zip(&self.truncated).zip(&self.slot) {
                let undefined = value.is_nan() && *truncated != 0;
                if !value.is_finite() && !undefined {
                    let name = &metric.name;
                    return Err(Error::malformed(format!(
                        "metric {name}: {value} of the episode in slot {slot} is not a number"
                    )));
                }
            }
        }
        Ok(())
    }

    /// That nothing has ended.
    pub(crate) fn none(observation: &Arc<Record>) -> Self {
        Ended {
            observation: Rows::new(observation, 0),
            slot: Vec::new(),
            context: Vec::new(),
            decisions: Vec::new(),
            events: Vec::new(),
            reward: Vec::new(),
            elapsed_s: Vec::new(),
            applied: Vec::new(),
            skipped: Vec::new(),
            truncated: Vec::new(),
            metrics: Vec::new(),
            unseen: Vec::new(),
        }
    }

    fn read(
        from: wire::decisions::Reader,
        frame: &Frame,
        spec: &Spec,
        most: usize,
    ) -> Result<Self> {
        let m = from.get_ended() as usize;
        if m == 0 {
            return Ok(Ended::none(&spec.observation));
        }
        let rows = from.get_final_observation()?;
        let observation = read_observation(rows, m, frame, spec, most, "ended")?;
        let numbers = m.saturating_mul(spec.metrics.len());
        if numbers.saturating_mul(size_of::<f64>()) > MOST_BYTES {
            let text = format!("metrics: {numbers} numbers are more than {MOST_BYTES} bytes");
            return Err(Error::new(Code::TooMuch, text));
        }
        Ok(Ended {
            observation,
            slot: column(from.get_ended_slot()?, m, "endedSlot")?,
            context: column(from.get_ended_context()?, m, "endedContext")?,
            decisions: column(from.get_ended_decisions()?, m, "endedDecisions")?,
            events: column(from.get_ended_events()?, m, "endedEvents")?,
            reward: rewards(from.get_ended_reward()?, m, "endedReward")?,
            elapsed_s: times(from.get_ended_elapsed_s()?, m, "endedElapsedS")?,
            applied: flags(from.get_ended_applied()?, m, MOST_APPLIED, "endedApplied")?,
            skipped: column(from.get_ended_skipped()?, m, "endedSkipped")?,
            truncated: flags(from.get_truncated()?, m, 1, "truncated")?,
            metrics: column(from.get_metrics()?, numbers, "metrics")?,
            unseen: read_episodes(from.get_ended_unseen()?)?,
        })
    }

    fn write(&self, mut to: wire::decisions::Builder) {
        to.set_ended(self.count() as u32);
        if self.count() == 0 {
            return;
        }
        self.observation.write(to.reborrow().init_final_observation());
        to.set_ended_slot(bytes_of(&self.slot));
        to.set_ended_context(bytes_of(&self.context));
        to.set_ended_decisions(bytes_of(&self.decisions));
        to.set_ended_events(bytes_of(&self.events));
        to.set_ended_reward(bytes_of(&self.reward));
        to.set_ended_elapsed_s(bytes_of(&self.elapsed_s));
        to.set_ended_applied(bytes_of(&self.applied));
        to.set_ended_skipped(bytes_of(&self.skipped));
        to.set_truncated(bytes_of(&self.truncated));
        to.set_metrics(bytemuck::cast_slice(&self.metrics));
        if !self.unseen.is_empty() {
            write_episodes(&self.unseen, to.init_ended_unseen(self.unseen.len() as u32));
        }
    }
}

impl Decisions {
    /// A question with these observations, to be filled: row `i` is slot `i`, all else is 0 and no
    /// episode has begun.
    pub fn question(spec: &Spec, observation: Rows) -> Self {
        let n = observation.count();
        Decisions {
            observation,
            slot: (0..n as u32).collect(),
            context: vec![0; n],
            sequence: vec![0; n],
            reward: vec![0.0; n],
            elapsed_s: vec![0.0; n],
            applied: vec![0; n],
            skipped: vec![0; n],
            begun: Vec::new(),
            ended: Ended::none(&spec.observation),
            done: false,
        }
    }

    /// How many decisions are asked.
    pub fn asked(&self) -> usize {
        self.observation.count()
    }

    /// A row of zeros for each decision that is asked.
    pub fn actions(&self, spec: &Spec) -> Rows {
        Rows::new(&spec.action, self.asked())
    }

    /// Fails where the number of entries is not that of the rows.
    pub(crate) fn check_lengths(&self) -> Result<()> {
        let n = self.asked();
        let lengths = [
            ("slot", self.slot.len()),
            ("context", self.context.len()),
            ("sequence", self.sequence.len()),
            ("reward", self.reward.len()),
            ("elapsed_s", self.elapsed_s.len()),
            ("applied", self.applied.len()),
            ("skipped", self.skipped.len()),
        ];
        for (name, len) in lengths {
            if len != n {
                return Err(Error::malformed(format!("{name}: {len} entries for {n} rows")));
            }
        }
        let begun = self.sequence.iter().filter(|&&sequence| sequence == 0).count();
        if begun != self.begun.len() {
            let given = self.begun.len();
            let text = format!("begun: {given} episodes, {begun} rows have sequence 0");
            return Err(Error::malformed(text));
        }
        Ok(())
    }

    pub(crate) fn read(
        from: wire::decisions::Reader,
        frame: &Frame,
        spec: &Spec,
        most_rows: usize,
    ) -> Result<Self> {
        let n = from.get_asked() as usize;
        let rows = from.get_observation()?;
        let decisions = Decisions {
            observation: read_observation(rows, n, frame, spec, most_rows, "asked")?,
            slot: column(from.get_slot()?, n, "slot")?,
            context: column(from.get_context()?, n, "context")?,
            sequence: column(from.get_sequence()?, n, "sequence")?,
            reward: rewards(from.get_reward()?, n, "reward")?,
            elapsed_s: times(from.get_elapsed_s()?, n, "elapsedS")?,
            applied: flags(from.get_applied()?, n, MOST_APPLIED, "applied")?,
            skipped: column(from.get_skipped()?, n, "skipped")?,
            begun: read_episodes(from.get_begun()?)?,
            ended: Ended::read(from, frame, spec, most_rows)?,
            done: from.get_done(),
        };
        decisions.check_lengths()?;
        spec.action.check_rows(n)?; // before anybody takes memory for them
        Ok(decisions)
    }

    pub(crate) fn write(&self, mut to: wire::decisions::Builder) {
        to.set_asked(self.asked() as u32);
        self.observation.write(to.reborrow().init_observation());
        to.set_slot(bytes_of(&self.slot));
        to.set_context(bytes_of(&self.context));
        to.set_sequence(bytes_of(&self.sequence));
        to.set_reward(bytes_of(&self.reward));
        to.set_elapsed_s(bytes_of(&self.elapsed_s));
        to.set_applied(bytes_of(&self.applied));
        to.set_skipped(bytes_of(&self.skipped));
        if !self.begun.is_empty() {
            write_episodes(&self.begun, to.reborrow().init_begun(self.begun.len() as u32));
        }
        to.set_done(self.done);
        self.ended.write(to);
    }
}

fn read_observation(
    rows: wire::rows::Reader,
    count: usize,
    frame: &Frame,
    spec: &Spec,
    most_rows: usize,
    name: &str,
) -> Result<Rows> {
    let record: &Arc<_> = &spec.observation;
    let rows = Rows::read(rows, frame, record, most_rows)?;
    if rows.count() != count {
        return Err(Error::malformed(format!("{name}: is not the number of observations")));
    }
    rows.check_values()?;
    Ok(rows)
}

/// A column of a message; one of length 0 is 0 in every row.
fn column<T: bytemuck::Pod>(bytes: &[u8], n: usize, name: &str) -> Result<Vec<T>> {
    if bytes.is_empty() { Ok(vec![T::zeroed(); n]) } else { numbers(bytes, n, name) }
}

fn rewards(bytes: &[u8], n: usize, name: &str) -> Result<Vec<f64>> {
    let values: Vec<f64> = column(bytes, n, name)?;
    if values.iter().all(|v| v.is_finite()) {
        return Ok(values);
    }
    Err(Error::malformed(format!("{name}: is not a number")))
}

fn times(bytes: &[u8], n: usize, name: &str) -> Result<Vec<f64>> {
    let values: Vec<f64> = column(bytes, n, name)?;
    if values.iter().all(|&v| v.is_finite() && v >= 0.0) {
        return Ok(values);
    }
    Err(Error::malformed(format!("{name}: is not a time")))
}

fn flags(bytes: &[u8], n: usize, most: u8, name: &str) -> Result<Vec<u8>> {
    let values: Vec<u8> = column(bytes, n, name)?;
    if values.iter().all(|&v| v <= most) {
        return Ok(values);
    }
    Err(Error::malformed(format!("{name}: allowed are 0 to {most}")))
}

/// The bytes of a column of a message; none where it is 0 in every row.
fn bytes_of<T: bytemuck::Pod + PartialEq>(values: &[T]) -> &[u8] {
    let zero = T::zeroed();
    if values.iter().all(|&v| v == zero) { &[] } else { bytemuck::cast_slice(values) }
}

fn read_episodes(from: struct_list::Reader<wire::episode::Owned>) -> Result<Vec<Episode>> {
    from.iter().map(Episode::read).collect()
}

fn write_episodes(from: &[Episode], mut to: struct_list::Builder<wire::episode::Owned>) {
    for (i, episode) in from.iter().enumerate() {
        episode.write(to.reborrow().get(i as u32));
    }
}
