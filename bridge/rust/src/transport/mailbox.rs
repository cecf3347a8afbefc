use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::{Code, Error, Result};
use crate::transport::{readable, receive_now, send_now, socket_error};

const LONGEST_WAIT: Duration = Duration::from_millis(50); // until it looks whether to end
const MESSAGES_AT_ONCE: usize = 64; // until replies go out
const MOST_BYTES: usize = 256 << 20; // that wait to be taken; further ones are lost

/// The frames of a message, and when it came.
pub struct Letter {
    pub frames: Vec<zmq::Message>,
    pub at: Instant,
}

impl Letter {
    fn bytes(&self) -> usize {
        self.frames.iter().map(|frame| frame.len()).sum()
    }
}

/// A server's socket in a thread of its own, so that it is known when a message came, however long
/// a policy thinks about the one before.
pub struct Mailbox {
    letters: Receiver<Letter>,
    replies: zmq::Socket,
    ended: Arc<AtomicBool>,
    waiting: Arc<AtomicUsize>, // bytes
    thread: Option<JoinHandle<Result<()>>>,
}

impl Mailbox {
    /// Keeps at most `most` messages until they are taken. Further ones are lost, as they would be
    /// without end in the socket; what is lost is sent again.
    pub fn start(context: &zmq::Context, socket: zmq::Socket, most: usize) -> Result<Self> {
        let pair = |bind: bool| {
            let end = context.socket(zmq::PAIR)?;
            let at = "inproc://replies"; // the context is the server's own
            if bind { end.bind(at) } else { end.connect(at) }.map(|()| end)
        };
        let replies = pair(true).map_err(socket_error)?;
        let outgoing = pair(false).map_err(socket_error)?;
        let (sender, letters) = sync_channel(most);
        let ended = Arc::new(AtomicBool::new(false));
        let waiting = Arc::new(AtomicUsize::new(0));
        let (its_ended, its_waiting) = (ended.clone(), waiting.clone());
        let thread = Builder::new()
            .name("park socket".to_string())
            .spawn(move || carry(&socket, &outgoing, &sender, &its_waiting, &its_ended))
            .map_err(|error| Error::new(Code::Internal, format!("socket's thread: {error}")))?;
        Ok(Mailbox { letters, replies, ended, waiting, thread: Some(thread) })
    }

    /// The next message; none where none came until then.
    pub fn next(&self, until: Instant) -> Result<Option<Letter>> {
        match self.letters.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(letter) => {
                self.waiting.fetch_sub(letter.bytes(), Ordering::Relaxed);
                Ok(Some(letter))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Error::new(Code::Internal, "the thread of the socket ended"))
            }
        }
    }

    /// Sends the frames of a message, or loses them: what is lost is asked for again.
    pub fn send(&self, frames: &[&[u8]]) {
        let _ = send_now(&self.replies, frames);
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(Ok(Err(error))) = self.thread.take().map(JoinHandle::join) {
            eprintln!("{error}");
        }
    }
}

fn carry(
    socket: &zmq::Socket,
    replies: &zmq::Socket,
    letters: &SyncSender<Letter>,
    waiting: &AtomicUsize,
    ended: &AtomicBool,
) -> Result<()> {
    loop {
        let last = ended.load(Ordering::Relaxed);
        readable(
            &[socket, replies],
            Instant::now() + if last { Duration::ZERO } else { LONGEST_WAIT },
        )?;
        while let Some(frames) = receive_now(replies)? {
            let frames: Vec<&[u8]> = frames.iter().map(|frame| &frame[..]).collect();
            send_now(socket, &frames)?;
        }
        if last {
            return Ok(());
        }
        for _ in 0..MESSAGES_AT_ONCE {
            let Some(frames) = receive_now(socket)? else { break };
            let letter = Letter { frames, at: Instant::now() };
            let bytes = letter.bytes();
            if waiting.load(Ordering::Relaxed) > MOST_BYTES {
                continue;
            }
            waiting.fetch_add(bytes, Ordering::Relaxed);
            match letters.try_send(letter) {
                Ok(()) => {}
                Err(TrySendError::Full(_)) => {
                    waiting.fetch_sub(bytes, Ordering::Relaxed);
                }
                Err(TrySendError::Disconnected(_)) => return Ok(()),
            }
        }
    }
}
