use std::sync::Arc;
use std::time::Duration;

use crate::client::environment::{Environment, EnvironmentOptions};
use crate::client::keep_alive::KeepAlive;
use crate::client::remote_policy::RemotePolicy;
use crate::codec::decisions::Episode;
use crate::codec::frame::Frame;
use crate::codec::spec::Spec;
use crate::error::Result;
use crate::session::{ClientSession, Hello, Limits};
use crate::transport::channel::ZmqChannel;
use crate::transport::endpoint_file::EndpointFile;
use crate::wire;

/// How to connect.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest wait for a reply, that to hello included; at most a day.
    pub timeout: Duration,
    /// Name and version of the program, for the server's people.
    pub client: String,
    /// What the server asks for, if it does; empty: what its endpoint file tells.
    pub token: Vec<u8>,
}

impl Default for Options {
    fn default() -> Self {
        let client = format!("park-sdk {} (Rust)", env!("CARGO_PKG_VERSION"));
        Options { timeout: Duration::from_secs(60), client, token: Vec::new() }
    }
}

/// A session with a server. While it lives, a thread with a socket of its own pings the server, so
/// that a program may think for as long as it likes between two calls. It may move to another
/// thread, but not be used by two.
pub struct Connection {
    session: ClientSession,
    timeout: Duration,
    _keep_alive: KeepAlive,
}

impl Connection {
    /// Connects to `tcp://HOST:PORT`, to `ipc://PATH` or to what the endpoint file of a server at
    /// this path tells, and opens a session. Fails with `Late` where nobody answers in time.
    pub fn open(endpoint: &str, mut options: Options) -> Result<Self> {
        let told = EndpointFile::of(endpoint)?;
        let endpoint = told.endpoint.as_str();
        if options.token.is_empty() {
            options.token = told.token;
        }
        let context = zmq::Context::new();
        let channel = ZmqChannel::connect(&context, endpoint)?;
        let hello = Hello { client: options.client, token: options.token };
        let session = ClientSession::open(Box::new(channel), &hello, options.timeout)?;
        let keep_alive = KeepAlive::start(
            ZmqChannel::connect(&context, endpoint)?,
            *session.key(),
            session.limits(),
        )?;
        Ok(Connection { session, timeout: options.timeout, _keep_alive: keep_alive })
    }

    /// Opens environments of the server. `episodes` tells the episode of a number 0, 1, ..., and
    /// none when there are no more; slot `s` of `n` plays the numbers `s`, `s + n`, `s + 2 n`, ...
    pub fn environment(
        self,
        options: EnvironmentOptions,
        episodes: impl FnMut(u64) -> Option<Episode> + Send + 'static,
    ) -> Result<Environment> {
        Environment::open(self, options, Box::new(episodes))
    }

    /// Opens a policy of the server for an environment; an empty name is the only policy that it
    /// has.
    pub fn policy(self, name: &str, spec: &Arc<Spec>) -> Result<RemotePolicy> {
        RemotePolicy::open(self, name, spec)
    }

    /// What the server allows.
    pub fn limits(&self) -> &Limits {
        self.session.limits()
    }

    /// Name and version of the server, for people.
    pub fn server(&self) -> &str {
        self.session.server()
    }

    /// Requests that were sent again because no reply came.
    pub fn repeated(&self) -> u64 {
        self.session.repeated()
    }

    /// Replies that came after their request was given up.
    pub(crate) fn late(&self) -> u64 {
        self.session.late()
    }

    /// Ends the session; the server frees what it kept for it. Dropping it does the same.
    pub fn close(self) {}

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(crate) fn session(&mut self) -> &mut ClientSession {
        &mut self.session
    }

    pub(crate) fn call(
        &mut self,
        fill: impl FnOnce(wire::envelope::Builder) -> Result<()>,
    ) -> Result<Frame> {
        self.session.call(self.timeout, fill)
    }
}
