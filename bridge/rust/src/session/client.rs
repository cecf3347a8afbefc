use std::time::{Duration, Instant};

use crate::codec::frame::{Frame, MINOR, PREAMBLE_BYTES, envelope};
use crate::error::{Code, Error, Result};
use crate::session::{Key, Limits, random_key, wire_ms};
use crate::wire;
use crate::wire::envelope::Which;

// The first one may come before the connection is there.
const FIRST_HELLO: Duration = Duration::from_millis(5);
const FIRST_REPEAT: Duration = Duration::from_millis(200);
const LAST_REPEAT: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(86_400); // that anything waits
const MOST_UNREAD: u32 = 4; // rounds of repeats in which the server cannot read a message
const MOST_WINDOW: u32 = 1024; // requests that a client keeps, whatever the server allows

/// A client's way to a server. It may lose, repeat and delay messages.
pub trait Channel: Send {
    /// Sends the second frame of a message; what cannot be sent now is lost.
    fn send(&mut self, envelope: &[u8]) -> Result<()>;
    /// The second frame of the next message; none when `until` has passed.
    fn receive(&mut self, until: Instant) -> Result<Option<Frame>>;
    /// The time.
    fn now(&self) -> Instant {
        Instant::now()
    }
    /// Where it leads, for people.
    fn endpoint(&self) -> &str;
}

/// What a client says of itself.
#[derive(Clone, Debug)]
pub struct Hello {
    /// Name, version and language of the program, for the server's people.
    pub client: String,
    /// What the server asks for, if it does.
    pub token: Vec<u8>,
}

/// One of the window's places: request n is at n modulo the window.
#[derive(Default)]
struct Place {
    sequence: u64, // 0: free
    abandoned: bool,
    request: Vec<u8>,
    reply: Option<Frame>,
}

impl Place {
    fn waits(&self) -> bool {
        self.sequence != 0 && self.reply.is_none()
    }
}

/// Counts the rounds of repeats in which the server says that it cannot read what it gets. What was
/// damaged on its way is read when it comes again.
#[derive(Default)]
struct Unread {
    rounds: u32,
    told: bool, // in this round
}

impl Unread {
    /// Fails in the last round that is waited for.
    fn take(&mut self, frame: &Frame) -> Result<()> {
        let Some(error) = unread(frame).filter(|_| !self.told) else { return Ok(()) };
        self.told = true;
        self.rounds += 1;
        if self.rounds < MOST_UNREAD {
            return Ok(());
        }
        let text = format!("the server cannot read what this client sends: {}", error.text);
        Err(Error::malformed(text))
    }

    fn next_round(&mut self) {
        self.told = false;
    }
}

/// A client's side of a session: numbers requests, repeats what was lost, and never waits beyond a
/// deadline.
pub struct ClientSession {
    channel: Box<dyn Channel>,
    limits: Limits,
    server: String,
    key: Key,
    over: Option<Error>,
    next: u64,
    window: Vec<Place>,
    repeat_at: Instant,
    repeat_after: Duration,
    repeated: u64,
    late: u64,
    given_up: Vec<(u64, bool)>,
    unread: Unread,
}

impl ClientSession {
    /// Says hello until the server answers. Fails with `Late` where nobody does in time, and with
    /// what the server refuses with.
    pub fn open(mut channel: Box<dyn Channel>, hello: &Hello, timeout: Duration) -> Result<Self> {
        let deadline = channel.now() + timeout.min(LONGEST);
        let nonce = random_key()?;
        let bytes = envelope(&[], 0, |mut e| {
            let mut to = e.reborrow().init_hello();
            to.set_least_minor(MINOR);
            to.set_most_minor(MINOR);
            to.set_client(&hello.client);
            to.set_token(&hello.token);
            to.set_nonce(&nonce);
            Ok(())
        })?;
        let (mut repeat_after, mut unread) = (FIRST_HELLO, Unread::default());
        loop {
            channel.send(&bytes)?;
            unread.next_round();
            let until = deadline.min(channel.now() + repeat_after);
            while let Some(frame) = channel.receive(until)? {
                if let Some((key, server, limits)) = welcome(&frame)? {
                    return Ok(Self::new(channel, key, server, limits));
                }
                unread.take(&frame)?;
                if channel.now() >= until {
                    break; // whatever else keeps coming
                }
            }
            if channel.now() >= deadline {
                let text = format!("no server answers at {}", channel.endpoint());
                return Err(Error::new(Code::Late, text));
            }
            repeat_after = LAST_REPEAT.min(2 * repeat_after);
        }
    }

