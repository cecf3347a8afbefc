use std::fmt;

use crate::wire;

/// What went wrong: the codes of the schema. A client finds `Late`, `TooMuch`, `Malformed` and
/// `InvalidConfig` by itself, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// A defect of the server.
    Internal,
    /// Not a message of the schema, or a field out of its range.
    Malformed,
    /// A version, message or option that the other side does not know.
    Unsupported,
    /// The session is over or never was.
    NoSession,
    /// The token is missing or wrong, or the endpoint is not allowed.
    NotAllowed,
    /// A sequence number or a call that cannot come here.
    OutOfOrder,
    /// Beyond a limit that the server told.
    TooMuch,
    /// No such environment, policy, stream, leaf or group.
    UnknownName,
    /// A field of a text is wrong.
    InvalidConfig,
    /// An action outside its space.
    IllegalAction,
    /// The deadline passed before the reply was there.
    Late,
    /// The server ends.
    ShuttingDown,
    /// The environment failed; its stream is closed.
    EnvironmentFailed,
}

const CODES: [(Code, wire::Code, &str); 13] = [
    (Code::Internal, wire::Code::Internal, "internal"),
    (Code::Malformed, wire::Code::Malformed, "malformed"),
    (Code::Unsupported, wire::Code::Unsupported, "unsupported"),
    (Code::NoSession, wire::Code::NoSession, "noSession"),
    (Code::NotAllowed, wire::Code::NotAllowed, "notAllowed"),
    (Code::OutOfOrder, wire::Code::OutOfOrder, "outOfOrder"),
    (Code::TooMuch, wire::Code::TooMuch, "tooMuch"),
    (Code::UnknownName, wire::Code::UnknownName, "unknownName"),
    (Code::InvalidConfig, wire::Code::InvalidConfig, "invalidConfig"),
    (Code::IllegalAction, wire::Code::IllegalAction, "illegalAction"),
    (Code::Late, wire::Code::Late, "late"),
    (Code::ShuttingDown, wire::Code::ShuttingDown, "shuttingDown"),
    (Code::EnvironmentFailed, wire::Code::EnvironmentFailed, "environmentFailed"),
];

impl Code {
    /// The name that the schema gives it, such as `noSession`.
    pub fn name(self) -> &'static str {
        CODES[self as usize].2
    }

    pub(crate) fn wire(self) -> wire::Code {
        CODES[self as usize].1
    }
}

impl From<wire::Code> for Code {
    fn from(code: wire::Code) -> Self {
        CODES[code as usize].0
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A call that had no effect, or a message that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Of which kind.
    pub code: Code,
    /// A line for each thing that is wrong; it names the field and what is allowed.
    pub text: String,
}

/// What the calls of this library return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a kind, with its text.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Error { code, text: text.into() }
    }

    pub(crate) fn malformed(text: impl Into<String>) -> Self {
        Error::new(Code::Malformed, text)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.text)
    }
}

impl std::error::Error for Error {}

impl From<capnp::Error> for Error {
    fn from(error: capnp::Error) -> Self {
        Error::malformed(format!("message: {error}"))
    }
}

impl From<capnp::NotInSchema> for Error {
    fn from(error: capnp::NotInSchema) -> Self {
        Error::new(Code::Unsupported, format!("message: {error}"))
    }
}

impl From<std::str::Utf8Error> for Error {
    fn from(error: std::str::Utf8Error) -> Self {
        Error::malformed(format!("text: {error}"))
    }
}
