use std::sync::Arc;

use crate::codec::frame::{Frame, major_of, preamble};
use crate::toy;
use crate::wire::envelope::Which;
use crate::{Code, Decisions, Masks, Result, Rows, Spec, wire};

fn decisions_frame(decisions: &Decisions) -> Frame {
    toy::frame(|e| decisions.write(e.init_decisions()))
}

fn read(frame: &Frame, spec: &Spec) -> Result<Decisions> {
    let message = frame.message()?;
    match message.envelope()?.which()? {
        Which::Decisions(from) => Decisions::read(from?, frame, spec, 2),
        _ => panic!("another message"),
    }
}

fn read_spec(frame: &Frame) -> Result<Spec> {
    let message = frame.message()?;
    match message.envelope()?.which()? {
        Which::OpenPolicy(from) => Spec::read(from?.get_spec()?),
        _ => panic!("another message"),
    }
}

/// What is wrong with decisions after a change of the message.
fn wrong(change: impl FnOnce(wire::decisions::Builder)) -> String {
    let spec = toy::spec();
    let frame = toy::frame(|e| {
        let mut to = e.init_decisions();
        toy::decisions(&spec).write(to.reborrow());
        change(to);
    });
    let error = read(&frame, &spec).unwrap_err();
    assert!(matches!(error.code, Code::Malformed | Code::TooMuch), "{error}");
    error.text
}

#[test]
fn decisions_come_back_as_they_were_written() {
    let spec = toy::spec();
    let frame = decisions_frame(&toy::decisions(&spec));
    let back = read(&frame, &spec).unwrap();
    assert_eq!(back.slot, [1, 0]);
    assert_eq!(back.reward, [0.0, -2.5]);
    assert_eq!(back.elapsed_s, [0.0, 0.0], "an empty column is 0 in every row");
    assert_eq!(back.begun[0].horizon_s, 60.0);
    assert_eq!(back.ended.metrics, [42.0]);
    assert_eq!(back.observation.row::<f32>("item.size", 1).unwrap(), [9.0]);
    assert_eq!(decisions_frame(&back).bytes(), frame.bytes());
}

#[test]
fn a_frame_may_begin_at_any_address() {
    let spec = toy::spec();
    let frame = decisions_frame(&toy::decisions(&spec));
    for shift in 0..8 {
        let mut memory = vec![0; shift];
        memory.extend_from_slice(frame.bytes());
        let copy = Frame::copy(&memory[shift..]).unwrap();
        let back = read(&copy, &spec).unwrap();
        assert_eq!(back.observation.column::<i64>("seen").unwrap(), [1, 1 << 40]);
    }
}

#[test]
fn first_frames_tell_the_version() {
    assert_eq!(major_of(&preamble()), Some(1));
    assert_eq!(major_of(b"PKB\x07\0\0\0\0"), Some(7));
    for other in [&b"PKB\x01"[..], b"", b"PKX\x01\0\0\0\0", b"PKB\x01\0\0\0\0\0"] {
        assert_eq!(major_of(other), None);
    }
}

#[test]
fn columns_have_a_name_and_a_type() {
    let (spec, mut rows) = (toy::spec(), toy::rows(&toy::spec()));
    let error = rows.column::<f32>("item.sizes").unwrap_err();
    assert_eq!(error.code, Code::UnknownName);
    assert!(error.text.contains("\"item.sizes\"") && error.text.contains("item.kind"), "{error}");
    let error = rows.column::<i32>("item.size").unwrap_err();
    assert!(error.text.contains("is F32, not I32"), "{error}");
    assert_eq!(rows.row::<f64>("clock", 1).unwrap(), [2.5, 3.5]);
    assert_eq!(rows.row::<f32>("item.size", 0).unwrap(), [7.0, 8.0]);
    assert_eq!(rows.offsets("item").unwrap(), [0, 2, 3]);
    assert_eq!(rows.elements("kind", 1).unwrap(), 1);
    rows.row_mut::<f32>("item.size", 1).unwrap()[0] = 1.0;
    assert_eq!(rows.column::<f32>("item.size").unwrap(), [7.0, 8.0, 1.0]);
    let too_many = Rows::with_elements(&spec.observation, 1, &[vec![5], vec![0]]).unwrap_err();
    assert!(too_many.text.contains("item: 5 elements"), "{too_many}");
    assert!(Rows::with_elements(&spec.observation, 1, &[vec![1]]).is_err());
}

