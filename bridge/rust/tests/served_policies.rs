//! Policies on both sides: a Rust policy behind a Rust server, a policy of `park serve`, and
//! `park run` with a Rust policy. What needs the program is told by PARK_BINARY.

mod kit;

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kit::Folder;
use kit::park::{Ended, Served, example, output, park};
use park_sdk::{
    Actor, Code, Connection, DType, Decisions, EnvironmentOptions, Episode, Error, Leaf, Options,
    Policy, Record, RemotePolicy, Result, Rows, Server, ServerOptions, Spec,
};

const SOON: Duration = Duration::from_secs(10);

/// What is on when a policy decides: it is slow, it fails, it panics, it answers nonsense.
#[derive(Default)]
struct Mood {
    pause_ms: u64,
    fails: bool,
    panics: bool,
    illegal: bool,
    seen: Vec<Decisions>,
    begun: Vec<(u32, u64, u64)>, // slot, id of the episode, chance
}

struct Moody(Arc<Mutex<Mood>>);

impl Policy for Moody {
    fn name(&self) -> String {
        "moody".to_string()
    }

    fn start(&mut self, slot: u32, episode: &Episode, chance: u64) {
        self.0.lock().unwrap().begun.push((slot, episode.id, chance));
    }

    fn act(&mut self, question: &Decisions, actions: &mut Rows) -> Result<()> {
        let pause = {
            let mut mood = self.0.lock().unwrap();
            mood.seen.push(question.clone());
            if mood.fails {
                return Err(Error::new(Code::Internal, "mood: it fails"));
            }
            Duration::from_millis(mood.pause_ms)
        };
        std::thread::sleep(pause);
        let mood = self.0.lock().unwrap();
        assert!(!mood.panics, "as the test wants it");
        actions.column_mut::<i32>("choice")?.fill(if mood.illegal { 4 } else { 1 });
        Ok(())
    }
}

/// A server in a thread, which ends with the test.
struct Serving {
    endpoint: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<()>>>,
    mood: Arc<Mutex<Mood>>,
}

impl Serving {
    fn at(endpoint: &str, options: ServerOptions) -> Self {
        Serving::start(endpoint, options, None)
    }

    fn start(endpoint: &str, options: ServerOptions, file: Option<String>) -> Self {
        let (mood, stop) = (Arc::new(Mutex::new(Mood::default())), Arc::default());
        let (told, tell) = std::sync::mpsc::channel();
        let (endpoint, its_mood) = (endpoint.to_string(), mood.clone());
        let its_stop: Arc<AtomicBool> = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let make = move |name: &str, _: &Arc<Spec>| -> Result<Box<dyn Policy>> {
                if name.is_empty() || name == "moody" {
                    return Ok(Box::new(Moody(its_mood.clone())));
                }
                Err(Error::new(Code::UnknownName, format!("policy: \"{name}\" is unknown")))
            };
            let mut server = Server::bind(&endpoint, options, make)?;
            if let Some(file) = file {
                server.write_endpoint_file(&file)?;
            }
            told.send(server.endpoint().to_string()).unwrap();
            server.run(&its_stop)
        });
        let endpoint = tell.recv_timeout(SOON).unwrap();
        Serving { endpoint, stop, thread: Some(thread), mood }
    }

    fn new() -> Self {
        Serving::at("tcp://127.0.0.1:*", ServerOptions::default())
    }

    fn policy(&self) -> RemotePolicy {
        connect(&self.endpoint, b"").unwrap().policy("", &spec()).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            eprintln!("the server panicked: {panic:?}");
        }
    }
}

fn connect(endpoint: &str, token: &[u8]) -> Result<Connection> {
    let token = token.to_vec();
    Connection::open(endpoint, Options { timeout: SOON, token, ..Options::default() })
}

fn leaf(name: &str, dtype: DType, high: f64) -> Leaf {
    Leaf {
        name: name.to_string(),
        dtype,
        shape: Vec::new(),
        low: 0.0,
        high,
        unit: "1".to_string(),
        doc: "for tests".to_string(),
        group: String::new(),
        index_of: String::new(),
        given: Vec::new(),
    }
}

fn spec() -> Arc<Spec> {
    let record = |leaf| Arc::new(Record { leaves: vec![leaf], groups: Vec::new() });
    let mut spec = Spec {
        name: "toy".to_string(),
        summary: "A toy.".to_string(),
        reference: "none".to_string(),
        version: 1,
        layout_hash: 0,
        observation: record(leaf("load", DType::F32, 9.0)),
        action: record(leaf("choice", DType::I32, 3.0)),
        metrics: Vec::new(),
        system: true,
        replayable: false,
        twin: String::new(),
        text: String::new(),
    };
    spec.layout_hash = spec.layout();
    Arc::new(spec)
}

