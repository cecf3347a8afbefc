//! Environments in Rust for the interface of park/plugin.h. The structs are those of that header up
//! to the last member that is needed here: a host takes what lies behind the size of a struct for
//! absent. A trait with safe functions stands in front of the tables.
use std::ffi::{c_char, c_void, CStr};
use std::ptr::{from_ref, null, NonNull};

/// Declares a struct of the header. The host only reads what it is shown, from any thread.
macro_rules! table {
    ($name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        #[repr(C)]
        pub struct $name { pub size: u64, $(pub $field: $type),* }
        unsafe impl Sync for $name {}
    };
}
type Text = *const c_char;
type Code = i32;
type List<T> = *const *const T;

table!(Error { text: *mut c_char, capacity: u64 });
table!(Leaf { name: Text, dtype: i32, shape: *const i64, dims: u64, low: f64, high: f64, unit: Text,
              doc: Text });
table!(Record { leaves: List<Leaf>, leaf_count: u64, groups: List<c_void>, group_count: u64 });
table!(Metric { name: Text, unit: Text, lower_is_better: i32, doc: Text });
table!(Spec { name: Text, summary: Text, reference: Text, version: i32, observation: *const Record,
              action: *const Record, metrics: List<Metric>, metric_count: u64, replayable: i32 });
table!(Row { columns: List<c_void>, counts: *const u64 });
table!(NewRow { columns: *mut *mut c_void, counts: *mut u64 });
table!(Episode { id: u64, inputs: u64, dynamics: u64, horizon_s: f64 });
table!(Outcome { reward: f64, elapsed_s: f64, end: i32 });
table!(Sink {
    this: *mut c_void,
    lane: *const c_void,
    job: *const c_void,
    span: *const c_void,
    point: unsafe extern "C" fn(*mut c_void, Text, f64, Text, List<c_void>, u64),
});
table!(EnvType {
    name: Text, fields: List<c_void>, field_count: u64,
    configure: extern "C" fn(Text, *mut *mut c_void, *mut Error) -> Code,
    forget: extern "C" fn(*mut c_void),
    spec: unsafe extern "C" fn(*const c_void, *mut *const Spec, *mut Error) -> Code,
    data_files: *const c_void,
    create: unsafe extern "C" fn(*const c_void, *mut *mut c_void, *mut Error) -> Code,
    destroy: unsafe extern "C" fn(*mut c_void),
    reset: unsafe extern "C" fn(*mut c_void, *const Episode, *mut NewRow, *mut Error) -> Code,
    step: unsafe extern "C" fn(*mut c_void, *const Row, *mut Outcome, *mut NewRow, *mut Error) -> Code,
    metrics: unsafe extern "C" fn(*mut c_void, *mut f64, u64, *mut Error) -> Code,
    event_count: *const c_void,
    events: unsafe extern "C" fn(*mut c_void, *const Sink),
});
table!(Plugin { abi: u32, name: Text, version: Text, licence: Text, envs: List<EnvType>,
                env_count: u64 });

pub const I32: i32 = 1;
#[allow(dead_code)] // for leaves of other environments
pub const F32: i32 = 3;
pub const TERMINATED: i32 = 1;
pub const TRUNCATED: i32 = 2;

