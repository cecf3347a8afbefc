use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use capnp::message::{Builder, Reader, ReaderOptions};
use capnp::serialize::{BufferSegments, write_message_to_words};

use crate::error::{Error, Result};
use crate::wire;

/// The major version of the protocol; it is in the first frame.
pub const MAJOR: u8 = 1;
/// The minor version that this library speaks.
pub const MINOR: u16 = 0;
pub const PREAMBLE_BYTES: usize = 8;

const MAGIC: &[u8] = b"PKB";
const WORD: usize = size_of::<u64>();
const LEAST_TRAVERSAL: usize = 4096;
const TRAVERSAL_PER_WORD: usize = 8;
const NESTING: i32 = 16;

/// The first frame of every message.
pub fn preamble() -> [u8; PREAMBLE_BYTES] {
    let mut bytes = [0; PREAMBLE_BYTES];
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    bytes[MAGIC.len()] = MAJOR;
    bytes
}

/// The version in a first frame; none where it is no such frame.
pub fn major_of(frame: &[u8]) -> Option<u8> {
    (frame.len() == PREAMBLE_BYTES && frame.starts_with(MAGIC)).then(|| frame[MAGIC.len()])
}

/// The second frame of a message, in memory that is aligned to 8 bytes. A clone shares the memory.
#[derive(Clone)]
pub struct Frame(Arc<Vec<u64>>);

/// What a frame holds; `envelope` reads it.
pub struct Message<'a>(Reader<BufferSegments<&'a [u8]>>);

impl Frame {
    /// Copies bytes that came from elsewhere and may begin at any address.
    pub fn copy(bytes: &[u8]) -> Result<Self> {
        if bytes.is_empty() || !bytes.len().is_multiple_of(WORD) {
            let n = bytes.len();
            return Err(Error::malformed(format!(
                "envelope: {n} bytes are not a whole number of words"
            )));
        }
        Ok(Frame(Arc::new(bytemuck::pod_collect_to_vec(bytes))))
    }

    /// The bytes as they came.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    /// Checks the table of segments. The limits of the protocol hold for what is read later.
    pub fn message(&self) -> Result<Message<'_>> {
        let mut limits = ReaderOptions::new();
        limits
            .traversal_limit_in_words(Some(LEAST_TRAVERSAL.max(TRAVERSAL_PER_WORD * self.0.len())))
            .nesting_limit(NESTING);
        Ok(Message(Reader::new(BufferSegments::new(self.bytes(), limits)?, limits)))
    }

    pub(crate) fn memory(&self) -> Arc<Vec<u64>> {
        self.0.clone()
    }

    /// Where a part of this frame lies in it.
    pub(crate) fn range(&self, part: &[u8]) -> Range<usize> {
        if part.is_empty() {
            return 0..0;
        }
        let at = part.as_ptr() as usize - self.bytes().as_ptr() as usize;
        at..at + part.len()
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Frame of {} bytes", self.bytes().len())
    }
}

impl Message<'_> {
    /// The root of the message.
    pub fn envelope(&self) -> Result<wire::envelope::Reader<'_>> {
        Ok(self.0.get_root()?)
    }
}

/// Builds an envelope and returns its bytes, ready to be sent as the second frame.
pub fn envelope(
    session: &[u8],
    sequence: u64,
    fill: impl FnOnce(wire::envelope::Builder) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut message = Builder::new_default();
    let mut root: wire::envelope::Builder = message.init_root();
    root.set_session(session);
    root.set_sequence(sequence);
    fill(root)?;
    Ok(write_message_to_words(&message))
}
