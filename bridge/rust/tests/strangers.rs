//! What a peer does that is no client or server of this protocol.

mod kit;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kit::Chance;
use park_sdk::session::Counts;
use park_sdk::{Code, Connection, Error, Options, Server, ServerOptions, Spec};

const FIRST: &[u8] = b"PKB\x01\0\0\0\0";
const WAIT: Duration = Duration::from_millis(300);

fn open(endpoint: &str) -> Result<Connection, Error> {
    Connection::open(endpoint, Options { timeout: WAIT, ..Options::default() })
}

/// Answers each message of a client as `answer` does, until the client is done.
fn against(
    answer: impl Fn(&zmq::Socket, &[u8], &AtomicBool) + Send + 'static,
    test: impl FnOnce(&str),
) {
    let context = zmq::Context::new();
    let socket = context.socket(zmq::ROUTER).unwrap();
    socket.set_linger(0).unwrap();
    socket.bind("tcp://127.0.0.1:*").unwrap();
    let endpoint = socket.get_last_endpoint().unwrap().unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let its_done = done.clone();
    let thread = std::thread::spawn(move || {
        while !its_done.load(Ordering::Relaxed) {
            if socket.poll(zmq::POLLIN, 10).unwrap() > 0 {
                let frames = socket.recv_multipart(0).unwrap();
                answer(&socket, &frames[0], &its_done);
            }
        }
    });
    test(&endpoint);
    done.store(true, Ordering::Relaxed);
    thread.join().unwrap();
}

#[test]
fn a_flood_of_junk_does_not_hold_a_client_beyond_its_deadline() {
    let flood = |socket: &zmq::Socket, route: &[u8], done: &AtomicBool| {
        let begin = Instant::now();
        while begin.elapsed() < 20 * WAIT && !done.load(Ordering::Relaxed) {
            for junk in [&[0x5a; 48][..], b"odd", b""] {
                let _ = socket.send_multipart([route, FIRST, junk], zmq::DONTWAIT);
                let _ = socket.send_multipart([route, junk], zmq::DONTWAIT);
            }
        }
    };
    against(flood, |endpoint| {
        let begin = Instant::now();
        assert_eq!(open(endpoint).err().unwrap().code, Code::Late);
        assert!(begin.elapsed() < 15 * WAIT, "{:?}", begin.elapsed());
    });
}

#[test]
fn another_major_version_is_unsupported() {
    let other = |socket: &zmq::Socket, route: &[u8], _: &AtomicBool| {
        let frames: [&[u8]; 3] = [route, b"PKB\x02\0\0\0\0", b"whatever it says"];
        socket.send_multipart(frames, 0).unwrap();
    };
    against(other, |endpoint| {
        let error = open(endpoint).err().unwrap();
        assert_eq!(error.code, Code::Unsupported);
        assert!(error.text.contains("version 2"), "{error}");
    });
}

/// What a server of no policy counts until the test is over.
fn serving(test: impl FnOnce(&str)) -> Counts {
    let make = |_: &str, _: &Arc<Spec>| Err(Error::new(Code::UnknownName, "none"));
    let stop = Arc::new(AtomicBool::new(false));
    let (told, tell) = std::sync::mpsc::channel();
    let its_stop = stop.clone();
    let server = std::thread::spawn(move || {
        let mut server = Server::bind("tcp://127.0.0.1:*", ServerOptions::default(), make).unwrap();
        told.send(server.endpoint().to_string()).unwrap();
        server.run(&its_stop).unwrap();
        *server.counts()
    });
    test(&tell.recv().unwrap());
    stop.store(true, Ordering::Relaxed);
    server.join().unwrap()
}

fn expect_served(endpoint: &str) {
    let begin = Instant::now();
    drop(Connection::open(endpoint, Options::default()).unwrap());
    assert!(begin.elapsed() < Duration::from_secs(10));
}

/// A connection that shakes hands and sends many messages with a ping behind every 20. It breaks
/// off by a reset, because it has not read all.
fn break_off(endpoint: &str, after: Duration) {
    let mut peer = TcpStream::connect(endpoint.trim_start_matches("tcp://")).unwrap();
    let mut bytes = b"\xff\0\0\0\0\0\0\0\0\x7f\x03\0NULL".to_vec();
    bytes.resize(64, 0);
    bytes.extend(b"\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06DEALER");
    for _ in 0..3_000 {
        bytes.extend(b"\0\x01x".repeat(20));
        bytes.extend(b"\x04\x07\x04PING\0\0");
    }
    let (hands, flood) = bytes.split_at(64 + 2 + 28);
    peer.write_all(hands).unwrap();
    let mut greeting = [0; 64];
    peer.read_exact(&mut greeting).unwrap();
    peer.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
    let _ = peer.write_all(flood);
    std::thread::sleep(after);
}

#[test]
fn a_flood_that_breaks_off_ends_no_server() {
    let counts = serving(|endpoint| {
        for i in 0..60 {
            break_off(endpoint, Duration::from_millis(i % 10));
        }
        expect_served(endpoint);
    });
    assert_eq!(counts.opened, 1);
}

#[test]
fn junk_does_not_end_a_server() {
    let counts = serving(junk);
    assert_eq!(counts.opened, 1);
    // What the sockets took for messages is counted; what was no ZMTP did not get that far.
    assert!((1..=80).contains(&counts.malformed), "{counts:?}");
}

fn junk(endpoint: &str) {
    let mut chance = Chance(5);
    for _ in 0..30 {
        let mut stranger = TcpStream::connect(endpoint.trim_start_matches("tcp://")).unwrap();
        let junk: Vec<u8> = (0..2000).map(|_| chance.next() as u8).collect();
        let _ = stranger.write_all(&junk);
        let _ = stranger.write_all(b"GET / HTTP/1.1\r\n\r\n");
    }
    let context = zmq::Context::new();
    let dealer = context.socket(zmq::DEALER).unwrap();
    dealer.set_linger(100).unwrap();
    dealer.connect(endpoint).unwrap();
    for size in 0..40 {
        dealer.send_multipart(vec![vec![0x5a; size]; size % 7 + 1], 0).unwrap();
        dealer.send_multipart([FIRST, &vec![0xff; 8 * size][..]], 0).unwrap();
    }
    expect_served(endpoint);
}
