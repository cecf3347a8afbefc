//! Both sides of a session in one thread: a channel that loses, repeats and delays messages, with a
//! clock that only the test moves.

#![allow(dead_code)] // each test program uses a part

pub mod park;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use park_sdk::session::{Channel, ClientSession, Hello, Host, Key, Limits, SessionTable};
use park_sdk::wire::envelope::Which;
use park_sdk::{Code, Error, Frame, Result, wire};

pub const ROUTE: &[u8] = b"route";
pub const MS: Duration = Duration::from_millis(1);

/// SplitMix64: the same numbers for the same seed.
#[derive(Clone)]
pub struct Chance(pub u64);

impl Chance {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// What happens to messages, both ways, in percent.
#[derive(Clone, Copy, Default)]
pub struct Weather {
    pub lost: u64,
    pub doubled: u64,
    pub most_delay_ms: u64,
}

/// A server that answers `closePolicy n` with `policyClosed n`, and counts how often.
#[derive(Default)]
pub struct Echo {
    pub sent: Vec<Vec<u8>>,
    pub handled: Vec<u32>,
    pub ended: Vec<Key>,
    keys: u64,
}

impl Host for Echo {
    fn send(&mut self, route: &[u8], envelope: &[u8]) {
        assert_eq!(route, ROUTE);
        self.sent.push(envelope.to_vec());
    }

    fn handle(&mut self, _: &Key, request: &Frame, reply: wire::envelope::Builder) -> Result<()> {
        let message = request.message()?;
        let Which::ClosePolicy(close) = message.envelope()?.which()? else {
            return Err(Error::new(Code::Unsupported, "an echo has no such request"));
        };
        let id = close?.get_id();
        self.handled.push(id);
        reply.init_policy_closed().set_id(id);
        Ok(())
    }

    fn ended(&mut self, session: &Key) {
        self.ended.push(*session);
    }

    fn new_key(&mut self) -> Result<Key> {
        self.keys += 1;
        let mut key = Key::default();
        key[..8].copy_from_slice(&self.keys.to_le_bytes());
        Ok(key)
    }
}

/// The world between a client and an echo.
pub struct World {
    pub now: Instant,
    pub weather: Weather,
    pub chance: Chance,
    pub table: SessionTable,
    pub echo: Echo,
    /// When the client sent what.
    pub requests: Vec<(Instant, Vec<u8>)>,
    /// Frames for the client, in place of those of the server, or before them.
    pub inserted: Vec<Vec<u8>>,
    pub deaf: bool,
    under_way: BTreeMap<(Instant, u64, bool), Vec<u8>>,
    number: u64,
}

impl World {
    pub fn new(limits: Limits, token: &[u8]) -> Arc<Mutex<World>> {
        Arc::new(Mutex::new(World {
            now: Instant::now(),
            weather: Weather::default(),
            chance: Chance(1),
            table: SessionTable::new(limits, "echo", token),
            echo: Echo::default(),
            requests: Vec::new(),
            inserted: Vec::new(),
            deaf: false,
            under_way: BTreeMap::new(),
            number: 0,
        }))
    }

    fn post(&mut self, to_server: bool, bytes: Vec<u8>) {
        let luck = self.chance.below(100);
        let weather = self.weather;
        let copies = if luck < weather.lost {
            0
        } else if luck < weather.lost + weather.doubled {
            2
        } else {
            1
        };
        for _ in 0..copies {
            let delay = Duration::from_micros(self.chance.below(1000 * weather.most_delay_ms + 1));
            self.number += 1;
            self.under_way.insert((self.now + delay, self.number, to_server), bytes.clone());
        }
    }

    /// Lets a message reach the server, and its replies begin their way.
    pub fn at_server(&mut self, bytes: &[u8]) {
        let frames: [&[u8]; 2] = [b"PKB\x01\0\0\0\0", bytes];
        self.table.receive(ROUTE, &frames, self.now, &mut self.echo);
        for bytes in self.inserted.clone() {
            self.post(false, bytes);
        }
        for bytes in std::mem::take(&mut self.echo.sent) {
            self.post(false, bytes);
        }
    }

    /// The next message that reaches the client until then; time goes on to it.
    fn next(&mut self, until: Instant) -> Option<Vec<u8>> {
        while let Some(entry) = self.under_way.first_entry() {
            let (at, _, to_server) = *entry.key();
            if at > until {
                break;
            }
            let bytes = entry.remove();
            self.now = self.now.max(at);
            if !to_server {
                return Some(bytes);
            }
            self.at_server(&bytes);
        }
        self.now = self.now.max(until);
        None
    }
}

/// A client's end of a world.
pub struct Link(pub Arc<Mutex<World>>);

impl Channel for Link {
    fn send(&mut self, envelope: &[u8]) -> Result<()> {
        let mut world = self.0.lock().unwrap();
        let now = world.now;
        world.requests.push((now, envelope.to_vec()));
        if !world.deaf {
            world.post(true, envelope.to_vec());
        }
        Ok(())
    }

    fn receive(&mut self, until: Instant) -> Result<Option<Frame>> {
        let mut world = self.0.lock().unwrap();
        while let Some(bytes) = world.next(until) {
            if let Ok(frame) = Frame::copy(&bytes) {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    fn now(&self) -> Instant {
        self.0.lock().unwrap().now
    }

    fn endpoint(&self) -> &str {
        "memory"
    }
}

pub fn world(shared: &Arc<Mutex<World>>) -> MutexGuard<'_, World> {
    shared.lock().unwrap()
}

pub fn open(shared: &Arc<Mutex<World>>, token: &[u8], timeout: Duration) -> Result<ClientSession> {
    let hello = Hello { client: "test".to_string(), token: token.to_vec() };
    ClientSession::open(Box::new(Link(shared.clone())), &hello, timeout)
}

/// The request that an echo answers.
pub fn ask(number: u32) -> impl FnOnce(wire::envelope::Builder) -> Result<()> {
    move |e| {
        e.init_close_policy().set_id(number);
        Ok(())
    }
}

/// What the echo said.
pub fn said(reply: &Frame) -> u32 {
    let message = reply.message().unwrap();
    let Ok(Which::PolicyClosed(closed)) = message.envelope().unwrap().which() else {
        panic!("another reply");
    };
    closed.unwrap().get_id()
}

/// A folder of its own that only its owner can enter.
pub struct Folder(pub std::path::PathBuf);

impl Folder {
    pub fn new() -> Self {
        use std::os::unix::fs::DirBuilderExt;
        use std::sync::atomic::{AtomicU64, Ordering};
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("park-rust-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
