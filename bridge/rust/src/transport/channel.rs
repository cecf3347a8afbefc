use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::codec::frame::{Frame, MAJOR, major_of, preamble};
use crate::error::{Code, Error, Result};
use crate::session::Channel;
use crate::transport::greeting::wants_key;
use crate::transport::{readable, receive_now, send_now, set_options, socket_error};

const MOST_BYTES: u64 = 64 << 20; // of a message; a server's welcome may allow less
const GREETING: Duration = Duration::from_millis(300);

/// A client's socket. Only the thread that owns it may use it.
pub struct ZmqChannel {
    endpoint: String,
    socket: zmq::Socket,
    events: zmq::Socket, // of its handshakes
    welcomed: bool,
}

impl ZmqChannel {
    /// Connects to `ipc://PATH` or `tcp://HOST:PORT`; nobody needs to be there yet.
    pub fn connect(context: &zmq::Context, endpoint: &str) -> Result<Self> {
        let invalid = |why: &str| {
            let text = format!(
                "endpoint: \"{endpoint}\" is none; allowed are ipc://PATH and tcp://HOST:PORT{why}"
            );
            Error::new(Code::InvalidConfig, text)
        };
        if !endpoint.starts_with("ipc://") && !endpoint.starts_with("tcp://") {
            return Err(invalid(""));
        }
        let socket = context.socket(zmq::DEALER).map_err(socket_error)?;
        let set = || {
            set_options(&socket, MOST_BYTES)?;
            socket.set_immediate(true)?; // queues nothing for a server that is not there
            socket.set_reconnect_ivl(100)?;
            socket.set_reconnect_ivl_max(2_000)
        };
        set().map_err(socket_error)?;
        let events = watch(context, &socket).map_err(socket_error)?;
        socket.connect(endpoint).map_err(|error| invalid(&format!(" ({error})")))?;
        Ok(ZmqChannel { endpoint: endpoint.to_string(), socket, events, welcomed: false })
    }

    /// Fails where the server turned the connection away; ZeroMQ alone would try again and again.
    fn look_at_handshake(&self, until: Instant) -> Result<()> {
        let mut failed = false;
        while receive_now(&self.events)?.is_some() {
            failed = true;
        }
        if failed && wants_key(&self.endpoint, until.min(Instant::now() + GREETING)) {
            let text = "the server has a key (CURVE); this library has none";
            return Err(Error::new(Code::NotAllowed, format!("{}: {text}", self.endpoint)));
        }
        Ok(())
    }

    /// The envelope of a message of this protocol; none of another one.
    fn envelope(&mut self, frames: &[zmq::Message]) -> Result<Option<Frame>> {
        let [first, body] = frames else { return Ok(None) };
        match major_of(first) {
            Some(MAJOR) => {
                self.welcomed = true;
                Ok(Frame::copy(body).ok())
            }
            Some(major) if !self.welcomed => {
                let text = format!("the server speaks version {major}, this client {MAJOR}");
                Err(Error::new(Code::Unsupported, text))
            }
            _ => Ok(None),
        }
    }
}

/// A socket on which it is told that a handshake failed.
fn watch(context: &zmq::Context, socket: &zmq::Socket) -> zmq::Result<zmq::Socket> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let at = format!("inproc://handshake{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let failures = zmq::SocketEvent::HANDSHAKE_FAILED_PROTOCOL.to_raw()
        | zmq::SocketEvent::HANDSHAKE_FAILED_NO_DETAIL.to_raw();
    socket.monitor(&at, failures.into())?;
    let events = context.socket(zmq::PAIR)?;
    events.set_linger(0)?;
    events.connect(&at)?;
    Ok(events)
}

impl Channel for ZmqChannel {
    fn send(&mut self, envelope: &[u8]) -> Result<()> {
        send_now(&self.socket, &[&preamble(), envelope])
    }

    fn receive(&mut self, until: Instant) -> Result<Option<Frame>> {
        loop {
            while let Some(frames) = receive_now(&self.socket)? {
                if let Some(frame) = self.envelope(&frames)? {
                    return Ok(Some(frame));
                }
                if Instant::now() >= until {
                    return Ok(None); // whatever else keeps coming
                }
            }
            self.look_at_handshake(until)?;
            if !readable(&[&self.socket, &self.events], until)? && Instant::now() >= until {
                return Ok(None);
            }
        }
    }

    fn endpoint(&self) -> &str {
        &self.endpoint
    }
}
