//! A server of an environment with two episodes of one step, which says what cannot be.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use park_sdk::wire::decisions::Builder as Decisions;
use park_sdk::wire::envelope::{Builder, Which};
use park_sdk::wire::stream_opened::Builder as Opened;
use park_sdk::{Code, Connection, EnvironmentOptions, Episode, Error, Frame, Options, wire};

const FIRST: &[u8] = b"PKB\x01\0\0\0\0";
const SESSION: [u8; 16] = [1; 16];
const LAYOUT: u64 = 0x1101_b612_fecd_c959; // of the spec
const SOON: Duration = Duration::from_secs(10);

/// What it changes in what it says.
#[derive(Clone, Copy)]
struct Lies {
    opening: fn(Opened),
    step: fn(Decisions),
}

const NONE: Lies = Lies { opening: |_| {}, step: |_| {} };

struct Server {
    endpoint: String,
    lies: Arc<Mutex<Lies>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start() -> Self {
        let socket = zmq::Context::new().socket(zmq::ROUTER).unwrap();
        socket.set_linger(0).unwrap();
        socket.bind("tcp://127.0.0.1:*").unwrap();
        let endpoint = socket.get_last_endpoint().unwrap().unwrap();
        let (lies, over) = (Arc::new(Mutex::new(NONE)), Arc::new(AtomicBool::new(false)));
        let (its_lies, its_over) = (lies.clone(), over.clone());
        let thread = std::thread::spawn(move || {
            while !its_over.load(Ordering::Relaxed) {
                if socket.poll(zmq::POLLIN, 10).unwrap() > 0 {
                    let frames = socket.recv_multipart(0).unwrap();
                    let reply = answer(&frames[2], *its_lies.lock().unwrap());
                    socket.send_multipart([&frames[0][..], FIRST, &reply], 0).unwrap();
                }
            }
        });
        Server { endpoint, lies, over, thread: Some(thread) }
    }

