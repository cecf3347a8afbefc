use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use crate::codec::frame::{Frame, MAJOR, MINOR, PREAMBLE_BYTES, envelope, major_of};
use crate::error::{Code, Error, Result};
use crate::session::{Key, Limits, wire_ms};
use crate::wire;
use crate::wire::envelope::Which;

const UNUSED: Duration = Duration::from_secs(2); // that a session may be, where places are short

/// Counts what went wrong, for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sessions that began.
    pub opened: u64,
    /// Sessions whose lease ran out.
    pub expired: u64,
    /// Hellos that were refused.
    pub refused: u64,
    /// Messages of another form.
    pub malformed: u64,
    /// Messages that came again.
    pub repeated: u64,
    /// Requests that came before an earlier one.
    pub out_of_order: u64,
}

/// What a table of sessions needs from the program around it.
pub trait Host {
    /// Sends the second frame of a message to where another came from.
    fn send(&mut self, route: &[u8], envelope: &[u8]);
    /// Does a request and fills in the reply; called once for each. What fails has no effect.
    fn handle(
        &mut self,
        session: &Key,
        request: &Frame,
        reply: wire::envelope::Builder,
    ) -> Result<()>;
    /// A session is over: what it owns is to be freed.
    fn ended(&mut self, session: &Key);
    /// A key that nobody can guess.
    fn new_key(&mut self) -> Result<Key>;
}

struct Session {
    number: u64,
    opener: Vec<u8>, // the route of the hello
    began: Instant,
    route: Vec<u8>,
    nonce: Key,
    heard: Instant,
    done: u64,                       // the last request that was done
    replies: BTreeMap<u64, Vec<u8>>, // to the last ones, for repetitions
    kept: u64,                       // bytes of them
}

/// The sessions of a server: who may ask what, and what was answered. A request counts once: one
/// that was answered gets the same bytes again, and one that comes before its predecessor is
/// ignored, since its client repeats it.
pub struct SessionTable {
    limits: Limits,
    server: String,
    token: Vec<u8>,
    sessions: HashMap<Key, Session>,
    nonces: HashMap<Key, Key>,
    openers: HashMap<Vec<u8>, usize>, // sessions that were opened by a route
    unused: BTreeMap<u64, Key>,       // sessions without a request, by number, the oldest first
    kept: u64,                        // bytes of all replies
    counts: Counts,
}