    fn new(channel: Box<dyn Channel>, key: Key, server: String, limits: Limits) -> Self {
        let places = limits.window.min(MOST_WINDOW);
        ClientSession {
            repeat_at: channel.now(),
            channel,
            limits,
            server,
            key,
            over: None,
            next: 1,
            window: (0..places).map(|_| Place::default()).collect(),
            repeat_after: FIRST_REPEAT,
            repeated: 0,
            late: 0,
            given_up: Vec::new(),
            unread: Unread::default(),
        }
    }

    /// What the server allows.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Name and version of the server, for people.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The session's name.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Requests that were sent again.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Replies that came after their request was abandoned.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// Where the session leads, for people.
    pub fn endpoint(&self) -> &str {
        self.channel.endpoint()
    }

    /// The channel's time.
    pub fn now(&self) -> Instant {
        self.channel.now()
    }

    /// When a reply that is waited for from now on is late; a day from now at the most.
    pub fn deadline(&self, timeout: Duration) -> Instant {
        self.channel.now() + timeout.min(LONGEST)
    }

    /// Sends a request whose reply is of use for a time, and returns its number. Fails with
    /// `TooMuch` where the window is full or the message is larger than the server allows; then
    /// nothing was sent.
    pub fn send(
        &mut self,
        useful: Duration,
        fill: impl FnOnce(wire::envelope::Builder) -> Result<()>,
    ) -> Result<u64> {
        self.check_open()?;
        let sequence = self.next;
        if self.place(sequence).sequence != 0 {
            let text = format!("window: {} requests have no reply yet", self.window.len());
            return Err(Error::new(Code::TooMuch, text));
        }
        let request = envelope(&self.key, sequence, |mut e| {
            e.set_deadline_ms(wire_ms(useful));
            fill(e)
        })?;
        let (bytes, most) = ((request.len() + PREAMBLE_BYTES) as u64, self.limits.most_bytes);
        if bytes > most {
            let text = format!("message: {bytes} bytes, the server allows {most}");
            return Err(Error::new(Code::TooMuch, text));
        }
        if !self.window.iter().any(Place::waits) {
            self.reset_repeats();
        }
        self.channel.send(&request)?;
        *self.place(sequence) = Place { sequence, abandoned: false, request, reply: None };
        self.next += 1;
        Ok(sequence)
    }

    /// The reply to a request. Fails with `Late` at the deadline (it may be waited for again), with
    /// the server's code and text where the request failed, and where the session is over.
    pub fn wait(&mut self, sequence: u64, deadline: Instant) -> Result<Frame> {
        if self.place(sequence).sequence != sequence || self.place(sequence).abandoned {
            let text = format!("sequence: {sequence} is not waited for");
            return Err(Error::new(Code::OutOfOrder, text));
        }
        loop {
            if let Some(frame) = self.place(sequence).reply.take() {
                self.place(sequence).sequence = 0;
                return self.checked(frame);
            }
            self.check_open()?;
            let late = self.channel.now() >= deadline;
            self.pump(deadline)?; // also takes what is there when it is late already
            if late && self.over.is_none() && self.place(sequence).reply.is_none() {
                let text = format!("no reply from {} in time", self.channel.endpoint());
                return Err(Error::new(Code::Late, text));
            }
        }
    }

