use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::error::{Code, Error, Result};

const LONGEST_PATH: usize = 107; // of a Unix socket
const OWNER_ONLY: u32 = 0o700;
const OTHERS: u32 = 0o077;

/// An endpoint that only this machine can reach, and over ipc only this user. A file beside an ipc
/// socket is locked, since two servers could bind the same path without an error.
pub struct BoundEndpoint {
    _lock: Option<File>,
}

impl BoundEndpoint {
    /// Checks and guards an endpoint that is about to be bound.
    pub fn guard(endpoint: &str) -> Result<Self> {
        if let Some(path) = endpoint.strip_prefix("ipc://").filter(|path| !path.is_empty()) {
            return Ok(BoundEndpoint { _lock: Some(lock(path)?) });
        }
        let address = endpoint.strip_prefix("tcp://").and_then(|a| a.rsplit_once(':'));
        let Some((host, _)) = address.filter(|(_, port)| !port.is_empty()) else {
            let text = format!(
                "endpoint: \"{endpoint}\" is none; allowed are ipc://PATH and tcp://127.0.0.1:PORT"
            );
            return Err(Error::new(Code::InvalidConfig, text));
        };
        if !is_loopback(host) {
            let text = format!(
                "endpoint: {endpoint} can be reached from other machines; allowed are ipc://PATH \
                 and tcp://127.0.0.1:PORT"
            );
            return Err(Error::new(Code::NotAllowed, text));
        }
        Ok(BoundEndpoint { _lock: None })
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn lock(path: &str) -> Result<File> {
    if path.len() > LONGEST_PATH {
        let text = format!("endpoint: the path has {} bytes, at most 107 are allowed", path.len());
        return Err(Error::new(Code::InvalidConfig, text));
    }
    let absolute = std::path::absolute(path).map_err(|error| unusable(path, &error))?;
    close_to_others(absolute.parent().unwrap_or(Path::new("/")))?;
    let open = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(format!("{path}.lock"));
    let file = open.map_err(|error| unusable(path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let text = format!("endpoint: another server is at {path}");
            return Err(Error::new(Code::NotAllowed, text));
        }
        Err(TryLockError::Error(error)) => return Err(unusable(path, &error)),
    }
    match std::fs::remove_file(path) {
        // Left by a server that was killed.
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(unusable(path, &error)),
        _ => Ok(file),
    }
}

/// Makes a folder that only its owner can enter, or checks that it is one.
fn close_to_others(folder: &Path) -> Result<()> {
    let name = folder.display();
    let Ok(info) = std::fs::metadata(folder) else {
        return DirBuilder::new()
            .mode(OWNER_ONLY)
            .create(folder)
            .map_err(|error| unusable(&name.to_string(), &error));
    };
    if !info.is_dir() || info.permissions().mode() & OTHERS != 0 {
        let text = format!(
            "endpoint: {name} is open to other users; choose a folder of mode 0700, or one that is \
             not there yet"
        );
        return Err(Error::new(Code::NotAllowed, text));
    }
    Ok(())
}

fn unusable(path: &str, error: &std::io::Error) -> Error {
    Error::new(Code::InvalidConfig, format!("endpoint: {path} cannot be used: {error}"))
}
