use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::codec::frame::{Frame, preamble};
use crate::codec::spec::Spec;
use crate::error::{Code, Error, Result};
use crate::serve::policy_service::{Policy, PolicyService};
use crate::session::{Counts, Host, Key, Limits, SessionTable, random_key};
use crate::transport::bound::BoundEndpoint;
use crate::transport::endpoint_file::EndpointFile;
use crate::transport::mailbox::{Letter, Mailbox};
use crate::transport::{set_options, socket_error};
use crate::wire;

const LONGEST_WAIT: Duration = Duration::from_millis(50); // until it looks whether to end
const MESSAGES_AT_ONCE: usize = 64; // until it looks again
const MESSAGES_THAT_WAIT: usize = 256;

/// How to serve.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Name and version of the program, for its clients' people.
    pub name: String,
    /// What every hello has to bring; empty: nothing.
    pub token: Vec<u8>,
    /// What a session may do.
    pub limits: Limits,
}

impl Default for ServerOptions {
    fn default() -> Self {
        let name = format!("park-sdk {} (Rust)", env!("CARGO_PKG_VERSION"));
        ServerOptions { name, token: Vec::new(), limits: Limits::default() }
    }
}

/// Serves policies. All of them run in the thread that calls `run`; one that is slow delays the
/// others.
pub struct Server {
    endpoint: String,
    token: Vec<u8>,
    table: SessionTable,
    host: PolicyHost,
    _bound: BoundEndpoint,
}

/// The socket and the policies.
struct PolicyHost {
    mail: Mailbox,
    came: Instant, // the message that is looked at
    service: PolicyService,
}

impl Server {
    /// Binds `tcp://127.0.0.1:PORT` (`*`: a free port) or `ipc://PATH` in a folder that only its
    /// owner can enter; refuses every other endpoint. `make` makes a policy of the text that a
    /// client names, which may be empty, for an environment.
    pub fn bind(
        endpoint: &str,
        options: ServerOptions,
        make: impl FnMut(&str, &Arc<Spec>) -> Result<Box<dyn Policy>> + 'static,
    ) -> Result<Self> {
        check(&options.limits)?;
        let bound = BoundEndpoint::guard(endpoint)?;
        let context = zmq::Context::new();
        let socket = context.socket(zmq::ROUTER).map_err(socket_error)?;
        let most = i32::try_from(2 * u64::from(options.limits.window)).unwrap_or(i32::MAX);
        let set = || {
            set_options(&socket, options.limits.most_bytes)?;
            socket.set_router_mandatory(true)?; // else what cannot be sent is lost unseen
            socket.set_sndhwm(most)
        };
        set().map_err(socket_error)?;
        socket.bind(endpoint).map_err(|error| {
            Error::new(Code::NotAllowed, format!("endpoint: {endpoint}: {error}"))
        })?;
        let name = socket.get_last_endpoint().map_err(socket_error)?;
        let service = PolicyService::new(Box::new(make), options.limits.most_slots);
        let mail = Mailbox::start(&context, socket, MESSAGES_THAT_WAIT)?;
        Ok(Server {
            endpoint: name.unwrap_or_else(|_| endpoint.to_string()),
            table: SessionTable::new(options.limits, &options.name, &options.token),
            token: options.token,
            host: PolicyHost { mail, came: Instant::now(), service },
            _bound: bound,
        })
    }

    /// Where clients find it, with the port that it got.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Writes where it is and its token to a file that only its owner can read. The path stands for
    /// the endpoint in [`crate::Connection::open`] and in `remote(endpoint=FILE)`.
    pub fn write_endpoint_file(&self, path: &str) -> Result<()> {
        EndpointFile { endpoint: self.endpoint.clone(), token: self.token.clone() }.write(path)
    }

    /// What went wrong so far.
    pub fn counts(&self) -> &Counts {
        self.table.counts()
    }

    /// Serves until `stop` is true, then tells every session that the server ends.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<()> {
        let mut expire_at = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            let now = Instant::now();
            let all = self.receive((now + LONGEST_WAIT).min(expire_at.max(now)))?;
            if all && Instant::now() >= expire_at {
                // After all that has come: a slow policy may have kept a ping waiting.
                expire_at = self.table.expire(Instant::now(), &mut self.host);
            }
        }
        self.table.shut_down("the server ends", &mut self.host);
        Ok(())
    }

    /// Waits for a message and takes those that are there; true where no other is.
    fn receive(&mut self, mut until: Instant) -> Result<bool> {
        for _ in 0..MESSAGES_AT_ONCE {
            let Some(Letter { frames, at }) = self.host.mail.next(until)? else { return Ok(true) };
            until = at; // has passed: for the next one nothing waits
            self.host.came = at;
            let Some((route, rest)) = frames.split_first() else { continue };
            let rest: Vec<&[u8]> = rest.iter().map(|frame| &frame[..]).collect();
            self.table.receive(route, &rest, at, &mut self.host);
        }
        Ok(false)
    }
}

fn check(limits: &Limits) -> Result<()> {
    let most = u64::from(u32::MAX);
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    for (name, value, most) in [
        ("window", u64::from(limits.window), 1024),
        ("lease", ms(limits.lease), most),
        ("heartbeat", ms(limits.heartbeat), most),
        ("most_bytes", limits.most_bytes, i64::MAX as u64),
        ("most_slots", u64::from(limits.most_slots), most),
        ("most_sessions", limits.most_sessions as u64, most),
        ("most_sessions_of_connection", limits.most_sessions_of_connection as u64, most),
        ("most_session_bytes", limits.most_session_bytes, i64::MAX as u64),
        ("most_server_bytes", limits.most_server_bytes, i64::MAX as u64),
    ] {
        if value < 1 || value > most {
            let text = format!("{name}: {value}, allowed are 1 to {most}");
            return Err(Error::new(Code::InvalidConfig, text));
        }
    }
    Ok(())
}

impl Host for PolicyHost {
    fn send(&mut self, route: &[u8], envelope: &[u8]) {
        self.mail.send(&[route, &preamble(), envelope]);
    }

    fn handle(
        &mut self,
        session: &Key,
        request: &Frame,
        reply: wire::envelope::Builder,
    ) -> Result<()> {
        let useful_ms = request.message()?.envelope()?.get_deadline_ms();
        if useful_ms != 0 && self.came.elapsed() > Duration::from_millis(useful_ms.into()) {
            let text = format!("deadlineMs: the request has waited for more than {useful_ms} ms");
            return Err(Error::new(Code::Late, text));
        }
        self.service.handle(session, request, reply)
    }

    fn ended(&mut self, session: &Key) {
        self.service.ended(session);
    }

    fn new_key(&mut self) -> Result<Key> {
        random_key()
    }
}