    /// What a client says of it, in opening or at the step.
    fn said(&self, lies: Lies) -> Error {
        *self.lies.lock().unwrap() = lies;
        let begin = Instant::now();
        let options = Options { timeout: SOON, ..Options::default() };
        let connection = Connection::open(&self.endpoint, options).unwrap();
        let error = match connection.environment(EnvironmentOptions::of(""), given) {
            Err(error) => error,
            Ok(mut env) => {
                let actions = env.actions();
                let error = env.step(&actions).unwrap_err();
                assert_eq!(env.step(&actions).unwrap_err(), error, "nothing is asked after that");
                error
            }
        };
        assert!(begin.elapsed() < SOON / 2, "{:?}", begin.elapsed());
        error
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn given(number: u64) -> Option<Episode> {
    (number < 2).then(|| Episode::new(number, 10 + number, 20 + number))
}

fn answer(request: &[u8], lies: Lies) -> Vec<u8> {
    let frame = Frame::copy(request).unwrap();
    let message = frame.message().unwrap();
    let envelope = message.envelope().unwrap();
    let mut reply = capnp::message::Builder::new_default();
    let mut to: Builder = reply.init_root();
    to.set_sequence(envelope.get_sequence());
    match envelope.which().unwrap() {
        Which::Hello(_) => welcome(to),
        kind => {
            to.set_session(&SESSION);
            match kind {
                Which::OpenStream(_) => open(to.init_stream_opened(), lies),
                Which::Step(_) => step(to.init_decisions(), lies),
                _ => to.set_pong(()),
            }
        }
    }
    capnp::serialize::write_message_to_words(&reply)
}

fn welcome(to: Builder) {
    let mut welcome = to.init_welcome();
    welcome.set_session(&SESSION);
    welcome.set_window(8);
    welcome.set_lease_ms(60_000);
    welcome.set_most_bytes(1 << 20);
    welcome.set_most_slots(4);
    welcome.set_heartbeat_ms(10_000);
}

fn open(mut opened: Opened, lies: Lies) {
    let mut spec = opened.reborrow().init_spec();
    spec.set_name("toy");
    let mut leaf = spec.reborrow().init_observation().init_leaves(1).get(0);
    leaf.set_name("load");
    leaf.set_dtype(wire::DType::F32);
    leaf.set_high(9.0);
    let mut leaf = spec.reborrow().init_action().init_leaves(1).get(0);
    leaf.set_name("choice");
    leaf.set_dtype(wire::DType::I32);
    leaf.set_high(3.0);
    spec.set_layout_hash(LAYOUT);
    spec.init_metrics(1).get(0).set_name("cost");
    ask(opened.reborrow().init_first(), 0);
    (lies.opening)(opened);
}

fn step(mut to: Decisions, lies: Lies) {
    to.set_ended(1);
    row(to.reborrow().init_final_observation());
    to.set_ended_decisions(&1u64.to_le_bytes());
    ask(to.reborrow(), 1);
    (lies.step)(to);
}

fn ask(mut to: Decisions, number: u64) {
    to.set_asked(1);
    row(to.reborrow().init_observation());
    to.set_context(&number.to_le_bytes());
    let mut begun = to.init_begun(1).get(0);
    begun.set_id(number);
    begun.set_inputs(10 + number);
    begun.set_dynamics(20 + number);
}

fn row(mut rows: wire::rows::Builder) {
    rows.set_count(1);
    rows.init_columns(1).set(0, &2.5f32.to_le_bytes());
}

#[test]
fn what_cannot_be_in_opening_is_named() {
    let server = Server::start();
    for (opening, text) in [
        (
            (|o| {
                let spec = o.get_spec().unwrap();
                let leaf = spec.get_action().unwrap().get_leaves().unwrap().get(0);
                leaf.init_shape(1).set(0, 1 << 62);
            }) as fn(Opened),
            "choice: with its shape [4611686018427387904] a row takes more than",
        ),
        (
            |o| o.get_first().unwrap().get_observation().unwrap().set_count(u32::MAX),
            "rows: 4294967295, at most 1 are allowed",
        ),
        (|o| o.get_spec().unwrap().set_layout_hash(7), "spec: layoutHash is not that"),
        (|o| o.get_first().unwrap().set_asked(u32::MAX), "asked: is not the number"),
        (|o| o.get_first().unwrap().set_ended(u32::MAX), "ended: is not the number"),
        (|o| o.get_first().unwrap().set_slot(&[9, 0, 0, 0]), "slot: 9, there are 1"),
        (|o| o.get_first().unwrap().set_context(&[9; 8]), "begun: slot 0 has Episode { id: 0"),
        (|o| begun(o).set_inputs(7), "begun: slot 0 has Episode { id: 0, inputs: 7"),
        (|o| begun(o).set_horizon_s(3.0), "begun: slot 0 has Episode { id: 0, inputs: 10"),
        (
            |mut o| {
                o.reborrow().get_spec().unwrap().set_system(true);
                begun(o).set_id(7);
            },
            "begun: slot 0 has Episode { id: 7",
        ),
        (|o| o.get_first().unwrap().set_reward(&[255; 8]), "reward: is not a number"),
        (|o| o.init_first().set_asked(0), "asked: nothing is asked and nothing has ended"),
        (|o| o.init_first().set_done(true), "done: slot 0 has 2 more episodes to play"),
    ] {
        let error = server.said(Lies { opening, ..NONE });
        assert!(matches!(error.code, Code::Malformed | Code::TooMuch), "{error}");
        assert!(error.text.starts_with(text), "{error} does not tell {text}");
    }
}

fn begun(opened: Opened) -> wire::episode::Builder {
    opened.get_first().unwrap().get_begun().unwrap().get(0)
}

#[test]
fn what_cannot_be_in_a_step_is_named() {
    let server = Server::start();
    for (step, text) in [
        (
            (|mut d| {
                d.set_asked(0);
                d.reborrow().init_observation();
                d.set_context(&[]);
                d.reborrow().init_begun(0);
                d.set_done(true);
            }) as fn(Decisions),
            "done: slot 0 has 1 more episodes to play",
        ),
        (|d| d.get_begun().unwrap().get(0).set_id(0), "begun: slot 0 has Episode { id: 0"),
        (|mut d| d.set_ended_context(&[5; 8]), "endedContext: 361700864190383365 is not"),
        (|mut d| d.set_ended_decisions(&[]), "endedContext: 0 is not what slot 0 plays"),
        (|mut d| d.set_ended_slot(&[255; 4]), "slot: 4294967295, there are 1"),
        (|mut d| d.set_metrics(&f64::NAN.to_le_bytes()), "metric cost: NaN"),
        (
            |mut d| {
                d.set_truncated(&[1]);
                d.set_metrics(&f64::INFINITY.to_le_bytes());
            },
            "metric cost: inf",
        ),
        (|mut d| d.set_ended_elapsed_s(&[255; 8]), "endedElapsedS: is not a time"),
        (|d| d.init_ended_unseen(1).get(0).set_id(1), "endedUnseen: more episodes"),
    ] {
        let error = server.said(Lies { step, ..NONE });
        assert_eq!(error.code, Code::Malformed, "{error}");
        assert!(error.text.starts_with(text), "{error} does not tell {text}");
    }
}

#[test]
fn a_server_that_is_true_is_played() {
    let server = Server::start();
    let truth = |mut d: Decisions| {
        d.set_truncated(&[1]);
        d.set_metrics(&f64::NAN.to_le_bytes()); // what was cut off may leave it undefined
    };
    *server.lies.lock().unwrap() = Lies { step: truth, ..NONE };
    let connection = Connection::open(&server.endpoint, Options::default()).unwrap();
    let mut env = connection.environment(EnvironmentOptions::of(""), given).unwrap();
    let actions = env.actions();
    env.step(&actions).unwrap();
    let ended = &env.decisions().ended;
    assert!(ended.metric(env.spec(), "cost").unwrap().all(f64::is_nan));
    assert_eq!(env.decisions().begun, [given(1).unwrap()]);
}