#[test]
fn writing_to_received_rows_leaves_the_message_as_it_is() {
    let spec = toy::spec();
    let frame = decisions_frame(&toy::decisions(&spec));
    let first = read(&frame, &spec).unwrap().observation;
    let mut second = read(&frame, &spec).unwrap().observation;
    second.column_mut::<f32>("item.size").unwrap().fill(1.0);
    assert_eq!(second.column::<f32>("item.size").unwrap(), [1.0; 3]);
    assert_eq!(first.column::<f32>("item.size").unwrap(), [7.0, 8.0, 9.0]);
}

#[test]
fn without_rows_there_need_not_be_any_column() {
    let spec = toy::spec();
    let frame = toy::frame(|e| e.init_decisions().set_done(true));
    let decisions = read(&frame, &spec).unwrap();
    assert!(decisions.done && decisions.asked() == 0 && decisions.ended.count() == 0);
    assert_eq!(decisions.observation.offsets("item").unwrap(), [0]);
    assert!(decisions.observation.column::<f32>("item.size").unwrap().is_empty());
    let rows = |counts, columns, bytes: &[u8]| {
        let frame = toy::frame(|e| {
            let mut rows = e.init_decisions().init_observation();
            rows.reborrow().init_counts(counts);
            if columns > 0 {
                rows.init_columns(columns).set(0, bytes);
            }
        });
        read(&frame, &spec).map(|decisions| decisions.asked()).map_err(|error| error.text)
    };
    for (counts, columns) in [(0, 0), (2, 0), (0, 8), (2, 8)] {
        assert_eq!(rows(counts, columns, &[]), Ok(0));
    }
    assert!(rows(1, 8, &[]).unwrap_err().starts_with("rows: 1 lists of counts"));
    assert!(rows(2, 7, &[]).unwrap_err().starts_with("rows: 7 columns"));
    assert!(rows(2, 8, &[1]).unwrap_err().contains("have bytes without rows"));
}

#[test]
fn sizes_that_do_not_fit_are_malformed() {
    let rows = |to: wire::decisions::Builder, f: fn(wire::rows::Builder)| {
        f(to.get_observation().unwrap());
    };
    for (change, text) in [
        ((|mut r| r.set_count(3)) as fn(wire::rows::Builder), "rows: 3, at most 2"),
        (|mut r| r.set_count(1), "item: 8 bytes for 1 rows"),
        (|r| r.init_counts(1).set(0, &[0; 8]), "rows: 1 lists of counts for 2 groups"),
        (|r| r.get_counts().unwrap().set(0, &[0; 7]), "item: 7 bytes for 2 rows"),
        (|r| r.get_counts().unwrap().set(0, &[255; 8]), "item: 4294967295 elements"),
        (|r| r.get_counts().unwrap().set(0, &[1, 0, 0, 0, 1, 0, 0, 0]), "item.size: 12 bytes"),
        (|r| r.init_columns(2).set(0, &[]), "rows: 2 columns for 8 leaves"),
        (|r| r.get_columns().unwrap().set(0, &[]), "clock: 0 bytes, the rows have 32"),
    ] {
        let found = wrong(|to| rows(to, change));
        assert!(found.contains(text), "{found} does not tell {text}");
    }
    for (change, text) in [
        ((|mut d| d.set_asked(1)) as fn(wire::decisions::Builder), "asked: is not the number"),
        (|mut d| d.set_ended(2), "ended: is not the number"),
        (|mut d| d.set_slot(&[0; 7]), "slot: 7 bytes for 2 rows"),
        (|mut d| d.set_sequence(&[]), "begun: 1 episodes, 2 rows"),
        (|mut d| d.set_applied(&[0, 3]), "applied: allowed are 0 to 2"),
        (|mut d| d.set_reward(&[255; 16]), "reward: is not a number"),
        (|mut d| d.set_ended_elapsed_s(&(-1.0f64).to_le_bytes()), "endedElapsedS: is not a time"),
        (|mut d| d.set_metrics(&[0; 9]), "metrics: 9 bytes"),
        (|d| d.get_begun().unwrap().get(0).set_horizon_s(0.0), "horizonS"),
    ] {
        let found = wrong(change);
        assert!(found.contains(text), "{found} does not tell {text}");
    }
}