/// Row `sequence` of context 5 in slot 0.
fn question(sequence: u64) -> Decisions {
    let spec = spec();
    let mut question = Decisions::question(&spec, Rows::new(&spec.observation, 1));
    question.context = vec![5];
    question.sequence = vec![sequence];
    if sequence == 0 {
        question.begun.push(Episode::new(50, 1, 2));
    }
    question
}

fn three(_: &Decisions, actions: &mut Rows) {
    actions.column_mut::<i32>("choice").unwrap().fill(3);
}

fn choice(actions: &Rows) -> i32 {
    actions.column::<i32>("choice").unwrap()[0]
}

#[test]
fn a_policy_answers_in_time_or_the_fallback_does() {
    let serving = Serving::new();
    let mut policy = serving.policy();
    assert_eq!(policy.name(), "moody");
    let decided = policy.ask(&question(0), SOON, three);
    assert_eq!((choice(&decided.actions), &decided.by), (1, &Actor::Policy));
    serving.mood.lock().unwrap().pause_ms = 1000;
    let begin = Instant::now();
    let decided = policy.ask(&question(1), Duration::from_millis(300), three);
    assert!(begin.elapsed() < Duration::from_millis(900));
    assert_eq!(choice(&decided.actions), 3);
    let Actor::Fallback(reason) = decided.by else { panic!("it was late") };
    assert_eq!(reason.code, Code::Late);
    serving.mood.lock().unwrap().pause_ms = 0;
    let decided = policy.ask(&question(2), SOON, three);
    assert_eq!(decided.by, Actor::Policy);
    assert_eq!(policy.late(), 1);
    let mood = serving.mood.lock().unwrap();
    let applied: Vec<u8> = mood.seen.iter().map(|seen| seen.applied[0]).collect();
    assert_eq!(applied, [0, 0, 2], "it learns who acted");
    assert_eq!(mood.begun.len(), 1);
    assert_eq!((mood.begun[0].0, mood.begun[0].1), (0, 50));
}

#[test]
fn a_full_window_falls_back_and_what_has_waited_too_long_is_not_asked() {
    let limits = park_sdk::session::Limits { window: 2, ..Default::default() };
    let options = ServerOptions { limits, ..ServerOptions::default() };
    let serving = Serving::at("tcp://127.0.0.1:*", options);
    let mut policy = serving.policy();
    serving.mood.lock().unwrap().pause_ms = 1000;
    let reasons: Vec<Code> = [300, 5, 5, 5]
        .iter()
        .zip(0..)
        .map(|(&ms, sequence)| {
            match policy.ask(&question(sequence), Duration::from_millis(ms), three).by {
                Actor::Fallback(reason) => reason.code,
                Actor::Policy => panic!("it cannot answer in time"),
            }
        })
        .collect();
    assert_eq!(reasons, [Code::Late, Code::Late, Code::TooMuch, Code::TooMuch]);
    serving.mood.lock().unwrap().pause_ms = 0;
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(policy.ask(&question(4), SOON, three).by, Actor::Policy);
    assert_eq!(policy.late(), 1, "the second question had no answer");
    let mood = serving.mood.lock().unwrap();
    let seen: Vec<(u64, u32)> = mood.seen.iter().map(|s| (s.sequence[0], s.skipped[0])).collect();
    assert_eq!(seen, [(0, 0), (0, 2)], "the context begins anew");
}

#[test]
fn an_illegal_answer_is_not_taken_and_the_policy_is_told() {
    let serving = Serving::new();
    let mut policy = serving.policy();
    serving.mood.lock().unwrap().illegal = true;
    let decided = policy.ask(&question(0), SOON, three);
    assert_eq!(choice(&decided.actions), 3);
    let Actor::Fallback(reason) = decided.by else { panic!("4 is not allowed") };
    assert_eq!(reason.code, Code::IllegalAction);
    serving.mood.lock().unwrap().illegal = false;
    assert_eq!(policy.ask(&question(1), SOON, three).by, Actor::Policy);
    let mood = serving.mood.lock().unwrap();
    assert_eq!((mood.seen[1].sequence[0], mood.seen[1].applied[0]), (1, 2));
}

