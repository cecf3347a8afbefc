//! A server's side of a session: what it answers to what.

mod kit;

use kit::{Chance, Echo, MS, ROUTE};
use park_sdk::session::{Host, Key, Limits, SessionTable};
use park_sdk::wire::envelope::{Builder, Which};
use park_sdk::{Code, Frame, Result};
use std::time::{Duration, Instant};

const FIRST: &[u8] = b"PKB\x01\0\0\0\0";

struct Server {
    table: SessionTable,
    echo: Echo,
    now: Instant,
}

impl Server {
    fn new(limits: Limits) -> Self {
        let table = SessionTable::new(limits, "echo", b"");
        Server { table, echo: Echo::default(), now: Instant::now() }
    }

    /// What it answers to frames.
    fn raw(&mut self, frames: &[&[u8]]) -> Vec<Vec<u8>> {
        self.echo.sent.clear();
        self.table.receive(ROUTE, frames, self.now, &mut self.echo);
        std::mem::take(&mut self.echo.sent)
    }

    fn tell(&mut self, session: &[u8], sequence: u64, fill: impl FnOnce(Builder)) -> Vec<Vec<u8>> {
        self.raw(&[FIRST, &bytes(session, sequence, fill)])
    }

    fn hello(&mut self, nonce: u8) -> Vec<Vec<u8>> {
        self.tell(&[], 0, |e| e.init_hello().set_nonce(&[nonce; 16]))
    }

    fn open(&mut self, nonce: u8) -> Key {
        let replies = self.hello(nonce);
        let frame = Frame::copy(&replies[0]).unwrap();
        let message = frame.message().unwrap();
        let Ok(Which::Welcome(welcome)) = message.envelope().unwrap().which() else {
            panic!("no welcome");
        };
        welcome.unwrap().get_session().unwrap().try_into().unwrap()
    }

    fn ask(&mut self, session: &Key, sequence: u64) -> Vec<Vec<u8>> {
        self.tell(session, sequence, |e| e.init_close_policy().set_id(sequence as u32))
    }
}

fn bytes(session: &[u8], sequence: u64, fill: impl FnOnce(Builder)) -> Vec<u8> {
    let mut message = capnp::message::Builder::new_default();
    let mut root: Builder = message.init_root();
    root.set_session(session);
    root.set_sequence(sequence);
    fill(root);
    capnp::serialize::write_message_to_words(&message)
}

/// The number and the code of the only reply, a failure or a refusal.
fn code(replies: &[Vec<u8>]) -> (u64, Code) {
    assert_eq!(replies.len(), 1);
    let frame = Frame::copy(&replies[0]).unwrap();
    let message = frame.message().unwrap();
    let envelope = message.envelope().unwrap();
    let code = match envelope.which().unwrap() {
        Which::Failure(failure) => failure.unwrap().get_code().unwrap(),
        Which::Refused(refused) => refused.unwrap().get_code().unwrap(),
        _ => panic!("neither failure nor refused"),
    };
    (envelope.get_sequence(), code.into())
}

#[test]
fn a_repeated_request_gets_the_same_bytes_and_is_done_once() {
    let mut server = Server::new(Limits::default());
    let key = server.open(1);
    let first = server.ask(&key, 1);
    assert_eq!(first.len(), 1);
    assert_eq!(server.ask(&key, 1), first);
    assert_eq!(server.echo.handled, [1]);
    assert_eq!(server.table.counts().repeated, 1);
}

#[test]
fn welcome_tells_the_limits_of_memory() {
    let limits = Limits { most_server_bytes: u64::MAX, ..Limits::default() };
    let mut server = Server::new(limits);
    let replies = server.hello(1);
    let frame = Frame::copy(&replies[0]).unwrap();
    let message = frame.message().unwrap();
    let Ok(Which::Welcome(welcome)) = message.envelope().unwrap().which() else { panic!() };
    let welcome = welcome.unwrap();
    assert_eq!((welcome.get_most_session_mib(), welcome.get_most_server_mib()), (256, u16::MAX));
}

#[test]
fn a_failed_request_is_kept_like_any_other() {
    let mut server = Server::new(Limits::default());
    let key = server.open(1);
    let first = server.tell(&key, 1, |e| {
        e.init_open_stream();
    });
    assert_eq!(code(&first), (1, Code::Unsupported));
    let again = server.tell(&key, 1, |e| {
        e.init_open_stream();
    });
    assert_eq!(again, first);
    assert_eq!(server.ask(&key, 2).len(), 1);
}