    /// Sends a request and waits for its reply.
    pub fn call(
        &mut self,
        timeout: Duration,
        fill: impl FnOnce(wire::envelope::Builder) -> Result<()>,
    ) -> Result<Frame> {
        let deadline = self.deadline(timeout);
        let sequence = self.send(timeout, fill)?;
        self.wait(sequence, deadline)
    }

    /// Gives up a request whose reply is not there: it will be dropped, and told by `given_up`. False
    /// where there is none to wait for. The request is repeated still, because the server takes
    /// requests in their order.
    pub fn abandon(&mut self, sequence: u64) -> bool {
        let place = self.place(sequence);
        place.abandoned = place.sequence == sequence && place.waits();
        place.abandoned
    }

    /// Requests that were given up and whose replies have come since the last call, and whether
    /// they had an effect.
    pub fn given_up(&mut self) -> Vec<(u64, bool)> {
        std::mem::take(&mut self.given_up)
    }

    /// Takes in what has come, and repeats what is due; waits for nothing.
    pub fn poll(&mut self) -> Result<()> {
        let now = self.channel.now();
        while let Some(frame) = self.channel.receive(now)? {
            self.take_in(frame)?;
        }
        if self.window.iter().any(Place::waits) && now >= self.repeat_at {
            self.repeat_all()?;
        }
        self.check_open()
    }

    /// Ends the session; waits for nothing.
    pub fn close(&mut self) {
        if self.over.is_some() {
            return;
        }
        self.over = Some(Error::new(Code::NoSession, "the session was closed"));
        let goodbye = envelope(&self.key, 0, |mut e| {
            e.set_goodbye(());
            Ok(())
        });
        // Where it does not arrive, the lease frees what the server keeps.
        let _ = goodbye.and_then(|bytes| self.channel.send(&bytes));
    }

    fn place(&mut self, sequence: u64) -> &mut Place {
        let places = self.window.len() as u64;
        &mut self.window[(sequence % places) as usize]
    }

    fn check_open(&self) -> Result<()> {
        self.over.clone().map_or(Ok(()), Err)
    }

    fn reset_repeats(&mut self) {
        self.repeat_after = FIRST_REPEAT;
        self.repeat_at = self.channel.now() + FIRST_REPEAT;
    }

    /// Waits for a message until then, or until it is time to repeat.
    fn pump(&mut self, deadline: Instant) -> Result<()> {
        match self.channel.receive(deadline.min(self.repeat_at))? {
            Some(frame) => self.take_in(frame)?,
            None if self.channel.now() >= self.repeat_at => self.repeat_all()?,
            None => {}
        }
        Ok(())
    }

    /// In their order, because the server takes them in no other.
    fn repeat_all(&mut self) -> Result<()> {
        let first = self.next.saturating_sub(self.window.len() as u64);
        for sequence in first..self.next {
            let place = (sequence % self.window.len() as u64) as usize;
            let place = &self.window[place];
            if place.sequence == sequence && place.waits() && sequence != 0 {
                self.channel.send(&place.request)?;
                self.repeated += 1;
            }
        }
        self.unread.next_round();
        self.repeat_after = LAST_REPEAT.min(2 * self.repeat_after);
        self.repeat_at = self.channel.now() + self.repeat_after;
        Ok(())
    }

    /// Keeps a reply that is waited for. What is no message, or none of this session, is ignored.
    fn take_in(&mut self, frame: Frame) -> Result<()> {
        if self.window.iter().any(Place::waits) {
            self.unread.take(&frame)?;
        }
        let Some((sequence, farewell)) = reply_of(&frame, &self.key) else { return Ok(()) };
        if let Some(reason) = farewell {
            let text = format!("the server ended the session: {reason}");
            self.over = Some(Error::new(Code::ShuttingDown, text));
            return Ok(());
        }
        let place = self.place(sequence);
        if sequence == 0 || place.sequence != sequence || place.reply.is_some() {
            return Ok(()); // came twice
        }
        if place.abandoned {
            *place = Place::default();
            let had_effect = self.checked(frame).is_ok();
            self.late += u64::from(had_effect);
            self.given_up.push((sequence, had_effect));
        } else {
            place.reply = Some(frame);
        }
        self.unread = Unread::default();
        self.reset_repeats();
        Ok(())
    }