#[test]
fn what_a_policy_says_or_breaks_stays_in_its_session() {
    let serving = Serving::new();
    let (mut broken, mut other) = (serving.policy(), serving.policy());
    serving.mood.lock().unwrap().fails = true;
    let decided = broken.ask(&question(0), SOON, three);
    let failed = Error::new(Code::Internal, "mood: it fails");
    assert_eq!(decided.by, Actor::Fallback(failed));
    serving.mood.lock().unwrap().fails = false;
    assert_eq!(broken.ask(&question(1), SOON, three).by, Actor::Policy, "it had no effect");
    serving.mood.lock().unwrap().panics = true;
    let Actor::Fallback(reason) = broken.ask(&question(2), SOON, three).by else { panic!() };
    assert_eq!(reason.code, Code::EnvironmentFailed);
    serving.mood.clear_poison();
    serving.mood.lock().unwrap().panics = false;
    assert_eq!(other.ask(&question(0), SOON, three).by, Actor::Policy);
}

#[test]
fn the_end_of_a_server_is_a_reason_to_fall_back() {
    let serving = Serving::new();
    let mut policy = serving.policy();
    assert_eq!(policy.ask(&question(0), SOON, three).by, Actor::Policy);
    drop(serving);
    let wait = Duration::from_millis(300);
    let Actor::Fallback(reason) = policy.ask(&question(1), wait, three).by else { panic!() };
    // A farewell that nobody waits for goes with the connection.
    assert!(matches!(reason.code, Code::ShuttingDown | Code::Late), "{reason}");
}

#[test]
fn tokens_names_and_specs_are_checked() {
    let options = ServerOptions { token: b"secret".to_vec(), ..ServerOptions::default() };
    let serving = Serving::at("tcp://127.0.0.1:*", options);
    let refused = connect(&serving.endpoint, b"guess").err().unwrap();
    assert_eq!(refused.code, Code::NotAllowed);
    let connection = connect(&serving.endpoint, b"secret").unwrap();
    let unknown = connection.policy("cheerful", &spec()).err().unwrap();
    assert_eq!(unknown.to_string(), "unknownName: policy: \"cheerful\" is unknown");
    let connection = connect(&serving.endpoint, b"secret").unwrap();
    let long = connection.policy(&"x".repeat((64 << 10) + 1), &spec()).err().unwrap();
    assert_eq!(long.to_string(), "tooMuch: policy: 65537 bytes, at most 65536 are allowed");
    let connection = connect(&serving.endpoint, b"secret").unwrap();
    let other = Arc::new(Spec { layout_hash: 1, ..(*spec()).clone() });
    assert!(connection.policy("", &other).err().unwrap().text.contains("layoutHash"));
    let connection = connect(&serving.endpoint, b"secret").unwrap();
    let options = EnvironmentOptions::of("load_balance");
    let no_envs = connection.environment(options, |_| None).err().unwrap();
    assert_eq!(no_envs.code, Code::Unsupported);
}

#[test]
fn an_endpoint_file_stands_for_the_endpoint_and_the_token() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let file = folder.0.join("endpoint.json").display().to_string();
    let options = ServerOptions { token: vec![0, 255, 7], ..ServerOptions::default() };
    let serving = Serving::start("tcp://127.0.0.1:*", options, Some(file.clone()));
    assert_eq!(connect(&serving.endpoint, b"").err().unwrap().code, Code::NotAllowed);
    connect(&file, b"").unwrap();
    let mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
    let wrong = |text: &str, says: &str| {
        std::fs::write(&file, text).unwrap();
        let error = connect(&file, b"").err().unwrap();
        assert!(error.text.contains(says), "{error}");
    };
    mode(0o644);
    assert_eq!(connect(&file, b"").err().unwrap().code, Code::NotAllowed);
    mode(0o600);
    wrong("{", "is no park.endpoint file");
    wrong("{\"schema\":\"park.keys\",\"version\":1}", "version 1");
    let begin = "{\"schema\":\"park.endpoint\",\"version\":1";
    wrong(&format!("{begin}}}"), "has no endpoint");
    wrong(&format!("{begin},\"endpoint\":\"x\",\"token\":\"0g\"}}"), "hex digits");
    wrong(&format!("{begin},\"endpoint\":\"x\",\"server_key\":\"k\"}}"), "CURVE");
    wrong(&format!("{begin},\"endpoint\":\"x://y\"}}"), "\"x://y\" is none");
    let missing = connect("no/such/file", b"").err().unwrap();
    assert!(missing.text.contains("endpoint file"), "{missing}");
}

