use std::io::{Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

// The signature and the version of ZMTP 3. A server then tells its mechanism before it learns ours.
const FIRST: [u8; 11] = [0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3];
const GREETING_BYTES: usize = 64;
const CURVE: &[u8] = b"CURVE\0";
const MECHANISM: usize = 12; // where it is in the greeting

/// True where the server behind an endpoint says in time that it has a key. ZeroMQ tells that of a
/// connection that was turned away only where it was quicker than the server.
pub fn wants_key(endpoint: &str, until: Instant) -> bool {
    let greeting = match (endpoint.strip_prefix("tcp://"), endpoint.strip_prefix("ipc://")) {
        (Some(address), _) => greeting_of_tcp(address, until),
        (_, Some(path)) => UnixStream::connect(path).and_then(|stream| {
            greeting(&stream, &stream, until, |left| stream.set_read_timeout(Some(left)))
        }),
        _ => return false,
    };
    greeting.is_ok_and(|bytes| bytes[MECHANISM..].starts_with(CURVE))
}

fn greeting_of_tcp(address: &str, until: Instant) -> Result<[u8; GREETING_BYTES]> {
    let address = address.to_socket_addrs()?.next().ok_or(std::io::ErrorKind::NotFound)?;
    let stream = TcpStream::connect_timeout(&address, left(until)?)?;
    greeting(&stream, &stream, until, |left| stream.set_read_timeout(Some(left)))
}

fn greeting(
    mut from: impl Read,
    mut to: impl Write,
    until: Instant,
    limit: impl Fn(Duration) -> Result<()>,
) -> Result<[u8; GREETING_BYTES]> {
    to.write_all(&FIRST)?;
    let (mut bytes, mut have) = ([0; GREETING_BYTES], 0);
    while have < GREETING_BYTES {
        limit(left(until)?)?;
        match from.read(&mut bytes[have..])? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            more => have += more,
        }
    }
    Ok(bytes)
}

fn left(until: Instant) -> Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(std::io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