/// A leaf or a head with one value per row.
pub const fn leaf(name: &CStr, dtype: i32, low: f64, high: f64, unit: &CStr, doc: &CStr) -> Leaf {
    let (name, unit, doc) = (name.as_ptr(), unit.as_ptr(), doc.as_ptr());
    Leaf {
        size: size_of::<Leaf>() as u64,
        name,
        dtype,
        shape: null(),
        dims: 0,
        low,
        high,
        unit,
        doc,
    }
}
pub const fn record<const N: usize>(leaves: &'static [&'static Leaf; N]) -> Record {
    let size = size_of::<Record>() as u64;
    Record {
        size,
        leaves: leaves.as_ptr().cast(),
        leaf_count: N as u64,
        groups: null(),
        group_count: 0,
    }
}
pub const fn metric(name: &CStr, unit: &CStr, doc: &CStr) -> Metric {
    let size = size_of::<Metric>() as u64;
    Metric { size, name: name.as_ptr(), unit: unit.as_ptr(), lower_is_better: 1, doc: doc.as_ptr() }
}
/// Of version 1.
pub const fn spec_of<const N: usize>(
    env: &CStr,
    texts: [&CStr; 2],
    observation: &'static Record,
    action: &'static Record,
    metrics: &'static [&'static Metric; N],
) -> Spec {
    let [summary, reference] = [texts[0].as_ptr(), texts[1].as_ptr()];
    Spec {
        size: size_of::<Spec>() as u64,
        name: env.as_ptr(),
        summary,
        reference,
        version: 1,
        observation,
        action,
        metrics: metrics.as_ptr().cast(),
        metric_count: N as u64,
        replayable: 1,
    }
}

/// An environment without fields and groups, whose episodes are replayable.
pub trait Env: Default + 'static {
    const NAME: &CStr;
    const SPEC: &'static Spec;
    /// Where its leaves are. The environment does not move after this was asked.
    fn columns(&self) -> Vec<*const c_void>;
    fn reset(&mut self, episode: &Episode, events: &Events);
    /// `action`: the values of the heads, which are all of type I32.
    fn step(&mut self, action: &[i32], events: &Events) -> Outcome;
    fn metrics(&self, values: &mut [f64]);
}

/// Where events go; most of the time nowhere.
pub struct Events(*const Sink);
impl Events {
    /// Something at one time. Everything that comes in from outside is an "arrival".
    pub fn point(&self, lane: &CStr, time_s: f64, what: &CStr) {
        if let Some(sink) = unsafe { self.0.as_ref() } {
            unsafe { (sink.point)(sink.this, lane.as_ptr(), time_s, what.as_ptr(), null(), 0) };
        }
    }
}

struct Slot<E> {
    env: E,
    columns: Vec<*const c_void>,
    action: Vec<i32>,
    events: Events,
}
impl<E> Slot<E> {
    /// The host copies the values from where they are.
    unsafe fn show(&self, row: &NewRow) {
        for (leaf, values) in self.columns.iter().enumerate() {
            *row.columns.add(leaf) = values.cast_mut();
        }
    }
}
extern "C" fn configure(_: Text, config: *mut *mut c_void, _: *mut Error) -> Code {
    unsafe { *config = NonNull::<u8>::dangling().as_ptr().cast() };
    0
}
extern "C" fn forget(_: *mut c_void) {}
unsafe extern "C" fn spec<E: Env>(_: *const c_void, to: *mut *const Spec, _: *mut Error) -> Code {
    *to = E::SPEC;
    0
}
unsafe extern "C" fn create<E: Env>(_: *const c_void, to: *mut *mut c_void, _: *mut Error) -> Code {
    let heads = (*E::SPEC.action).leaf_count as usize;
    let mut slot = Box::new(Slot {
        env: E::default(),
        columns: Vec::new(),
        action: vec![0; heads],
        events: Events(null()),
    });
    slot.columns = slot.env.columns();
    *to = Box::into_raw(slot).cast();
    0
}
unsafe extern "C" fn destroy<E: Env>(slot: *mut c_void) {
    drop(Box::from_raw(slot.cast::<Slot<E>>()));
}
unsafe extern "C" fn reset<E: Env>(
    slot: *mut c_void,
    episode: *const Episode,
    row: *mut NewRow,
    _: *mut Error,
) -> Code {
    let slot = &mut *slot.cast::<Slot<E>>();
    slot.env.reset(&*episode, &slot.events);
    slot.show(&*row);
    0
}
unsafe extern "C" fn step<E: Env>(
    slot: *mut c_void,
    action: *const Row,
    outcome: *mut Outcome,
    row: *mut NewRow,
    _: *mut Error,
) -> Code {
    let slot = &mut *slot.cast::<Slot<E>>();
    for (head, value) in slot.action.iter_mut().enumerate() {
        *value = *(*(*action).columns.add(head)).cast::<i32>();
    }
    let Outcome { reward, elapsed_s, end, .. } = slot.env.step(&slot.action, &slot.events);
    ((*outcome).reward, (*outcome).elapsed_s, (*outcome).end) = (reward, elapsed_s, end);
    slot.show(&*row);
    0
}
unsafe extern "C" fn metrics<E: Env>(
    slot: *mut c_void,
    values: *mut f64,
    count: u64,
    _: *mut Error,
) -> Code {
    let values = std::slice::from_raw_parts_mut(values, count as usize);
    (*slot.cast::<Slot<E>>()).env.metrics(values);
    0
}
unsafe extern "C" fn events<E: Env>(slot: *mut c_void, sink: *const Sink) {
    (*slot.cast::<Slot<E>>()).events = Events(sink);
}
pub const fn env_type<E: Env>() -> EnvType {
    EnvType {
        size: size_of::<EnvType>() as u64,
        name: E::NAME.as_ptr(),
        fields: null(),
        field_count: 0,
        configure,
        forget,
        spec: spec::<E>,
        data_files: null(),
        create: create::<E>,
        destroy: destroy::<E>,
        reset: reset::<E>,
        step: step::<E>,
        metrics: metrics::<E>,
        event_count: null(),
        events: events::<E>,
    }
}

