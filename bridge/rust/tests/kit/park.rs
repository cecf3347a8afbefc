//! The program `park` as a server or a client, in a process of its own.

#![allow(dead_code)] // each test program uses a part

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::Folder;

const PATIENCE: Duration = Duration::from_secs(60);

/// The program, told by an environment variable.
pub fn park() -> Command {
    Command::new(std::env::var("PARK_BINARY").expect("PARK_BINARY has to be the program park"))
}

/// What a program printed, after it ended in time.
pub fn output(mut command: Command) -> Output {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = Ended(child.unwrap());
    let mut out = child.0.stdout.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut all = Vec::new();
        out.read_to_end(&mut all).map(|_| all)
    });
    let status = child.wait();
    let mut stderr = Vec::new();
    child.0.stderr.take().unwrap().read_to_end(&mut stderr).unwrap();
    Output { status, stdout: reading.join().unwrap().unwrap(), stderr }
}

/// A process that does not outlive the test.
pub struct Ended(pub Child);

impl Ended {
    pub fn wait(&mut self) -> std::process::ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn signal(&self, name: &str) {
        let kill = Command::new("kill").args(["-s", name, &self.0.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `park serve` with some arguments.
pub struct Served {
    pub process: Ended,
    pub endpoint: String,
    pub folder: Folder,
}

impl Served {
    /// On a free port.
    pub fn with(arguments: &[&str]) -> Self {
        Served::at("tcp://127.0.0.1:*", arguments)
    }

    /// In a folder of its own.
    pub fn over_ipc(arguments: &[&str]) -> Self {
        let folder = Folder::new();
        let endpoint = format!("ipc://{}/socket", folder.0.display());
        Served::start(&endpoint, arguments, folder)
    }

    pub fn at(endpoint: &str, arguments: &[&str]) -> Self {
        Served::start(endpoint, arguments, Folder::new())
    }

    fn start(endpoint: &str, arguments: &[&str], folder: Folder) -> Self {
        let file = folder.0.join("endpoint.json");
        let mut command = park();
        command.arg("serve").args(arguments).args(["--endpoint", endpoint, "--quiet"]);
        command.arg("--endpoint-file").arg(&file).stdin(Stdio::null()).stdout(Stdio::null());
        let process = Ended(command.spawn().unwrap());
        let endpoint = told(&file);
        Served { process, endpoint, folder }
    }
}

/// The endpoint in a file that a server writes when it is there.
fn told(file: &Path) -> String {
    let begin = Instant::now();
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some((_, rest)) = text.split_once("\"endpoint\"") {
            return rest.split('"').nth(1).unwrap().to_string();
        }
        assert!(begin.elapsed() < PATIENCE, "no server begins");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// An example of this crate, which cargo builds for the tests.
pub fn example(name: &str) -> Command {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    Command::new(path.join("examples").join(name))
}
