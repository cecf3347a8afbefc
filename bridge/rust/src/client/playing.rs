use std::collections::{HashSet, VecDeque};

use crate::codec::decisions::{Decisions, Episode};
use crate::error::{Error, Result};

/// What a slot plays.
#[derive(Debug, Default)]
struct Slot {
    coming: VecDeque<Episode>, // that the server was given and has not begun
    context: u64,
    rows: u64,  // of the context that goes on; 0: none does
    asked: u64, // the message that asked for it last
}

/// Follows what a server says that its slots play, and finds what cannot be true: slots that are not
/// there or are asked twice, rows that do not follow each other, episodes that are not those that it
/// was given. A system that runs by itself begins any of these, in contexts with numbers of its own.
#[derive(Debug)]
pub struct Playing {
    slots: Vec<Slot>,
    system: bool,
    given: HashSet<[u64; 4]>, // to a system
    left: u64,                // of a system: episodes that have not ended
    messages: u64,
}

impl Playing {
    pub fn new(slots: u32, system: bool) -> Self {
        let slots = (0..slots).map(|_| Slot::default()).collect();
        Playing { slots, system, given: HashSet::new(), left: 0, messages: 0 }
    }

    /// A slot has one more episode to play.
    pub fn give(&mut self, slot: u32, episode: Episode) {
        if self.system {
            self.given.insert(bits(&episode));
            self.left += 1;
        } else {
            self.slots[slot as usize].coming.push_back(episode);
        }
    }

    /// Takes what has ended first and then what is asked. Where it fails nothing more can be known.
    pub fn take(&mut self, decisions: &Decisions) -> Result<()> {
        self.messages += 1;
        let ended = &decisions.ended;
        if !decisions.done && decisions.asked() == 0 && ended.count() == 0 {
            let text = "asked: nothing is asked and nothing has ended, but it is not done";
            return Err(Error::malformed(text));
        }
        let mut unseen = ended.unseen.iter();
        for (i, &number) in ended.slot.iter().enumerate() {
            let (context, rows) = (ended.context[i], ended.decisions[i]);
            let slot = self.slot(number)?;
            if rows != slot.rows || (rows > 0 && context != slot.context) {
                let text = format!("endedContext: {context} is not what slot {number} plays");
                return Err(Error::malformed(text));
            }
            slot.rows = 0;
            if rows == 0 {
                self.begin(number, context, unseen.next(), "endedUnseen")?;
            }
            self.left = self.left.saturating_sub(1);
        }
        if unseen.next().is_some() {
            return Err(Error::malformed("endedUnseen: more episodes than contexts"));
        }
        self.ask(decisions)
    }

    fn ask(&mut self, decisions: &Decisions) -> Result<()> {
        let (message, mut begun) = (self.messages, decisions.begun.iter());
        for (i, &number) in decisions.slot.iter().enumerate() {
            let (context, sequence) = (decisions.context[i], decisions.sequence[i]);
            let slot = self.slot(number)?;
            if slot.asked == message {
                return Err(Error::malformed(format!("slot: {number} is asked twice")));
            }
            if sequence != slot.rows || (sequence > 0 && context != slot.context) {
                return Err(Error::malformed(format!(
                    "context: row {i} does not follow what slot {number} was asked before"
                )));
            }
            slot.asked = message;
            slot.context = context;
            slot.rows += 1;
            if sequence == 0 {
                self.begin(number, context, begun.next(), "begun")?;
            }
        }
        Ok(())
    }

    /// That nothing follows can be true only where every episode was played.
    pub fn check_done(&self) -> Result<()> {
        if self.left > 0 {
            let text = format!("done: the system has {} more episodes to play", self.left);
            return Err(Error::malformed(text));
        }
        for (number, slot) in self.slots.iter().enumerate() {
            let left = slot.coming.len() + usize::from(slot.rows > 0);
            if left > 0 {
                let text = format!("done: slot {number} has {left} more episodes to play");
                return Err(Error::malformed(text));
            }
        }
        Ok(())
    }

    /// The episode that a slot begins has to be the next one that it was given.
    fn begin(
        &mut self,
        number: u32,
        context: u64,
        told: Option<&Episode>,
        name: &str,
    ) -> Result<()> {
        let Some(told) = told else {
            return Err(Error::malformed(format!("{name}: fewer episodes than contexts")));
        };
        let slot = format!("{name}: slot {number}");
        if self.system {
            let known = self.given.contains(&bits(told));
            let unknown = || Error::malformed(format!("{slot} has {told:?}, which was not given"));
            return if known { Ok(()) } else { Err(unknown()) };
        }
        match self.slot(number)?.coming.pop_front() {
            Some(given) if given == *told && context == given.id => Ok(()),
            Some(given) => Err(Error::malformed(format!(
                "{slot} has {told:?} in context {context}, it was given {given:?}"
            ))),
            None => Err(Error::malformed(format!("{slot} has no episode left"))),
        }
    }

    fn slot(&mut self, number: u32) -> Result<&mut Slot> {
        let n = self.slots.len();
        let none = || Error::malformed(format!("slot: {number}, there are {n}"));
        self.slots.get_mut(number as usize).ok_or_else(none)
    }
}