#[test]
fn values_out_of_their_bounds_are_malformed() {
    let spec = toy::spec();
    let change = |f: fn(&mut Rows)| {
        let mut decisions = toy::decisions(&spec);
        f(&mut decisions.observation);
        read(&decisions_frame(&decisions), &spec).unwrap_err().text
    };
    let found = change(|rows| rows.column_mut::<f32>("item.size").unwrap()[1] = f32::NAN);
    assert!(found.contains("item.size: a value is outside of [0, 100]"), "{found}");
    let found = change(|rows| rows.column_mut::<i64>("seen").unwrap()[1] = -1);
    assert!(found.contains("seen"), "{found}");
    let found = change(|rows| rows.column_mut::<i32>("item.kind").unwrap()[2] = 1);
    assert!(found.contains("item.kind: row 1") && found.contains("1 elements of kind"), "{found}");
}

#[test]
fn masks_and_ranges_follow_the_heads_before() {
    let (spec, rows) = (toy::spec(), toy::rows(&toy::spec()));
    let masks = Masks::of(&spec, &rows);
    let mut actions = Rows::new(&spec.action, 2);
    let values = |head: &str, row: usize, actions: &Rows| {
        masks.choice(head, row, actions).unwrap().values().collect::<Vec<_>>()
    };
    assert_eq!(values("pick", 0, &actions), [1]);
    assert_eq!(values("pick", 1, &actions), [0]);
    assert_eq!(values("limit", 0, &actions), [1, 3], "item 0 is of kind 1");
    assert_eq!(values("amount", 0, &actions), [1, 2, 3, 4]);
    actions.row_mut::<i32>("pick", 0).unwrap()[0] = 1;
    assert_eq!(values("limit", 0, &actions), [2], "item 1 is of kind 0");
    assert_eq!(values("limit", 1, &actions), [1, 2]);
    assert_eq!(values("amount", 0, &actions), [2, 3, 4, 5]);
    actions.row_mut::<i32>("pick", 1).unwrap()[0] = 3;
    assert!(masks.choice("limit", 1, &actions).unwrap_err().text.contains("not legal"));
    assert!(masks.choice("amount", 1, &actions).unwrap_err().text.contains("not legal"));
    actions.row_mut::<i32>("pick", 1).unwrap()[0] = -1;
    assert!(masks.choice("limit", 1, &actions).is_err());
    assert!(masks.choice("share", 0, &actions).unwrap_err().text.contains("i32"));
    assert_eq!(masks.choice("none", 0, &actions).unwrap_err().code, Code::UnknownName);
}

#[test]
fn actions_outside_of_bounds_and_masks_are_illegal() {
    let (spec, rows) = (toy::spec(), toy::rows(&toy::spec()));
    let mut legal = Rows::new(&spec.action, 2);
    for (row, [pick, limit, amount]) in [[1, 2, 3], [0, 1, 0]].iter().enumerate() {
        for (head, value) in [("pick", pick), ("limit", limit), ("amount", amount)] {
            legal.row_mut::<i32>(head, row).unwrap()[0] = *value;
        }
    }
    let masks = Masks::of(&spec, &rows);
    let amounts = masks.choice("amount", 1, &legal).unwrap();
    legal.row_mut::<i32>("amount", 1).unwrap()[0] = amounts.low as i32;
    masks.check(&legal).unwrap();
    for (head, value) in [("pick", 0), ("limit", 3), ("limit", 4), ("amount", 6)] {
        let mut actions = legal.clone();
        actions.row_mut::<i32>(head, 0).unwrap()[0] = value;
        let error = masks.check(&actions).unwrap_err();
        assert_eq!(error.code, Code::IllegalAction);
        assert!(error.text.contains(head), "{error}");
    }
    legal.row_mut::<f32>("share", 1).unwrap()[0] = f32::NAN;
    assert!(masks.check(&legal).unwrap_err().text.contains("share"));
}

