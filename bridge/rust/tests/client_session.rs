//! A client's side of a session over a channel that loses, repeats and delays.

mod kit;

use kit::{MS, Weather, World, ask, open, said, world};
use park_sdk::session::{Channel, ClientSession, Hello, Limits};
use park_sdk::{Code, Error, Frame, Result, wire};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(600);

/// An envelope of the server's, as bytes.
fn made(
    session: &[u8],
    sequence: u64,
    fill: impl FnOnce(park_sdk::wire::envelope::Builder),
) -> Vec<u8> {
    let mut message = capnp::message::Builder::new_default();
    let mut root: park_sdk::wire::envelope::Builder = message.init_root();
    root.set_session(session);
    root.set_sequence(sequence);
    fill(root);
    capnp::serialize::write_message_to_words(&message)
}

#[test]
fn each_request_counts_once_in_any_weather() {
    for seed in 0..20 {
        let shared = World::new(Limits { window: 4, ..Limits::default() }, b"");
        world(&shared).chance.0 = seed;
        world(&shared).weather = Weather { lost: 20, doubled: 20, most_delay_ms: 300 };
        let mut session = open(&shared, b"", LONG).unwrap();
        for round in 0..25 {
            let numbers: Vec<u32> = (0..4).map(|i| 4 * round + i).collect();
            let sent: Vec<u64> =
                numbers.iter().map(|&n| session.send(LONG, ask(n)).unwrap()).collect();
            let deadline = session.now() + LONG;
            for (&sequence, &number) in sent.iter().zip(&numbers).rev() {
                assert_eq!(said(&session.wait(sequence, deadline).unwrap()), number);
            }
        }
        let world = world(&shared);
        assert_eq!(world.echo.handled, (0..100).collect::<Vec<u32>>(), "seed {seed}");
        assert_eq!(world.table.len(), 1, "one nonce opens one session");
        assert!(session.repeated() > 0);
    }
}