/// The generator of the header, for quantities that are drawn by their number.
pub fn key(seed: u64) -> u64 {
    mix(seed.wrapping_add(0x632b_e59b_d9b4_e019))
}
pub fn split(of: u64, id: u64) -> u64 {
    key(of ^ mix(id.wrapping_add(1)))
}
/// Draw n of a key, n = 1, 2, ...: exponential with mean 1.
pub fn exponential(of: u64, n: u64) -> f64 {
    let bits = mix(of.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(n)));
    -(1.0 - (bits >> 11) as f64 / (1_u64 << 53) as f64).ln()
}
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[repr(C, align(4))]
pub struct Note<const N: usize>(pub [u32; 3], pub [u8; 8], pub u32, pub [u8; N]);

/// The note and the function of a plug-in: `plugin!("name", "1.0", "MIT", MyEnv);`
macro_rules! plugin {
    ($name:literal, $version:literal, $licence:literal, $env:ty) => {
        const TEXT: &[u8] = concat!($name, "\0", $version, "\0", $licence, "\0").as_bytes();
        #[used]
        #[link_section = ".note.park"]
        static NOTE: park::Note<{ TEXT.len() }> = park::Note(
            [5, 4 + TEXT.len() as u32, 1],
            *b"Park\0\0\0\0",
            1,
            *TEXT.first_chunk().unwrap(),
        );
        static ENV: park::EnvType = park::env_type::<$env>();
        static ENVS: [&park::EnvType; 1] = [&ENV];
        #[no_mangle]
        extern "C" fn park_plugin(
            _abi: u32,
            _host: *const std::ffi::c_void,
        ) -> &'static park::Plugin {
            static PLUGIN: park::Plugin = park::Plugin {
                size: size_of::<park::Plugin>() as u64,
                abi: 1,
                name: concat!($name, "\0").as_ptr().cast(),
                version: concat!($version, "\0").as_ptr().cast(),
                licence: concat!($licence, "\0").as_ptr().cast(),
                envs: ENVS.as_ptr().cast(),
                env_count: 1,
            };
            &PLUGIN
        }
    };
}
pub(crate) use plugin;

/// A pointer to a value, for `Env::columns`.
pub fn at<T>(value: &T) -> *const c_void {
    from_ref(value).cast()
}