#[test]
fn a_server_binds_what_only_its_user_can_reach() {
    let bind = |endpoint: &str| {
        let make = |_: &str, _: &Arc<Spec>| Err(Error::new(Code::UnknownName, "none"));
        Server::bind(endpoint, ServerOptions::default(), make)
    };
    for endpoint in ["tcp://0.0.0.0:0", "tcp://*:0", "tcp://192.0.2.1:5555", "tcp://example.org:1"]
    {
        assert_eq!(bind(endpoint).err().unwrap().code, Code::NotAllowed, "{endpoint}");
    }
    for endpoint in ["", "tcp://", "tcp://127.0.0.1", "ipc://", "inproc://x", "127.0.0.1:5555"] {
        assert_eq!(bind(endpoint).err().unwrap().code, Code::InvalidConfig, "{endpoint}");
    }
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let endpoint = format!("ipc://{}/socket", folder.0.display());
    let open = |mode| std::fs::set_permissions(&folder.0, PermissionsExt::from_mode(mode)).unwrap();
    open(0o755);
    let refused = bind(&endpoint).err().unwrap();
    assert!(refused.text.contains("open to other users"), "{refused}");
    open(0o700);
    let first = bind(&endpoint).unwrap();
    let second = bind(&endpoint).err().unwrap();
    assert!(second.text.contains("another server"), "{second}");
    drop(first);
    // A process that another test starts has the lock, too, until it runs its program.
    let begin = Instant::now();
    while let Err(error) = bind(&endpoint) {
        assert!(begin.elapsed() < SOON, "{error}");
        std::thread::sleep(Duration::from_millis(1));
    }
    let made = format!("ipc://{}/new/socket", folder.0.display());
    bind(&made).unwrap();
    let mode = std::fs::metadata(folder.0.join("new")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

/// The figures of `shortest_queue` and of a policy elsewhere, as `park run` prints them.
fn figures(policies: &str) -> Vec<String> {
    let mut run = park();
    run.args(["run", "load_balance(jobs=100)", "--policy", policies, "--episodes", "5"]);
    run.args(["--json", "--quiet"]);
    let done = output(run);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).unwrap();
    let figures = text.split("\"per_episode\"").skip(1);
    figures.map(|rest| rest.split('}').next().unwrap().to_string()).collect()
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn a_rust_policy_gives_the_same_figures_to_park_run() {
    let folder = Folder::new();
    for endpoint in ["tcp://127.0.0.1:*", &format!("ipc://{}/socket", folder.0.display())] {
        let mut serve = example("serve_policy");
        serve.arg(endpoint).stdout(Stdio::piped()).stdin(Stdio::null());
        let mut process = Ended(serve.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(process.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let endpoint = line.strip_prefix("ready ").unwrap().trim();
        let found = figures(&format!("shortest_queue,remote(endpoint=\"{endpoint}\")"));
        assert_eq!(found.len(), 2);
        assert!(found[0].len() > 50, "{}", found[0]);
        assert_eq!(found[0], found[1]);
        process.signal("TERM");
        assert!(process.wait().success());
    }
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn a_policy_of_park_decides_for_an_environment_driven_from_rust() {
    let policies = Served::with(&["--policy", "shortest_queue"]);
    let environments = Served::with(&["load_balance(jobs=30)"]);
    let options = EnvironmentOptions { slots: 3, ..EnvironmentOptions::of("") };
    let episodes = |k| (k < 7).then(|| Episode::new(k, k, k));
    let connection = connect(&environments.endpoint, b"").unwrap();
    let mut env = connection.environment(options, episodes).unwrap();
    let connection = connect(&policies.endpoint, b"").unwrap();
    let mut policy = connection.policy("shortest_queue", env.spec()).unwrap();
    let (mut ended, mut asked) = (0, 0);
    while !env.decisions().done {
        let decisions = env.decisions();
        let decided = policy.ask(decisions, SOON, |_, _| panic!("no fall-back is needed"));
        for row in 0..decisions.asked() {
            let jobs = decisions.observation.row::<f32>("server.jobs", row).unwrap();
            let server = decided.actions.row::<i32>("server", row).unwrap()[0] as usize;
            assert!(jobs.iter().all(|&other| jobs[server] <= other));
            asked += 1;
        }
        env.step(&decided.actions).unwrap();
        ended += env.decisions().ended.count();
    }
    assert_eq!((ended, asked), (7, 7 * 30));
    policy.close().unwrap().close();
}
