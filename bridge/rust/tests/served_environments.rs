//! Environments of a real `park serve`, whose program PARK_BINARY names.

mod kit;

use std::time::{Duration, Instant};

use kit::park::{Served, example, output};
use park_sdk::{
    Code, Connection, DType, Environment, EnvironmentOptions, Episode, Error, Illegal, Masks,
    Options, Result, Rows,
};

const SHORT: Duration = Duration::from_secs(2);

fn connect(endpoint: &str, timeout: Duration) -> Connection {
    Connection::open(endpoint, Options { timeout, ..Options::default() }).unwrap()
}

fn open(endpoint: &str, env: &str, slots: u32, illegal: Illegal, episodes: u64) -> Environment {
    let options = EnvironmentOptions { slots, illegal, ..EnvironmentOptions::of(env) };
    let episodes = move |k| (k < episodes).then(|| Episode::new(k, 1000 + k, 2000 + k));
    connect(endpoint, Duration::MAX).environment(options, episodes).unwrap()
}

/// For each head the last value that is allowed, found by the masks.
fn last_allowed(env: &Environment) -> Result<Rows> {
    let mut actions = env.actions();
    let decisions = env.decisions();
    let masks = Masks::of(env.spec(), &decisions.observation);
    for leaf in &env.spec().action.leaves {
        for row in 0..decisions.asked() {
            if leaf.dtype == DType::I32 {
                let last = masks.choice(&leaf.name, row, &actions)?.values().last();
                let last = last.ok_or_else(|| Error::new(Code::IllegalAction, "none is left"))?;
                actions.row_mut::<i32>(&leaf.name, row)?.fill(last as i32);
            } else {
                actions.row_mut::<f32>(&leaf.name, row)?.fill(leaf.high as f32);
            }
        }
    }
    Ok(actions)
}

/// The bytes of all replies, and the metrics of what ended.
fn played(mut env: Environment) -> (Vec<u8>, Vec<f64>, Vec<u64>) {
    let (mut bytes, mut metrics, mut contexts) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let decisions = env.decisions();
        let ended = &decisions.ended;
        for (values, cut_off) in
            ended.metrics.chunks(env.spec().metrics.len()).zip(&ended.truncated)
        {
            let undefined = |m: f64| *cut_off == 1 && m.is_nan();
            assert!(values.iter().all(|&m| m.is_finite() || undefined(m)), "{values:?}");
        }
        metrics.extend(&ended.metrics);
        contexts.extend(&ended.context);
        bytes.extend_from_slice(decisions.observation.record().leaves[0].name.as_bytes());
        bytes.extend(decisions.reward.iter().flat_map(|v| v.to_le_bytes()));
        bytes.extend(decisions.sequence.iter().flat_map(|v| v.to_le_bytes()));
        if decisions.done {
            break;
        }
        let actions = last_allowed(&env).unwrap();
        env.step(&actions).unwrap();
    }
    env.close().unwrap().close();
    (bytes, metrics, contexts)
}

