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

const MOST_TEXT: usize = 16 << 10; // bytes of an error's text
const LAST_LINE: usize = 40; // of them: tells what was left out

/// A call that had no effect, or a message that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Of which kind.
    pub code: Code,
    /// A line for each thing that is wrong; it names the field and what is allowed. At most 16 KiB,
    /// and a terminal may print it: control characters but line ends are shown as `\xNN`.
    pub text: String,
}

/// What the calls of this library return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a kind, with its text, which may be that of somebody else.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        // Bounded first, so that little has to be looked at.
        Error { code, text: bounded(shown(bounded(text.into()))) }
    }

    pub(crate) fn malformed(text: impl Into<String>) -> Self {
        Error::new(Code::Malformed, text)
    }
}

/// A text without what a terminal would obey: each byte of a control character as `\xNN`.
fn shown(text: String) -> String {
    let obeyed = |c: char| c.is_control() && c != '\n';
    if !text.contains(obeyed) {
        return text;
    }
    let mut to = String::new();
    for c in text.chars() {
        if obeyed(c) {
            let mut bytes = [0; 4];
            to.extend(c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\x{byte:02x}")));
        } else {
            to.push(c);
        }
    }
    to
}

/// As many whole lines as a text may have, and how many more there are; of a first line that is
/// larger its beginning.
fn bounded(mut text: String) -> String {
    if text.len() <= MOST_TEXT {
        return text;
    }
    let room = MOST_TEXT - LAST_LINE;
    if let Some(end) = text.as_bytes()[..room].iter().rposition(|&byte| byte == b'\n') {
        let more = text[end + 1..].lines().count();
        text.truncate(end);
        return format!("{text}\nand {more} more");
    }
    let end = (0..=room).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let more = text.len() - end;
    text.truncate(end);
    format!("{text} and {more} more bytes")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_shown_without_control_characters() {
        let error = Error::new(Code::Internal, "a\u{1b}]52;c;AA\u{7}\n\u{9b}Z\u{7f}\ré");
        assert_eq!(error.text, "a\\x1b]52;c;AA\\x07\n\\xc2\\x9bZ\\x7f\\x0dé");
        assert!(error.to_string().starts_with("internal: a\\x1b]"));
    }

    #[test]
    fn texts_have_at_most_16_kib() {
        for text in ["x", "é", "\u{1b}", "line\n", "\n"] {
            let error = Error::new(Code::Internal, text.repeat(1 << 20));
            assert!(error.text.len() <= MOST_TEXT, "{} bytes", error.text.len());
            assert!(error.text.len() > MOST_TEXT / 2, "{} bytes", error.text.len());
            assert!(error.text.contains(" more"), "{text}");
        }
        let lines = Error::new(Code::InvalidConfig, "unknown field\n".repeat(200_000));
        let kept = lines.text.lines().count() - 1;
        assert!(lines.text.ends_with(&format!("unknown field\nand {} more", 200_000 - kept)));
    }
}
