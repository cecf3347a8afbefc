//! Sockets: the channel of a client, and the endpoint that a server binds.

pub mod bound;
pub mod channel;
pub mod endpoint_file;
pub mod greeting;
pub mod mailbox;

use std::time::{Duration, Instant};

use crate::error::{Code, Error, Result};

const MOST_FRAMES: usize = 4; // a message of this protocol has 2, and a route

/// What both sides set.
pub fn set_options(socket: &zmq::Socket, most_bytes: u64) -> zmq::Result<()> {
    socket.set_linger(200)?; // ms; the default waits for ever
    // Neither heartbeats nor input that stops: where a connection breaks off meanwhile, a heartbeat
    // or a ping behind what waits ends the process. Whoever has the socket empties it.
    socket.set_rcvhwm(0)?;
    socket.set_tcp_keepalive(1)?;
    socket.set_tcp_keepalive_idle(10)?;
    socket.set_tcp_keepalive_intvl(5)?;
    socket.set_tcp_keepalive_cnt(4)?;
    socket.set_handshake_ivl(5_000)?;
    socket.set_maxmsgsize(most_bytes.try_into().unwrap_or(i64::MAX))?;
    socket.set_zap_domain("park") // without it peers of ZMTP 1 get through as messages
}

/// Waits until one of them can receive a message; false at `until`, or when a signal came.
pub fn readable(sockets: &[&zmq::Socket], until: Instant) -> Result<bool> {
    const LONGEST: Duration = Duration::from_secs(60);
    let left = until.saturating_duration_since(Instant::now()).min(LONGEST);
    let mut items: Vec<_> = sockets.iter().map(|s| s.as_poll_item(zmq::POLLIN)).collect();
    match zmq::poll(&mut items, left.as_micros().div_ceil(1000) as i64) {
        Ok(n) => Ok(n > 0),
        Err(zmq::Error::EINTR) => Ok(false),
        Err(error) => Err(socket_error(error)),
    }
}

/// Sends the frames now, or not at all: what cannot be sent is asked for again.
pub fn send_now(socket: &zmq::Socket, frames: &[&[u8]]) -> Result<()> {
    for (i, frame) in frames.iter().enumerate() {
        let more = if i + 1 < frames.len() { zmq::SNDMORE } else { 0 };
        match socket.send(*frame, zmq::DONTWAIT | more) {
            Ok(()) => {}
            Err(zmq::Error::EAGAIN | zmq::Error::EHOSTUNREACH | zmq::Error::EINTR) if i == 0 => {
                return Ok(());
            }
            Err(error) => return Err(socket_error(error)),
        }
    }
    Ok(())
}

/// The frames of the next message; none where there is none yet.
pub fn receive_now(socket: &zmq::Socket) -> Result<Option<Vec<zmq::Message>>> {
    let mut frames = Vec::new();
    loop {
        match socket.recv_msg(zmq::DONTWAIT) {
            Ok(frame) => {
                let more = frame.get_more();
                if frames.len() < MOST_FRAMES {
                    frames.push(frame); // the rest is of a message that is none of ours
                }
                if !more {
                    return Ok(Some(frames));
                }
            }
            Err(zmq::Error::EAGAIN | zmq::Error::EINTR) => return Ok(None),
            Err(error) => return Err(socket_error(error)),
        }
    }
}

pub fn socket_error(error: zmq::Error) -> Error {
    Error::new(Code::Internal, format!("socket: {error}"))
}
