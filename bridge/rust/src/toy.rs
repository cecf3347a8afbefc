//! A small environment for the tests of this crate, and chance that repeats.

use std::sync::Arc;

use crate::codec::frame::{Frame, envelope};
use crate::wire;
use crate::{DType, Decisions, Episode, Group, Leaf, Metric, Record, Rows, Spec};

fn leaf(name: &str, dtype: DType, low: f64, high: f64) -> Leaf {
    Leaf {
        name: name.to_string(),
        dtype,
        shape: Vec::new(),
        low,
        high,
        unit: "1".to_string(),
        doc: "for tests".to_string(),
        group: String::new(),
        index_of: String::new(),
        given: Vec::new(),
    }
}

fn observation() -> Record {
    let of = |group: &str, leaf: Leaf| Leaf { group: group.to_string(), ..leaf };
    Record {
        leaves: vec![
            Leaf { shape: vec![2], ..leaf("clock", DType::F64, -10.0, 1e9) },
            of("item", leaf("item.size", DType::F32, 0.0, 100.0)),
            of(
                "item",
                Leaf { index_of: "kind".to_string(), ..leaf("item.kind", DType::I32, 0.0, 4.0) },
            ),
            of("item", leaf("mask.pick", DType::U8, 0.0, 1.0)),
            of("kind", Leaf { shape: vec![3], ..leaf("mask.limit", DType::U8, 0.0, 1.0) }),
            of("item", leaf("amount.min", DType::I32, 0.0, 9.0)),
            of("item", leaf("amount.max", DType::I32, 0.0, 9.0)),
            leaf("seen", DType::I64, 0.0, 1e15),
        ],
        groups: vec![
            Group { name: "item".to_string(), capacity: 4 },
            Group { name: "kind".to_string(), capacity: 5 },
        ],
    }
}

fn action() -> Record {
    let given = |path: &[&str]| path.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    Record {
        leaves: vec![
            Leaf { index_of: "item".to_string(), ..leaf("pick", DType::I32, 0.0, 3.0) },
            Leaf { given: given(&["pick", "item.kind"]), ..leaf("limit", DType::I32, 1.0, 3.0) },
            Leaf { given: given(&["pick"]), ..leaf("amount", DType::I32, 0.0, 9.0) },
            leaf("share", DType::F32, 0.0, 1.0),
        ],
        groups: Vec::new(),
    }
}

/// Items of kinds. The head `pick` selects an item, `limit` is masked by the item's kind, `amount`
/// has bounds of the item, `share` is a number.
pub fn spec() -> Spec {
    let metric = Metric {
        name: "cost".to_string(),
        unit: "1".to_string(),
        lower_is_better: true,
        doc: "for tests".to_string(),
    };
    let mut spec = Spec {
        name: "toy".to_string(),
        summary: "A toy.".to_string(),
        reference: "none".to_string(),
        version: 3,
        layout_hash: 0,
        observation: Arc::new(observation()),
        action: Arc::new(action()),
        metrics: vec![metric],
        system: false,
        replayable: true,
        twin: String::new(),
        text: "toy".to_string(),
    };
    spec.layout_hash = spec.layout();
    spec
}

/// Two rows: with two items of two kinds, and with one of each.
pub fn rows(spec: &Spec) -> Rows {
    let counts = [vec![2, 1], vec![2, 1]];
    let mut rows = Rows::with_elements(&spec.observation, 2, &counts).unwrap();
    rows.column_mut::<f64>("clock").unwrap().copy_from_slice(&[0.5, 1.5, 2.5, 3.5]);
    rows.column_mut::<f32>("item.size").unwrap().copy_from_slice(&[7.0, 8.0, 9.0]);
    rows.column_mut::<i32>("item.kind").unwrap().copy_from_slice(&[1, 0, 0]);
    rows.column_mut::<u8>("mask.pick").unwrap().copy_from_slice(&[0, 1, 1]);
    rows.column_mut::<u8>("mask.limit").unwrap().copy_from_slice(&[0, 1, 0, 1, 0, 1, 1, 1, 0]);
    rows.column_mut::<i32>("amount.min").unwrap().copy_from_slice(&[1, 2, 3]);
    rows.column_mut::<i32>("amount.max").unwrap().copy_from_slice(&[4, 5, 6]);
    rows.column_mut::<i64>("seen").unwrap().copy_from_slice(&[1, 1 << 40]);
    rows
}

/// Two rows of which one begins, and one that has ended.
pub fn decisions(spec: &Spec) -> Decisions {
    let mut decisions = Decisions::question(spec, rows(spec));
    decisions.slot = vec![1, 0];
    decisions.context = vec![7, 4];
    decisions.sequence = vec![0, 12];
    decisions.reward = vec![0.0, -2.5];
    decisions.applied = vec![0, 2];
    decisions.begun = vec![Episode { horizon_s: 60.0, ..Episode::new(7, 8, 9) }];
    let ended = &mut decisions.ended;
    ended.observation = Rows::new(&spec.observation, 1);
    ended.slot = vec![1];
    ended.context = vec![3];
    ended.decisions = vec![2];
    ended.events = vec![100];
    ended.reward = vec![0.25];
    ended.elapsed_s = vec![1.0];
    ended.applied = vec![1];
    ended.skipped = vec![0];
    ended.truncated = vec![1];
    ended.metrics = vec![42.0];
    decisions
}

/// A message, as it is received.
pub fn frame(fill: impl FnOnce(wire::envelope::Builder)) -> Frame {
    let bytes = envelope(&[5; 16], 1, |e| {
        fill(e);
        Ok(())
    });
    Frame::copy(&bytes.unwrap()).unwrap()
}

/// Linear congruence with the high bits mixed down: the same numbers for the same seed.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}