/// A small setting of every environment, from the folders of these.
fn small_environments() -> Vec<String> {
    let folders = concat!(env!("CARGO_MANIFEST_DIR"), "/../../park/envs");
    let presets = std::fs::read_dir(folders).unwrap().filter_map(|folder| {
        std::fs::read_to_string(folder.unwrap().path().join("presets.txt")).ok()
    });
    let lines: Vec<String> =
        presets.flat_map(|text| text.lines().map(String::from).collect::<Vec<_>>()).collect();
    lines.iter().filter_map(|line| line.strip_prefix("small ")).map(String::from).collect()
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn masks_allow_what_the_server_allows_and_layouts_are_equal() {
    let served = Served::with(&[]);
    let small = small_environments();
    assert!(small.len() > 1);
    for env in &small {
        let opened = open(&served.endpoint, env, 2, Illegal::Error, 3);
        assert_eq!(opened.spec().layout(), opened.spec().layout_hash, "{env}");
        let (_, _, mut contexts) = played(opened);
        contexts.sort_unstable();
        assert_eq!(contexts, [0, 1, 2], "{env}");
    }
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn tcp_and_ipc_give_the_same_bytes() {
    let env = "dag_scheduling(executors=4,jobs=3)";
    let over = |served: Served| played(open(&served.endpoint, env, 2, Illegal::Project, 5));
    let (tcp, ipc) = (over(Served::with(&[env])), over(Served::over_ipc(&[env])));
    assert!(tcp.0.len() > 1000);
    assert_eq!(tcp, ipc);
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn an_illegal_action_moves_nothing() {
    let served = Served::with(&["load_balance(servers=3,jobs=20)"]);
    let straight = played(open(&served.endpoint, "", 1, Illegal::Error, 2));
    let mut env = open(&served.endpoint, "", 1, Illegal::Error, 2);
    let mut actions = env.actions();
    actions.column_mut::<i32>("server").unwrap()[0] = 3;
    let refused = env.step(&actions).unwrap_err();
    assert_eq!(refused.code, Code::IllegalAction);
    assert_eq!(played(env), straight);
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn what_is_wrong_is_told_in_one_line() {
    let served = Served::with(&[]);
    let fails = |env: &str| {
        let options = EnvironmentOptions::of(env);
        connect(&served.endpoint, SHORT).environment(options, |_| None).err().unwrap()
    };
    let error = fails("load_balancer");
    assert_eq!(error.code, Code::UnknownName);
    assert!(error.text.contains("load_balancer"), "{error}");
    let error = fails("load_balance(servers=0)");
    assert_eq!(error.code, Code::InvalidConfig);
    assert!(error.text.contains("servers"), "{error}");
    let error = Connection::open("udp://nowhere", Options::default()).err().unwrap();
    assert_eq!(error.code, Code::InvalidConfig);
    let mut env = open(&served.endpoint, "load_balance", 2, Illegal::Error, 2);
    let one = Rows::new(&env.spec().action, 1);
    let error = env.step(&one).err().unwrap();
    assert_eq!(error.to_string(), "malformed: actions: 1 rows, 2 are asked");
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn one_connection_opens_one_after_the_other() {
    let served = Served::with(&[]);
    let first = open(&served.endpoint, "load_balance(jobs=5)", 1, Illegal::Error, 1);
    let connection = first.close().unwrap();
    let second = EnvironmentOptions::of("load_balance(servers=2,jobs=5)");
    let second = connection.environment(second, |k| (k < 1).then(|| Episode::new(0, 1, 2)));
    assert_eq!(second.unwrap().spec().action.leaves[0].high, 1.0);
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn an_idle_session_lives_longer_than_its_lease() {
    let served = Served::with(&["load_balance(jobs=5)", "--lease", "1"]);
    let mut env = open(&served.endpoint, "", 1, Illegal::Error, 1);
    assert!(env.connection().limits().lease <= Duration::from_secs(1));
    std::thread::sleep(Duration::from_millis(2_500));
    let actions = env.actions();
    env.step(&actions).unwrap();
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn a_server_that_stops_is_late_and_one_that_goes_on_answers() {
    let served = Served::with(&["load_balance(jobs=5)"]);
    let timeout = Duration::from_millis(700);
    let connection = connect(&served.endpoint, timeout);
    let episodes = |k| (k < 1).then(|| Episode::new(0, 1, 2));
    let mut env = connection.environment(EnvironmentOptions::of(""), episodes).unwrap();
    let actions = env.actions();
    served.process.signal("STOP");
    let begin = Instant::now();
    assert_eq!(env.step(&actions).unwrap_err().code, Code::Late);
    assert!(begin.elapsed() < timeout + Duration::from_secs(2));
    assert_eq!(env.send(&actions).unwrap_err().code, Code::OutOfOrder);
    served.process.signal("CONT");
    assert_eq!(env.receive(10 * SHORT).unwrap().sequence, [1]);
    assert!(env.connection().repeated() > 0);
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn the_end_of_a_server_does_not_hang_a_client() {
    let mut served = Served::with(&["load_balance(jobs=5)"]);
    let connection = connect(&served.endpoint, SHORT);
    let episodes = |k| (k < 1).then(|| Episode::new(0, 1, 2));
    let mut env = connection.environment(EnvironmentOptions::of(""), episodes).unwrap();
    served.process.signal("INT");
    assert!(served.process.wait().success());
    let (actions, begin) = (env.actions(), Instant::now());
    let code = env.step(&actions).unwrap_err().code;
    // A farewell that nobody waits for goes with the connection.
    assert!(matches!(code, Code::ShuttingDown | Code::Late), "{code}");
    drop(env);
    assert!(begin.elapsed() < 2 * SHORT);
}

#[test]
#[ignore = "needs PARK_BINARY"]
fn the_example_drives() {
    let served = Served::with(&["load_balance"]);
    let mut drive = example("drive");
    drive.arg(&served.endpoint);
    let done = output(drive);
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(text.contains("avg_response_s "), "{text}");
    assert!(text.contains("20 episodes of load_balance"), "{text}");
}