#[test]
fn a_spec_comes_back_as_it_was_written() {
    let spec = toy::spec();
    let frame = toy::frame(|e| spec.write(e.init_open_policy().init_spec()).unwrap());
    assert_eq!(read_spec(&frame).unwrap(), spec);
}

#[test]
fn a_spec_that_rows_cannot_have_is_malformed() {
    let change = |f: fn(&mut crate::Leaf), text: &str| {
        let mut spec = toy::spec();
        f(&mut Arc::make_mut(&mut spec.observation).leaves[1]);
        let frame = toy::frame(|e| spec.write(e.init_open_policy().init_spec()).unwrap());
        let error = read_spec(&frame).unwrap_err();
        assert!(error.text.contains("item.size") && error.text.contains(text), "{error}");
    };
    change(|leaf| leaf.shape = vec![0], "shape");
    change(|leaf| leaf.shape = vec![-4, -4], "shape");
    change(|leaf| leaf.shape = vec![1 << 40, 1 << 40], "shape");
    change(|leaf| leaf.shape = vec![1 << 62], "a row takes more than 67108864 bytes");
    change(|leaf| leaf.shape = vec![1 << 32, 1 << 32], "a row takes more than");
    change(|leaf| leaf.shape = vec![1 << 24], "a row takes more than"); // beside the other leaves
    change(|leaf| leaf.high = f64::INFINITY, "bounds");
    change(|leaf| leaf.high = -1.0, "bounds");
    change(|leaf| leaf.group = "none".to_string(), "group");
    change(|leaf| leaf.index_of = "kind".to_string(), "i32");
}

#[test]
fn the_leaf_of_an_action_that_takes_too_much_is_named() {
    let mut spec = toy::spec();
    Arc::make_mut(&mut spec.action).leaves[3].shape = vec![1 << 62];
    let frame = toy::frame(|e| spec.write(e.init_open_policy().init_spec()).unwrap());
    let error = read_spec(&frame).unwrap_err();
    assert_eq!(error.code, Code::TooMuch);
    assert!(error.text.starts_with("share: with its shape [4611686018427387904]"), "{error}");
}

#[test]
fn lists_and_texts_of_a_spec_are_bounded() {
    let change = |f: fn(&mut Spec), text: &str| {
        let mut spec = toy::spec();
        f(&mut spec);
        let frame = toy::frame(|e| spec.write(e.init_open_policy().init_spec()).unwrap());
        let error = read_spec(&frame).unwrap_err();
        assert_eq!(error.code, Code::TooMuch, "{error}");
        assert!(error.text.starts_with(text), "{error} does not tell {text}");
    };
    change(|s| s.text = "x".repeat(2 << 20), "spec: 2097");
    change(|s| s.name = "x".repeat(300), "spec: 300 bytes in a name of the environment");
    change(
        |s| Arc::make_mut(&mut s.action).leaves[3].shape = vec![1; 33],
        "spec: 33 sizes in the shape of share",
    );
    change(
        |s| Arc::make_mut(&mut s.action).leaves[3].given = vec![String::new(); 33],
        "spec: 33 names in given of share",
    );
    change(
        |s| {
            let heads = &mut Arc::make_mut(&mut s.action).leaves;
            heads.resize(257, heads[3].clone());
        },
        "spec: 257 leaves of a record, at most 256 are allowed",
    );
}

#[test]
fn actions_of_many_rows_are_bounded_before_they_take_memory() {
    let mut spec = toy::spec();
    Arc::make_mut(&mut spec.action).leaves[3].shape = vec![1 << 23]; // of 4 bytes: 32 MiB
    spec.layout_hash = spec.layout();
    let frame = toy::frame(|e| spec.write(e.init_open_policy().init_spec()).unwrap());
    read_spec(&frame).unwrap();
    let error = read(&decisions_frame(&toy::decisions(&spec)), &spec).unwrap_err();
    assert_eq!(error.code, Code::TooMuch);
    assert!(error.text.starts_with("share: with its shape [8388608] the rows take"), "{error}");
}