impl SessionTable {
    /// Without sessions. `server` is its name, for people; every hello has to bring the token where
    /// it is not empty.
    pub fn new(limits: Limits, server: &str, token: &[u8]) -> Self {
        SessionTable {
            limits,
            server: server.to_string(),
            token: token.to_vec(),
            sessions: HashMap::new(),
            nonces: HashMap::new(),
            openers: HashMap::new(),
            unused: BTreeMap::new(),
            kept: 0,
            counts: Counts::default(),
        }
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// True where there is no session.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// What went wrong so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Takes a message: its route, and the frames after the route's own. What is no message is
    /// counted, and answered where its sender can be known to speak this protocol.
    pub fn receive(&mut self, route: &[u8], frames: &[&[u8]], now: Instant, host: &mut dyn Host) {
        let major = frames.first().and_then(|first| major_of(first));
        let (Some(major), &[_, body]) = (major, frames) else {
            self.counts.malformed += 1;
            return;
        };
        if major != MAJOR {
            let side = if major < MAJOR { "client" } else { "server" };
            let text = format!(
                "the client speaks version {major}, the server version {MAJOR}: the {side} has to \
                 be updated"
            );
            return self.refuse(route, &Error::new(Code::Unsupported, text), host);
        }
        if let Err(error) = Frame::copy(body).and_then(|frame| self.take(route, frame, now, host)) {
            self.counts.malformed += 1;
            fail(route, &[], 0, &error, host);
        }
    }

    /// Ends the sessions whose lease is over; returns when to call it again at the latest.
    pub fn expire(&mut self, now: Instant, host: &mut dyn Host) -> Instant {
        let lease = self.limits.lease;
        let over = |session: &Session| session.heard + lease <= now;
        let keys: Vec<Key> =
            self.sessions.iter().filter(|(_, s)| over(s)).map(|(key, _)| *key).collect();
        for key in keys {
            self.counts.expired += 1;
            self.end(&key, "the lease is over", host);
        }
        self.sessions.values().map(|session| session.heard).min().unwrap_or(now) + lease
    }

    /// Tells every session that the server ends, and ends it.
    pub fn shut_down(&mut self, reason: &str, host: &mut dyn Host) {
        let keys: Vec<Key> = self.sessions.keys().copied().collect();
        for key in keys {
            self.end(&key, reason, host);
        }
    }

    fn take(
        &mut self,
        route: &[u8],
        frame: Frame,
        now: Instant,
        host: &mut dyn Host,
    ) -> Result<()> {
        let message = frame.message()?;
        let envelope = message.envelope()?;
        let which = envelope.which(); // what the schema does not know is for the host to refuse
        if let Ok(Which::Hello(hello)) = which {
            return self.hello(route, hello?, now, host);
        }
        let key = Key::try_from(envelope.get_session()?)
            .map_err(|_| Error::malformed("session: is not 16 bytes"))?;
        let sequence = envelope.get_sequence();
        let Some(session) = self.sessions.get_mut(&key) else {
            let text = "session: it is over or never was; say hello again";
            fail(route, &key, sequence, &Error::new(Code::NoSession, text), host);
            return Ok(());
        };
        session.heard = now;
        if let Ok(Which::Ping(())) = which {
            // Perhaps by a socket of its own.
            reply(route, &key, sequence, host, |mut e| e.set_pong(()));
            return Ok(());
        }
        session.route = route.to_vec();
        if let Ok(Which::Goodbye(())) = which {
            self.end(&key, "goodbye", host);
        } else {
            self.request(&key, sequence, &frame, host);
        }
        Ok(())
    }

    fn hello(
        &mut self,
        route: &[u8],
        from: wire::hello::Reader,
        now: Instant,
        host: &mut dyn Host,
    ) -> Result<()> {
        let nonce = match self.check_hello(from)? {
            Ok(nonce) => nonce,
            Err(error) => {
                self.refuse(route, &error, host);
                return Ok(());
            }
        };
        if let Some(key) = self.nonces.get(&nonce) {
            self.counts.repeated += 1;
            self.welcome(route, *key, host);
            return Ok(());
        }
        if let Err(error) = self.make_place(route, now, host) {
            self.refuse(route, &error, host);
            return Ok(());
        }
        let key = host.new_key()?;
        self.welcome(route, key, host);
        self.begin(route, key, nonce, now);
        Ok(())
    }

    fn begin(&mut self, route: &[u8], key: Key, nonce: Key, now: Instant) {
        self.counts.opened += 1;
        let session = Session {
            number: self.counts.opened,
            opener: route.to_vec(),
            began: now,
            route: route.to_vec(),
            nonce,
            heard: now,
            done: 0,
            replies: BTreeMap::new(),
            kept: 0,
        };
        self.unused.insert(session.number, key);
        *self.openers.entry(route.to_vec()).or_default() += 1;
        self.sessions.insert(key, session);
        self.nonces.insert(nonce, key);
    }

    /// Fails where a route has as many sessions as it may, or the table. A table that is full ends
    /// sessions that nobody has used for a while: a client can open thousands in a moment.
    fn make_place(&mut self, route: &[u8], now: Instant, host: &mut dyn Host) -> Result<()> {
        let (n, most) = (self.openers.get(route), self.limits.most_sessions_of_connection);
        if n.is_some_and(|&n| n >= most) {
            let text = format!("the connection has {most} sessions, more are not allowed");
            return Err(Error::new(Code::TooMuch, text));
        }
        let most = self.limits.most_sessions;
        while self.sessions.len() >= most {
            let oldest = self.unused.values().next().copied();
            let over = |key: &Key| self.sessions.get(key).is_some_and(|s| s.began + UNUSED <= now);
            let Some(key) = oldest.filter(over) else {
                let n = self.sessions.len();
                let text = format!("the server has {n} sessions, at most {most} are allowed");
                return Err(Error::new(Code::TooMuch, text));
            };
            self.counts.expired += 1;
            self.end(&key, "the session was not used, and others need its place", host);
        }
        Ok(())
    }

    /// The nonce of a hello, or why it is refused.
    fn check_hello(&self, from: wire::hello::Reader) -> Result<std::result::Result<Key, Error>> {
        if from.get_least_minor() > MINOR {
            let (least, most) = (from.get_least_minor(), from.get_most_minor());
            let text = format!(
                "the client speaks minor versions {least} to {most}, the server {MINOR}: the \
                 server has to be updated"
            );
            return Ok(Err(Error::new(Code::Unsupported, text)));
        }
        if !self.token.is_empty() && !same_secret(from.get_token()?, &self.token) {
            let text = "token: is missing or not the one of the server";
            return Ok(Err(Error::new(Code::NotAllowed, text)));
        }
        let Ok(nonce) = Key::try_from(from.get_nonce()?) else {
            return Ok(Err(Error::malformed("nonce: is not 16 bytes")));
        };
        Ok(Ok(nonce))
    }

    fn welcome(&self, route: &[u8], key: Key, host: &mut dyn Host) {
        let limits = &self.limits;
        reply(route, &[], 0, host, |e| {
            let mut to = e.init_welcome();
            to.set_minor(MINOR);
            to.set_session(&key);
            to.set_server(&self.server);
            to.set_window(limits.window);
            to.set_lease_ms(wire_ms(limits.lease));
            to.set_most_bytes(limits.most_bytes);
            to.set_most_slots(limits.most_slots);
            to.set_heartbeat_ms(wire_ms(limits.heartbeat));
            to.set_most_session_mib(mib(limits.most_session_bytes).try_into().unwrap_or(u32::MAX));
            to.set_most_server_mib(mib(limits.most_server_bytes).try_into().unwrap_or(u16::MAX));
        });
    }

    fn request(&mut self, key: &Key, sequence: u64, frame: &Frame, host: &mut dyn Host) {
        let window = u64::from(self.limits.window);
        let Some(session) = self.sessions.get_mut(key) else { return };
        if let Some(known) = session.replies.get(&sequence) {
            self.counts.repeated += 1;
            return host.send(&session.route, known);
        }
        let (least, most) = (session.done.saturating_sub(window) + 1, session.done + window);
        if sequence < least || sequence > most {
            let text = format!("sequence: {sequence}, allowed are {least} to {most}");
            return fail(&session.route, key, sequence, &Error::new(Code::OutOfOrder, text), host);
        }
        if sequence != session.done + 1 {
            self.counts.out_of_order += 1;
            return;
        }
        session.done = sequence;
        self.unused.remove(&session.number);
        if session.replies.len() as u64 >= window
            && let Some((_, oldest)) = session.replies.pop_first()
        {
            session.kept -= oldest.len() as u64;
            self.kept -= oldest.len() as u64;
        }
        let bytes = match kept_too_much(&self.limits, session.kept, self.kept) {
            Some(error) if !is_close(frame) => failure(key, sequence, &error),
            _ => answer(key, sequence, frame, self.limits.most_bytes, host),
        };
        session.kept += bytes.len() as u64;
        self.kept += bytes.len() as u64;
        host.send(&session.route, &bytes);
        session.replies.insert(sequence, bytes);
    }

    fn end(&mut self, key: &Key, reason: &str, host: &mut dyn Host) {
        let Some(session) = self.sessions.remove(key) else { return };
        self.nonces.remove(&session.nonce);
        self.unused.remove(&session.number);
        self.kept -= session.kept;
        if let Some(n) = self.openers.get_mut(&session.opener) {
            *n -= 1;
            if *n == 0 {
                self.openers.remove(&session.opener);
            }
        }
        host.ended(key);
        reply(&session.route, key, 0, host, |e| e.init_farewell().set_reason(reason));
    }

    fn refuse(&mut self, route: &[u8], error: &Error, host: &mut dyn Host) {
        self.counts.refused += 1;
        reply(route, &[], 0, host, |e| {
            let mut refused = e.init_refused();
            refused.set_code(error.code.wire());
            refused.set_text(&error.text);
        });
    }
}

/// The reply to a request as bytes, or what went wrong.
fn answer(
    key: &Key,
    sequence: u64,
    request: &Frame,
    most_bytes: u64,
    host: &mut dyn Host,
) -> Vec<u8> {
    let bytes = envelope(key, sequence, |reply| host.handle(key, request, reply));
    let bytes = bytes.and_then(|bytes| {
        let n = (bytes.len() + PREAMBLE_BYTES) as u64;
        if n <= most_bytes {
            return Ok(bytes);
        }
        let text = format!("message: the reply has {n} bytes, at most {most_bytes} are allowed");
        Err(Error::new(Code::TooMuch, text))
    });
    bytes.unwrap_or_else(|error| failure(key, sequence, &error))
}

/// Why no more replies can be kept.
fn kept_too_much(limits: &Limits, session: u64, all: u64) -> Option<Error> {
    for (who, kept, most) in [
        ("the session keeps", session, limits.most_session_bytes),
        ("the sessions of the server keep", all, limits.most_server_bytes),
    ] {
        if kept > most {
            let text = format!("bytes: {who} {kept}, at most {most} are allowed");
            return Some(Error::new(Code::TooMuch, text));
        }
    }
    None
}

/// Whether a request frees memory.
fn is_close(request: &Frame) -> bool {
    let closes = || -> Result<bool> {
        Ok(matches!(request.message()?.envelope()?.which()?, Which::ClosePolicy(_)))
    };
    closes().unwrap_or(false) // what is no message frees nothing
}

fn failure(session: &[u8], sequence: u64, error: &Error) -> Vec<u8> {
    filled(session, sequence, |e| {
        let mut failure = e.init_failure();
        failure.set_code(error.code.wire());
        failure.set_text(&error.text);
    })
}

fn fail(route: &[u8], session: &[u8], sequence: u64, error: &Error, host: &mut dyn Host) {
    host.send(route, &failure(session, sequence, error));
}

fn reply(
    route: &[u8],
    session: &[u8],
    sequence: u64,
    host: &mut dyn Host,
    fill: impl FnOnce(wire::envelope::Builder),
) {
    host.send(route, &filled(session, sequence, fill));
}

fn filled(session: &[u8], sequence: u64, fill: impl FnOnce(wire::envelope::Builder)) -> Vec<u8> {
    let bytes = envelope(session, sequence, |e| {
        fill(e);
        Ok(())
    });
    bytes.expect("filling it in cannot fail")
}

/// 0 would tell nothing.
fn mib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

/// Takes the same time wherever they differ.
fn same_secret(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}
