//! An environment in Rust. A thread finds a lock held and chooses how long it spins before it goes to
//! sleep, which costs two context switches (Karlin, Li, Manasse, Owicki, SOSP 1991). It sees how many
//! threads are in front of it.
//!
//!     rustc --edition 2021 -O --crate-type cdylib spinning.rs -o libspinning.so
//!     park run spinning --plugin ./libspinning.so --policy random --episodes 20
mod park;
use park::{Env, Episode, Events, Leaf, Metric, Outcome, Record, Spec};
use std::ffi::{c_void, CStr};

const HOLD_S: f64 = 20e-6; // a thread has the lock so long, on average
const SLEEP_S: f64 = 100e-6;
const GAP_S: f64 = 1e-3; // until the next lock that is held
const LOCKS: u64 = 500; // of an episode

#[derive(Default)]
struct Spinning {
    ahead: i32,
    locks: u64,
    key: u64,
    now_s: f64,
    horizon_s: f64,
    spent_s: f64,
}

static AHEAD: Leaf = park::leaf(c"ahead", park::I32, 1.0, 8.0, c"1", c"threads in front of it");
static SPIN: Leaf =
    park::leaf(c"spin", park::I32, 0.0, 20.0, c"10 us", c"the longest time to spin");
static OBSERVATION: Record = park::record(&[&AHEAD]);
static ACTION: Record = park::record(&[&SPIN]);
static SPENT: Metric =
    park::metric(c"cpu_us", c"us", c"mean processor time per lock: spinning, switches");
static SPEC: Spec = park::spec_of(
    Spinning::NAME,
    [c"how long to spin on a lock before sleeping", c"Karlin, Li, Manasse, Owicki, SOSP 1991"],
    &OBSERVATION,
    &ACTION,
    &[&SPENT],
);

impl Env for Spinning {
    const NAME: &CStr = c"spinning";
    const SPEC: &'static Spec = &SPEC;
    fn columns(&self) -> Vec<*const c_void> {
        vec![park::at(&self.ahead)]
    }
    fn reset(&mut self, episode: &Episode, events: &Events) {
        *self = Self {
            key: park::key(episode.inputs),
            horizon_s: episode.horizon_s,
            ..Self::default()
        };
        self.meet(1, events);
    }
    fn step(&mut self, action: &[i32], events: &Events) -> Outcome {
        // Draws have the number of their lock: other actions meet the same locks.
        let of = park::split(self.key, self.locks);
        let wait_s: f64 =
            (0..self.ahead).map(|i| HOLD_S * park::exponential(of, 3 + i as u64)).sum();
        let spin_s = f64::from(action[0]) * 10e-6;
        let spent_s = if wait_s <= spin_s { wait_s } else { spin_s + SLEEP_S };
        self.spent_s += spent_s;
        let before_s = self.now_s;
        self.now_s = (before_s + GAP_S * park::exponential(of, 1)).min(self.horizon_s);
        let end = if self.now_s >= self.horizon_s {
            park::TRUNCATED
        } else {
            self.meet(self.locks + 1, events)
        };
        Outcome { size: 0, reward: -spent_s * 1e6, elapsed_s: self.now_s - before_s, end }
    }
    fn metrics(&self, values: &mut [f64]) {
        values[0] = self.spent_s * 1e6 / self.locks as f64;
    }
}

impl Spinning {
    fn meet(&mut self, number: u64, events: &Events) -> i32 {
        if number > LOCKS {
            return park::TERMINATED;
        }
        self.locks = number;
        events.point(c"lock", self.now_s, c"arrival");
        self.ahead =
            (1.0 + 2.0 * park::exponential(park::split(self.key, number), 2)).min(8.0) as i32;
        0
    }
}

park::plugin!("spinning", "1.0", "Apache-2.0", Spinning);
