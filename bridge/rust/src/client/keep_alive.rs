use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::codec::frame::{Frame, envelope};
use crate::error::{Code, Error, Result};
use crate::session::{Channel, Key, Limits};
use crate::transport::channel::ZmqChannel;
use crate::wire::envelope::Which;

const LEAST_PAUSE: Duration = Duration::from_millis(20);
const PINGS_PER_LEASE: u32 = 3;
const MOST_REPLIES: u32 = 16; // that are looked at between two pings

/// Pings a server from a thread, so that the session lives while the program does something else.
pub struct KeepAlive {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl KeepAlive {
    pub fn start(channel: ZmqChannel, key: Key, limits: &Limits) -> Result<Self> {
        let pause = limits.heartbeat.min(limits.lease / PINGS_PER_LEASE).max(LEAST_PAUSE);
        let (end, ended) = self::channel();
        let thread = Builder::new()
            .name("park keep-alive".to_string())
            .spawn(move || ping(channel, &key, pause, &ended))
            .map_err(|error| Error::new(Code::Internal, format!("keep-alive thread: {error}")))?;
        Ok(KeepAlive { end: Some(end), thread: Some(thread) })
    }
}

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.end = None; // wakes the thread
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Until it is told to end, or the server says that the session is over.
fn ping(mut channel: ZmqChannel, key: &Key, pause: Duration, ended: &Receiver<()>) {
    let message = envelope(key, 0, |mut e| {
        e.set_ping(());
        Ok(())
    });
    let Ok(message) = message else { return };
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        // What fails here fails in the program's next call, too, which reports it.
        if channel.send(&message).is_err() {
            return;
        }
        for _ in 0..MOST_REPLIES {
            match channel.receive(Instant::now()) {
                Ok(Some(frame)) if !is_pong(&frame) => return,
                Ok(Some(_)) => {}
                _ => break,
            }
        }
    }
}

fn is_pong(frame: &Frame) -> bool {
    let pong =
        || -> Result<bool> { Ok(matches!(frame.message()?.envelope()?.which()?, Which::Pong(()))) };
    pong().unwrap_or(true) // what is no message tells nothing
}
