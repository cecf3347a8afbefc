//! Both sides of a session, without sockets and without a clock, so that every order of events can
//! be tested. Programs use [`crate::Connection`] and [`crate::Server`], which bring sockets along.

mod client;
mod table;

pub use client::{Channel, ClientSession, Hello};
pub use table::{Counts, Host, SessionTable};

use std::time::Duration;

use crate::error::{Code, Error, Result};

/// 16 random bytes: the name of a session and the right to use it.
pub type Key = [u8; 16];

/// What a server allows; its welcome tells the client.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Requests of a session without a reply.
    pub window: u32,
    /// A session that is silent for longer is over.
    pub lease: Duration,
    /// How often an idle client should ping.
    pub heartbeat: Duration,
    /// The largest message, all frames together.
    pub most_bytes: u64,
    /// Environments, or contexts of policies, of a session at once.
    pub most_slots: u32,
    /// Sessions of the server.
    pub most_sessions: usize,
    /// Sessions that were opened over one connection.
    pub most_sessions_of_connection: usize,
    /// Bytes of the replies that are kept for repetition, of a session; a reply more may be kept.
    pub most_session_bytes: u64,
    /// The same of all sessions together.
    pub most_server_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            window: 8,
            lease: Duration::from_secs(30),
            heartbeat: Duration::from_secs(5),
            most_bytes: 64 << 20,
            most_slots: 4096,
            most_sessions: 4096,
            most_sessions_of_connection: 64,
            most_session_bytes: 256 << 20,
            most_server_bytes: 1 << 30,
        }
    }
}

/// 16 bytes of the operating system's randomness: a nonce or a session key.
pub fn random_key() -> Result<Key> {
    let mut key = Key::default();
    getrandom::fill(&mut key)
        .map_err(|error| Error::new(Code::Internal, format!("random numbers: {error}")))?;
    Ok(key)
}

/// Milliseconds for a message.
fn wire_ms(time: Duration) -> u32 {
    time.as_millis().try_into().unwrap_or(u32::MAX)
}