    /// A reply, or the failure that it tells.
    fn checked(&mut self, frame: Frame) -> Result<Frame> {
        let Some(error) = failure_of(&frame)? else { return Ok(frame) };
        if error.code == Code::NoSession {
            self.over = Some(error.clone());
        }
        Err(error)
    }
}

impl Drop for ClientSession {
    fn drop(&mut self) {
        self.close();
    }
}

/// The number of a reply of this session and, of a farewell, its reason.
fn reply_of(frame: &Frame, key: &Key) -> Option<(u64, Option<String>)> {
    let message = frame.message().ok()?;
    let envelope = message.envelope().ok()?;
    if envelope.get_session().ok()? != key {
        return None;
    }
    match envelope.which().ok()? {
        Which::Farewell(farewell) => {
            Some((0, Some(farewell.ok()?.get_reason().ok()?.to_string().ok()?)))
        }
        _ => Some((envelope.get_sequence(), None)),
    }
}

fn failure_of(frame: &Frame) -> Result<Option<Error>> {
    let message = frame.message()?;
    match message.envelope()?.which()? {
        Which::Failure(failure) => {
            let failure = failure?;
            let text = failure.get_text()?.to_string()?;
            Ok(Some(Error::new(failure.get_code()?.into(), text)))
        }
        _ => Ok(None),
    }
}

/// What a server says that could not read a message: that is malformed, under no number of no
/// session.
fn unread(frame: &Frame) -> Option<Error> {
    let message = frame.message().ok()?;
    let envelope = message.envelope().ok()?;
    let of_none = envelope.get_session().ok()?.is_empty() && envelope.get_sequence() == 0;
    let error = if of_none { failure_of(frame).ok()? } else { None };
    error.filter(|error| error.code == Code::Malformed)
}

/// What a welcome tells; none where the frame is no reply to hello.
fn welcome(frame: &Frame) -> Result<Option<(Key, String, Limits)>> {
    let Ok(message) = frame.message() else { return Ok(None) };
    let Ok(envelope) = message.envelope() else { return Ok(None) };
    match envelope.which() {
        Ok(Which::Refused(refused)) => {
            let refused = refused?;
            Err(Error::new(refused.get_code()?.into(), refused.get_text()?.to_string()?))
        }
        Ok(Which::Welcome(welcome)) => read_welcome(welcome?).map(Some),
        _ => Ok(None),
    }
}

fn read_welcome(from: wire::welcome::Reader) -> Result<(Key, String, Limits)> {
    let key = Key::try_from(from.get_session()?)
        .map_err(|_| Error::malformed("welcome: its session is not 16 bytes"))?;
    if from.get_minor() != MINOR {
        let text = format!("the server chose minor version {}, offered was 0", from.get_minor());
        return Err(Error::new(Code::Unsupported, text));
    }
    for (name, limit) in [
        ("window", u64::from(from.get_window())),
        ("leaseMs", from.get_lease_ms().into()),
        ("mostBytes", from.get_most_bytes()),
        ("mostSlots", from.get_most_slots().into()),
        ("heartbeatMs", from.get_heartbeat_ms().into()),
    ] {
        if limit == 0 {
            let text = format!("welcome: {name} is 0, allowed is 1 or more");
            return Err(Error::malformed(text));
        }
    }
    let limits = Limits {
        window: from.get_window(),
        lease: Duration::from_millis(from.get_lease_ms().into()),
        heartbeat: Duration::from_millis(from.get_heartbeat_ms().into()),
        most_bytes: from.get_most_bytes(),
        most_slots: from.get_most_slots(),
        ..Limits::default()
    };
    Ok((key, from.get_server()?.to_string()?, limits))
}