fn bits(e: &Episode) -> [u64; 4] {
    [e.id, e.inputs, e.dynamics, e.horizon_s.to_bits()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::rows::Rows;
    use crate::toy;

    fn episode(id: u64) -> Episode {
        Episode::new(id, 10 + id, 20 + id)
    }

    /// Two slots with the episodes 0 and 2, 1 and 3, and the question that begins the first ones.
    fn begun() -> (Playing, Decisions) {
        let mut playing = Playing::new(2, false);
        for id in 0..4 {
            playing.give(id as u32 % 2, episode(id));
        }
        let spec = toy::spec();
        let mut question = Decisions::question(&spec, Rows::new(&spec.observation, 2));
        question.context = vec![0, 1];
        question.begun = vec![episode(0), episode(1)];
        (playing, question)
    }

    /// What is wrong with the first question after a change.
    fn wrong(change: impl FnOnce(&mut Decisions)) -> String {
        let (mut playing, mut question) = begun();
        change(&mut question);
        playing.take(&question).unwrap_err().text
    }

    /// The end of the episode in slot 0 after its first row, and the question that follows in both.
    fn next(question: &Decisions) -> Decisions {
        let mut next = question.clone();
        next.ended = toy::decisions(&toy::spec()).ended;
        next.ended.slot = vec![0];
        next.ended.context = vec![0];
        next.ended.decisions = vec![1];
        next.context = vec![2, 1];
        next.sequence = vec![0, 1];
        next.begun = vec![episode(2)];
        next
    }

    #[test]
    fn what_a_server_plays_is_followed() {
        let (mut playing, question) = begun();
        playing.take(&question).unwrap();
        playing.take(&next(&question)).unwrap();
        let text = playing.check_done().unwrap_err().text;
        assert_eq!(text, "done: slot 0 has 1 more episodes to play");
        let mut last = next(&question);
        last.observation = Rows::new(last.observation.record(), 0);
        (last.slot, last.context, last.sequence, last.begun) = Default::default();
        last.ended.slot = vec![0, 1, 1];
        last.ended.context = vec![2, 1, 3];
        last.ended.decisions = vec![1, 2, 0];
        last.ended.unseen = vec![episode(3)];
        playing.take(&last).unwrap();
        playing.check_done().unwrap();
    }

    #[test]
    fn what_cannot_be_true_is_named() {
        for (change, text) in [
            ((|q| q.slot = vec![0, 2]) as fn(&mut Decisions), "slot: 2, there are 2"),
            (|q| q.slot = vec![0, u32::MAX], "slot: 4294967295, there are 2"),
            (|q| (q.slot, q.sequence) = (vec![0, 0], vec![0, 1]), "slot: 0 is asked twice"),
            (|q| q.sequence = vec![0, 1], "context: row 1 does not follow what slot 1"),
            (|q| q.begun.truncate(1), "begun: fewer episodes"),
            (|q| q.begun.swap(0, 1), "begun: slot 0 has Episode { id: 1"),
            (|q| q.begun[1].dynamics = 5, "dynamics: 5"),
            (|q| q.begun[1].horizon_s = 5.0, "horizon_s: 5"),
            (|q| q.context = vec![0, 7], "in context 7, it was given Episode { id: 1"),
            (|q| q.ended.unseen.push(episode(0)), "endedUnseen: more episodes"),
        ] {
            let found = wrong(change);
            assert!(found.contains(text), "{found} does not tell {text}");
        }
        for (change, text) in [
            ((|q| q.ended.context[0] = 7) as fn(&mut Decisions), "endedContext: 7 is not"),
            (|q| q.ended.decisions[0] = 0, "endedContext: 0 is not what slot 0"),
            (|q| q.ended.slot[0] = 2, "slot: 2, there are 2"),
            (|q| q.context[1] = 7, "context: row 1 does not follow"),
            (|q| q.begun[0] = episode(0), "begun: slot 0 has Episode { id: 0"),
        ] {
            let (mut playing, question) = begun();
            playing.take(&question).unwrap();
            let mut next = next(&question);
            change(&mut next);
            let found = playing.take(&next).unwrap_err().text;
            assert!(found.contains(text), "{found} does not tell {text}");
        }
    }

    #[test]
    fn a_server_that_ends_early_has_episodes_left() {
        let (playing, _) = begun();
        let text = playing.check_done().unwrap_err().text;
        assert_eq!(text, "done: slot 0 has 2 more episodes to play");
    }

    #[test]
    fn a_system_begins_what_it_was_given_in_any_order() {
        let (_, mut question) = begun();
        let mut playing = Playing::new(2, true);
        playing.give(0, episode(0));
        playing.give(1, episode(1));
        question.begun.swap(0, 1);
        playing.take(&question).unwrap();
        let text = playing.check_done().unwrap_err().text;
        assert_eq!(text, "done: the system has 2 more episodes to play");
        let text = playing.take(&next(&question)).unwrap_err().text;
        assert!(text.contains("id: 2") && text.contains("which was not given"), "{text}");
    }

    #[test]
    fn a_message_that_tells_nothing_is_malformed() {
        let text = wrong(|question| {
            question.observation = Rows::new(question.observation.record(), 0);
            (question.slot, question.begun) = Default::default();
        });
        assert!(text.starts_with("asked: nothing is asked"), "{text}");
    }
}