#[test]
fn requests_are_taken_in_their_order() {
    let mut server = Server::new(Limits { window: 4, ..Limits::default() });
    let key = server.open(1);
    assert!(server.ask(&key, 3).is_empty(), "its predecessor is missing");
    assert_eq!(code(&server.ask(&key, 5)), (5, Code::OutOfOrder));
    assert_eq!(code(&server.ask(&key, 0)), (0, Code::OutOfOrder));
    for sequence in 1..=6 {
        assert_eq!(server.ask(&key, sequence).len(), 1);
    }
    assert_eq!(code(&server.ask(&key, 2)), (2, Code::OutOfOrder), "older than the window");
    assert_eq!(server.ask(&key, 3).len(), 1, "the oldest that is kept");
    assert_eq!(server.echo.handled, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn the_same_nonce_opens_one_session() {
    let mut server = Server::new(Limits { most_sessions: 2, ..Limits::default() });
    let first = server.hello(1);
    assert_eq!(server.hello(1), first);
    assert_ne!(server.open(2), server.open(1));
    assert_eq!(server.table.len(), 2);
    assert_eq!(code(&server.hello(3)), (0, Code::TooMuch));
    assert_eq!(server.hello(1), first, "a repetition needs no new session");
    let ended = server.open(2);
    server.tell(&ended, 0, |mut e| e.set_goodbye(()));
    assert_ne!(server.open(2), ended, "a nonce lives as long as its session");
}

#[test]
fn a_connection_has_a_quota_of_sessions() {
    let mut server = Server::new(Limits { most_sessions_of_connection: 3, ..Limits::default() });
    let keys: Vec<Key> = (1..=3).map(|nonce| server.open(nonce)).collect();
    assert_eq!(code(&server.hello(4)), (0, Code::TooMuch));
    assert_eq!(server.hello(3).len(), 1, "a repetition needs no new session");
    let body = bytes(&[], 0, |e| e.init_hello().set_nonce(&[5; 16]));
    server.table.receive(b"other", &[FIRST, &body], server.now, &mut AnyRoute);
    assert_eq!(server.table.len(), 4, "another connection has its own");
    server.tell(&keys[0], 0, |mut e| e.set_goodbye(()));
    server.open(4);
}

/// Does nothing, for any route.
struct AnyRoute;

impl Host for AnyRoute {
    fn send(&mut self, _: &[u8], _: &[u8]) {}

    fn handle(&mut self, _: &Key, _: &Frame, _: Builder) -> Result<()> {
        Ok(())
    }

    fn ended(&mut self, _: &Key) {}

    fn new_key(&mut self) -> Result<Key> {
        Ok([77; 16])
    }
}

#[test]
fn sessions_that_nobody_uses_make_place_after_2_s() {
    let mut server = Server::new(Limits { most_sessions: 2, ..Limits::default() });
    let used = server.open(1);
    server.ask(&used, 1);
    server.now += 500 * MS;
    let unused = server.open(2);
    server.now += 1_999 * MS;
    server.tell(&unused, 0, |mut e| e.set_ping(()));
    assert_eq!(code(&server.hello(3)), (0, Code::TooMuch));
    assert_eq!(server.table.len(), 2);
    server.now += MS;
    let replies = server.hello(3);
    assert_eq!(replies.len(), 2, "a farewell and a welcome");
    assert_eq!(server.echo.ended, [unused]);
    assert_eq!(server.ask(&used, 2).len(), 1, "one that is used stays");
    assert_eq!(code(&server.hello(4)), (0, Code::TooMuch), "the new one has its time");
}

#[test]
fn thousands_of_hellos_leave_places_for_others() {
    let mut server = Server::new(Limits::default());
    let begin = Instant::now();
    for n in 0..5_000u64 {
        let body = bytes(&[], 0, |e| {
            let mut nonce = [0; 16];
            nonce[..8].copy_from_slice(&n.to_le_bytes());
            e.init_hello().set_nonce(&nonce);
        });
        server.raw(&[FIRST, &body]);
    }
    assert_eq!(server.table.len(), 64);
    assert_eq!(server.table.counts().refused, 5_000 - 64);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn replies_that_are_kept_are_bounded() {
    let limits = Limits { window: 4, most_session_bytes: 150, ..Limits::default() };
    let mut server = Server::new(limits);
    let key = server.open(1);
    let size = server.ask(&key, 1)[0].len() as u64;
    let fits = 150 / size + 1; // a reply more than the limit may be kept
    for sequence in 2..=fits {
        server.ask(&key, sequence);
    }
    assert_eq!(server.echo.handled.len() as u64, fits);
    let open = |e: Builder| {
        e.init_open_stream();
    };
    let refused = server.tell(&key, fits + 1, open);
    assert_eq!(code(&refused), (fits + 1, Code::TooMuch));
    assert_eq!(server.tell(&key, fits + 1, open), refused, "it keeps its number");
    assert_eq!(server.ask(&key, fits + 2).len(), 1, "what frees memory goes on");
    assert_eq!(server.echo.handled.len() as u64, fits + 1);
    let other = server.open(2);
    assert_eq!(code(&server.tell(&other, 1, open)), (1, Code::Unsupported), "it has its own");
}

#[test]
fn replies_of_all_sessions_are_bounded() {
    let mut server = Server::new(Limits { most_server_bytes: 10, ..Limits::default() });
    let (first, second) = (server.open(1), server.open(2));
    server.ask(&first, 1);
    let open = |e: Builder| {
        e.init_open_stream();
    };
    assert_eq!(code(&server.tell(&second, 1, open)), (1, Code::TooMuch));
    server.tell(&second, 0, |mut e| e.set_goodbye(()));
    server.tell(&first, 0, |mut e| e.set_goodbye(()));
    let third = server.open(3);
    assert_eq!(code(&server.tell(&third, 1, open)), (1, Code::Unsupported));
}

#[test]
fn a_hello_that_is_wrong_is_refused() {
    let mut server = Server::new(Limits::default());
    let short = server.tell(&[], 0, |e| e.init_hello().set_nonce(&[1; 15]));
    assert_eq!(code(&short), (0, Code::Malformed));
    let newer = server.tell(&[], 0, |e| {
        let mut hello = e.init_hello();
        hello.set_nonce(&[1; 16]);
        hello.set_least_minor(1);
        hello.set_most_minor(3);
    });
    assert_eq!(code(&newer), (0, Code::Unsupported));
    let body = bytes(&[], 0, |e| e.init_hello().set_nonce(&[1; 16]));
    let other = server.raw(&[b"PKB\x02\0\0\0\0", &body]);
    assert_eq!(code(&other), (0, Code::Unsupported));
    assert_eq!(server.table.len(), 0);
    assert_eq!(server.table.counts().refused, 3);
}

#[test]
fn a_ping_keeps_the_lease_and_silence_ends_it() {
    let mut server = Server::new(Limits { lease: 100 * MS, ..Limits::default() });
    let (kept, silent) = (server.open(1), server.open(2));
    for _ in 0..3 {
        server.now += 60 * MS;
        let pong = server.tell(&kept, 77, |mut e| e.set_ping(()));
        let frame = Frame::copy(&pong[0]).unwrap();
        let message = frame.message().unwrap();
        assert_eq!(message.envelope().unwrap().get_sequence(), 77);
        assert!(matches!(message.envelope().unwrap().which(), Ok(Which::Pong(()))));
        let next = server.table.expire(server.now, &mut server.echo);
        assert!(next > server.now && next <= server.now + Duration::from_millis(100));
    }
    assert_eq!(server.echo.ended, [silent]);
    assert_eq!(code(&server.ask(&silent, 1)), (1, Code::NoSession));
    assert_eq!(server.ask(&kept, 1).len(), 1);
    assert_eq!(server.table.counts().expired, 1);
}

#[test]
fn what_is_no_message_is_counted_and_what_is_malformed_is_answered() {
    let mut server = Server::new(Limits::default());
    let good = bytes(&[], 0, |e| e.init_hello().set_nonce(&[1; 16]));
    let silent: [&[&[u8]]; 6] = [
        &[],
        &[FIRST],
        &[b"", &good],
        &[b"PKX\x01\0\0\0\0", &good],
        &[b"PKB\x01", &good],
        &[FIRST, &good, b"more"],
    ];
    for frames in silent {
        assert!(server.raw(frames).is_empty());
    }
    let bodies: [&[u8]; 4] = [b"", b"odd", &[0xff; 64], &good[..good.len() - 8]];
    for body in bodies {
        assert_eq!(code(&server.raw(&[FIRST, body])), (0, Code::Malformed));
    }
    let no_session = server.tell(b"short", 1, |mut e| e.set_ping(()));
    assert_eq!(code(&no_session), (0, Code::Malformed));
    assert_eq!(server.table.counts().malformed, 11);
    assert_eq!(server.table.len(), 0);
}

#[test]
fn an_unknown_kind_is_unsupported_under_its_number() {
    let mut server = Server::new(Limits::default());
    let key = server.open(1);
    let mut body = bytes(&key, 1, |mut e| e.set_pong(()));
    body[28] = 200; // the discriminant
    assert_eq!(code(&server.raw(&[FIRST, &body])), (1, Code::Unsupported));
    assert_eq!(server.ask(&key, 2).len(), 1);
}

#[test]
fn a_reply_that_is_too_large_is_told() {
    let mut server = Server::new(Limits { most_bytes: 72, ..Limits::default() });
    let key = server.open(1);
    assert_eq!(code(&server.ask(&key, 1)), (1, Code::TooMuch));
}

#[test]
fn mutated_messages_do_no_harm() {
    let mut server = Server::new(Limits::default());
    let key = server.open(1);
    let mut chance = Chance(3);
    let good = [
        bytes(&key, 1, |e| e.init_close_policy().set_id(1)),
        bytes(&[], 0, |e| {
            let mut hello = e.init_hello();
            hello.set_nonce(&[2; 16]);
            hello.set_client("test");
        }),
        bytes(&key, 2, |e| {
            let mut open = e.init_open_policy();
            open.set_policy("x");
            open.init_spec().init_observation().init_leaves(3);
        }),
    ];
    for i in 0..20_000 {
        let mut body = good[i % good.len()].clone();
        for _ in 0..=chance.below(4) {
            let at = chance.below(body.len() as u64) as usize;
            body[at] = chance.next() as u8;
        }
        body.truncate(body.len() - 8 * chance.below(2) as usize);
        server.raw(&[FIRST, &body]);
    }
    assert_eq!(server.ask(&key, 1).len(), 1, "the session is as it was");
}