#[test]
fn a_request_without_a_reply_comes_again_after_200_ms_and_twice_as_long_each_time() {
    let shared = World::new(Limits::default(), b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    world(&shared).deaf = true;
    let begin = world(&shared).now;
    world(&shared).requests.clear();
    let failed = session.call(9_000 * MS, ask(1)).unwrap_err();
    assert_eq!(failed.code, Code::Late);
    let world = world(&shared);
    assert_eq!(world.now - begin, 9_000 * MS, "not a moment longer");
    let times: Vec<u128> = world.requests.iter().map(|(at, _)| (*at - begin).as_millis()).collect();
    assert_eq!(times, [0, 200, 600, 1400, 3000, 5000, 7000, 9000][..times.len()]);
    assert!(times.len() >= 7);
    assert!(world.requests.iter().all(|(_, bytes)| *bytes == world.requests[0].1));
}

#[test]
fn hello_comes_again_after_5_ms_under_the_same_nonce() {
    let shared = World::new(Limits::default(), b"");
    world(&shared).deaf = true;
    let begin = world(&shared).now;
    let failed = open(&shared, b"", 100 * MS).err().unwrap();
    assert_eq!(failed.code, Code::Late);
    let world = world(&shared);
    let times: Vec<u128> = world.requests.iter().map(|(at, _)| (*at - begin).as_millis()).collect();
    assert_eq!(times, [0, 5, 15, 35, 75]);
    assert!(world.requests.iter().all(|(_, bytes)| *bytes == world.requests[0].1));
}

#[test]
fn a_late_reply_may_be_waited_for_again() {
    let shared = World::new(Limits::default(), b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    world(&shared).weather = Weather { most_delay_ms: 2_000, ..Weather::default() };
    let sequence = session.send(LONG, ask(7)).unwrap();
    let mut waits = 0;
    let reply = loop {
        let deadline = session.now() + MS;
        match session.wait(sequence, deadline) {
            Ok(reply) => break reply,
            Err(error) => assert_eq!(error.code, Code::Late),
        }
        waits += 1;
    };
    assert_eq!(said(&reply), 7);
    assert!(waits > 0);
    assert_eq!(session.wait(sequence, session.now()).unwrap_err().code, Code::OutOfOrder);
}

#[test]
fn a_reply_that_is_there_is_taken_even_without_time() {
    let shared = World::new(Limits::default(), b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    let sequence = session.send(LONG, ask(7)).unwrap();
    let now = session.now();
    assert_eq!(said(&session.wait(sequence, now).unwrap()), 7);
}

#[test]
fn an_abandoned_request_is_repeated_and_its_reply_is_counted() {
    let shared = World::new(Limits { window: 2, ..Limits::default() }, b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    world(&shared).deaf = true;
    for number in 0..2 {
        let sequence = session.send(LONG, ask(number)).unwrap();
        assert_eq!(session.wait(sequence, session.now() + MS).unwrap_err().code, Code::Late);
        assert!(session.abandon(sequence));
    }
    assert_eq!(session.send(LONG, ask(2)).unwrap_err().code, Code::TooMuch, "the window is full");
    world(&shared).deaf = false;
    world(&shared).now += 300 * MS;
    session.poll().unwrap(); // repeats
    session.poll().unwrap(); // takes the replies
    assert_eq!(session.late(), 2);
    assert_eq!(session.given_up(), [(1, true), (2, true)]);
    assert_eq!(session.given_up(), []);
    assert_eq!(said(&session.call(LONG, ask(2)).unwrap()), 2);
    assert_eq!(world(&shared).echo.handled, [0, 1, 2]);
}

#[test]
fn a_message_that_is_too_large_is_not_sent() {
    let shared = World::new(Limits { most_bytes: 256, ..Limits::default() }, b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    world(&shared).requests.clear();
    let large = |e: park_sdk::wire::envelope::Builder| {
        e.init_open_policy().set_policy("x".repeat(300));
        Ok(())
    };
    let failed = session.call(LONG, large).unwrap_err();
    assert_eq!(failed.code, Code::TooMuch);
    assert!(failed.text.contains("256"), "{failed}");
    assert!(world(&shared).requests.is_empty());
    assert_eq!(said(&session.call(LONG, ask(3)).unwrap()), 3, "its number was not used up");
}

#[test]
fn what_is_no_message_of_the_session_is_ignored() {
    let shared = World::new(Limits::default(), b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    let key = *session.key();
    let other = made(&[9; 16], 1, |e| e.init_policy_closed().set_id(66));
    let mut unknown = made(&key, 1, |mut e| e.set_pong(()));
    unknown[28] = 200; // the discriminant
    let failure = made(&[9; 16], 1, |e| e.init_failure().set_text("not mine"));
    world(&shared).inserted =
        vec![b"junk".to_vec(), vec![0x5a; 48], other, unknown, failure, Vec::new()];
    for number in 0..5 {
        assert_eq!(said(&session.call(LONG, ask(number)).unwrap()), number);
    }
    assert_eq!(session.repeated(), 0);
}

#[test]
fn a_failure_is_an_error_with_its_code_and_text() {
    let shared = World::new(Limits::default(), b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    let ping = |e: park_sdk::wire::envelope::Builder| {
        e.init_open_stream();
        Ok(())
    };
    let failed = session.call(LONG, ping).unwrap_err();
    assert_eq!(failed.to_string(), "unsupported: an echo has no such request");
    assert_eq!(said(&session.call(LONG, ask(1)).unwrap()), 1, "the session goes on");
}

#[test]
fn a_session_that_is_over_says_so() {
    let shared = World::new(Limits { lease: 1_000 * MS, ..Limits::default() }, b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    {
        let world = &mut *world(&shared);
        world.now += 1_500 * MS;
        world.table.expire(world.now, &mut world.echo);
        world.echo.sent.clear(); // its farewell is lost
    }
    assert_eq!(session.call(LONG, ask(1)).unwrap_err().code, Code::NoSession);
    assert_eq!(session.call(LONG, ask(2)).unwrap_err().code, Code::NoSession);
    assert!(world(&shared).echo.handled.is_empty());
}

#[test]
fn a_farewell_ends_the_session() {
    let shared = World::new(Limits::default(), b"");
    let mut session = open(&shared, b"", LONG).unwrap();
    let bytes = {
        let world = &mut *world(&shared);
        world.table.shut_down("the server ends", &mut world.echo);
        std::mem::take(&mut world.echo.sent)
    };
    world(&shared).inserted = bytes;
    let failed = session.call(LONG, ask(1)).unwrap_err();
    assert_eq!(failed.code, Code::ShuttingDown);
    assert!(failed.text.contains("the server ends"), "{failed}");
}

#[test]
fn the_token_has_to_be_the_one_of_the_server() {
    let shared = World::new(Limits::default(), b"secret");
    for token in [&b""[..], b"secreT", b"secret!"] {
        assert_eq!(open(&shared, token, LONG).err().unwrap().code, Code::NotAllowed);
    }
    assert!(open(&shared, b"secret", LONG).is_ok());
    assert_eq!(world(&shared).table.counts().refused, 3);
}

/// Delivers a message each millisecond, whatever is asked: a welcome or not, then what is none.
struct Flood {
    now: Instant,
    delivered: u32,
    welcome: bool,
}

impl Channel for Flood {
    fn send(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn receive(&mut self, _: Instant) -> Result<Option<Frame>> {
        self.now += MS;
        self.delivered += 1;
        assert!(self.delivered < 1_000, "it would go on for ever");
        if self.welcome && self.delivered == 1 {
            return Frame::copy(&made(&[], 0, |e| {
                let mut welcome = e.init_welcome();
                welcome.set_session(&[1; 16]);
                welcome.set_window(8);
                welcome.set_lease_ms(1_000);
                welcome.set_most_bytes(1_000);
                welcome.set_most_slots(1);
                welcome.set_heartbeat_ms(100);
            }))
            .map(Some);
        }
        Frame::copy(&made(&[9; 16], 1, |mut e| e.set_pong(()))).map(Some)
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn endpoint(&self) -> &str {
        "flood"
    }
}

#[test]
fn a_flood_does_not_hold_a_call_beyond_its_deadline() {
    let now = Instant::now();
    let hello = Hello { client: String::new(), token: Vec::new() };
    let open = |welcome| {
        let flood = Flood { now, delivered: 0, welcome };
        ClientSession::open(Box::new(flood), &hello, 100 * MS)
    };
    assert_eq!(open(false).err().unwrap().code, Code::Late);
    let mut session = open(true).unwrap();
    assert_eq!(session.call(100 * MS, ask(1)).unwrap_err().code, Code::Late);
    assert!(session.now() <= now + 110 * MS);
}

/// Answers everything with the same message.
struct Says {
    now: Instant,
    bytes: Vec<u8>,
}

impl Channel for Says {
    fn send(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn receive(&mut self, _: Instant) -> Result<Option<Frame>> {
        self.now += MS;
        Frame::copy(&self.bytes).map(Some)
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn endpoint(&self) -> &str {
        "says"
    }
}

/// What a client finds wrong with an answer to its hello.
fn answered(session: &[u8], sequence: u64, fill: impl FnOnce(wire::envelope::Builder)) -> Error {
    let says = Says { now: Instant::now(), bytes: made(session, sequence, fill) };
    let hello = Hello { client: String::new(), token: Vec::new() };
    ClientSession::open(Box::new(says), &hello, 500 * MS).err().unwrap()
}

#[test]
fn a_limit_of_0_is_named() {
    for (change, name) in [
        ((|mut w| w.set_window(0)) as fn(wire::welcome::Builder), "window"),
        (|mut w| w.set_lease_ms(0), "leaseMs"),
        (|mut w| w.set_most_bytes(0), "mostBytes"),
        (|mut w| w.set_most_slots(0), "mostSlots"),
        (|mut w| w.set_heartbeat_ms(0), "heartbeatMs"),
    ] {
        let error = answered(&[], 0, |e| {
            let mut welcome = e.init_welcome();
            welcome.set_session(&[1; 16]);
            welcome.set_window(8);
            welcome.set_lease_ms(1_000);
            welcome.set_most_bytes(1_000);
            welcome.set_most_slots(1);
            welcome.set_heartbeat_ms(100);
            change(welcome);
        });
        let text = format!("malformed: welcome: {name} is 0, allowed is 1 or more");
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_hello_that_the_server_cannot_read_ends_the_call() {
    let failure = |e: wire::envelope::Builder| {
        let mut failure = e.init_failure();
        failure.set_code(wire::Code::Malformed);
        failure.set_text("envelope: \u{1b}]0;x\u{7} is none");
    };
    let error = answered(&[], 0, failure);
    let text = r"the server cannot read what this client sends: envelope: \x1b]0;x\x07 is none";
    assert_eq!((error.code, error.text.as_str()), (Code::Malformed, text));
    assert_eq!(answered(&[9; 16], 0, failure).code, Code::Late, "of another session");
    assert_eq!(answered(&[], 1, failure).code, Code::Late, "of a request");
    let other = |e: wire::envelope::Builder| e.init_failure().set_code(wire::Code::Internal);
    assert_eq!(answered(&[], 0, other).code, Code::Late, "of another kind");
}

/// Welcomes a client and can read nothing else, up to a number of requests; these it answers.
struct Unreading {
    now: Instant,
    sent: Vec<Instant>,
    readable_after: usize,
    coming: Vec<Vec<u8>>,
}

const UNREADING: [u8; 16] = [1; 16];

/// A client's end of it.
struct ToUnreading(Arc<Mutex<Unreading>>);

impl Channel for ToUnreading {
    fn send(&mut self, _: &[u8]) -> Result<()> {
        let server = &mut *self.0.lock().unwrap();
        server.sent.push(server.now);
        let n = server.sent.len();
        let reply = match n {
            1 => made(&[], 0, welcome),
            _ if n > server.readable_after => {
                made(&UNREADING, 1, |e| e.init_policy_closed().set_id(7))
            }
            _ => made(&[], 0, |e| {
                let mut failure = e.init_failure();
                failure.set_code(wire::Code::Malformed);
                failure.set_text("envelope: is none");
            }),
        };
        // Twice: it may have been repeated on its way.
        server.coming.extend([reply.clone(), reply]);
        Ok(())
    }

    fn receive(&mut self, until: Instant) -> Result<Option<Frame>> {
        let server = &mut *self.0.lock().unwrap();
        if server.coming.is_empty() {
            server.now = server.now.max(until);
            return Ok(None);
        }
        Frame::copy(&server.coming.remove(0)).map(Some)
    }

    fn now(&self) -> Instant {
        self.0.lock().unwrap().now
    }

    fn endpoint(&self) -> &str {
        "unreading"
    }
}

fn welcome(e: wire::envelope::Builder) {
    let mut welcome = e.init_welcome();
    welcome.set_session(&UNREADING);
    welcome.set_window(8);
    welcome.set_lease_ms(60_000);
    welcome.set_most_bytes(1_000);
    welcome.set_most_slots(1);
    welcome.set_heartbeat_ms(10_000);
}

fn unreading(readable_after: usize) -> (Arc<Mutex<Unreading>>, ClientSession) {
    let (now, sent, coming) = (Instant::now(), Vec::new(), Vec::new());
    let server = Arc::new(Mutex::new(Unreading { now, sent, readable_after, coming }));
    let hello = Hello { client: String::new(), token: Vec::new() };
    let session = ClientSession::open(Box::new(ToUnreading(server.clone())), &hello, LONG).unwrap();
    (server, session)
}

#[test]
fn a_request_that_the_server_cannot_read_ends_in_the_fourth_round() {
    let (server, mut session) = unreading(usize::MAX);
    let begin = session.now();
    let error = session.call(LONG, ask(1)).unwrap_err();
    assert_eq!(error.code, Code::Malformed);
    assert!(
        error.text.ends_with("cannot read what this client sends: envelope: is none"),
        "{error}"
    );
    assert_eq!(session.now() - begin, 1_400 * MS);
    let sent = &server.lock().unwrap().sent[1..];
    let times: Vec<u128> = sent.iter().map(|at| (*at - begin).as_millis()).collect();
    assert_eq!(times, [0, 200, 600, 1400]);
}

#[test]
fn a_request_that_was_damaged_on_its_way_is_read_when_it_comes_again() {
    let (_, mut session) = unreading(4); // the hello and three requests
    assert_eq!(said(&session.call(LONG, ask(7)).unwrap()), 7);
}

#[test]
fn closing_frees_what_the_server_kept() {
    let shared = World::new(Limits::default(), b"");
    let session = open(&shared, b"", LONG).unwrap();
    let key = *session.key();
    drop(session);
    // The goodbye is under way; the next client lets time go on.
    let _next = open(&shared, b"", LONG).unwrap();
    assert_eq!(world(&shared).echo.ended, [key]);
}

#[test]
fn what_a_client_has_may_move_to_another_thread() {
    fn movable<T: Send>() {}
    movable::<park_sdk::Connection>();
    movable::<park_sdk::Environment>();
    movable::<park_sdk::RemotePolicy>();
}