#[test]
fn metrics_are_found_by_their_names() {
    let mut spec = toy::spec();
    let more = crate::Metric { name: "gain".to_string(), ..spec.metrics[0].clone() };
    spec.metrics.push(more);
    let mut ended = toy::decisions(&spec).ended;
    ended.metrics = vec![1.0, 2.0, 3.0, 4.0];
    assert_eq!(spec.metric("gain").unwrap(), 1);
    assert_eq!(ended.metric(&spec, "gain").unwrap().collect::<Vec<_>>(), [2.0, 4.0]);
    assert_eq!(ended.metric(&spec, "cost").unwrap().collect::<Vec<_>>(), [1.0, 3.0]);
    let error = spec.metric("gian").unwrap_err();
    assert_eq!(error.code, Code::UnknownName);
    assert_eq!(error.text, "metric: there is no \"gian\"; there are cost, gain");
}

#[test]
fn metrics_are_numbers_except_of_an_episode_that_was_cut_off() {
    let spec = toy::spec();
    let check = |value: f64, truncated: u8| {
        let mut ended = toy::decisions(&spec).ended;
        (ended.metrics, ended.truncated) = (vec![value], vec![truncated]);
        ended.check_metrics(&spec).map_err(|error| error.text)
    };
    assert_eq!(check(5.0, 0), Ok(()));
    assert_eq!(check(f64::NAN, 1), Ok(()));
    for (value, truncated) in [(f64::NAN, 0), (f64::INFINITY, 0), (f64::NEG_INFINITY, 1)] {
        let text = check(value, truncated).unwrap_err();
        assert!(text.starts_with("metric cost: ") && text.contains("in slot 1"), "{text}");
    }
}

#[test]
fn thousands_of_groups_take_no_longer_than_they_are() {
    let mut spec = toy::spec();
    let observation = Arc::make_mut(&mut spec.observation);
    let group = |i: u32| format!("{}{i:04}", "g".repeat(40));
    observation.groups = (0..4096).map(|i| crate::Group { name: group(i), capacity: 9 }).collect();
    let leaf = observation.leaves[1].clone();
    let of =
        |i: u32| crate::Leaf { name: format!("leaf{i}"), group: group(4095 - i), ..leaf.clone() };
    observation.leaves = (0..4096).map(of).collect();
    Arc::make_mut(&mut spec.action).leaves.drain(..3); // they select from the groups before
    spec.layout_hash = spec.layout();
    let frame = toy::frame(|e| spec.write(e.init_open_policy().init_spec()).unwrap());
    let begin = std::time::Instant::now();
    assert_eq!(read_spec(&frame).unwrap().layout(), spec.layout_hash);
    let question = Decisions::question(&spec, Rows::new(&spec.observation, 1));
    let frame = toy::frame(|e| question.write(e.init_decisions()));
    let error = read(&frame, &spec).unwrap_err();
    assert!(error.text.contains("begun"), "{error}");
    assert!(begin.elapsed().as_secs() < 10, "{:?}", begin.elapsed());
}

#[test]
fn mutated_messages_do_no_harm() {
    let spec = toy::spec();
    let decisions = decisions_frame(&toy::decisions(&spec));
    let opening = toy::frame(|e| spec.write(e.init_open_policy().init_spec()).unwrap());
    let mut chance = toy::Chance(1);
    let (mut good, mut bad) = (0, 0);
    for i in 0..20_000 {
        let from = if i % 2 == 0 { &decisions } else { &opening };
        let mut bytes = from.bytes().to_vec();
        for _ in 0..=chance.below(3) {
            let at = chance.below(bytes.len() as u64) as usize;
            bytes[at] = chance.below(256) as u8;
        }
        let frame = Frame::copy(&bytes).unwrap();
        let read = || -> Result<()> {
            let message = frame.message()?;
            match message.envelope()?.which()? {
                Which::Decisions(from) => drop(Decisions::read(from?, &frame, &spec, 2)?),
                Which::OpenPolicy(from) => drop(Spec::read(from?.get_spec()?)?.layout()),
                _ => {}
            }
            Ok(())
        };
        *if read().is_ok() { &mut good } else { &mut bad } += 1;
    }
    assert!(good > 1000 && bad > 1000, "{good} good, {bad} bad");
}
