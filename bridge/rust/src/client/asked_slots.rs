use std::collections::HashMap;

use crate::codec::decisions::{Decisions, Ended, Episode};
use crate::error::{Code, Error, Result};

const BY_FALLBACK: u8 = 2; // in the column `applied`

/// What the server knows of a slot, and what it missed.
#[derive(Debug, Default)]
struct Slot {
    open: bool, // on the server
    context: u64,
    rows: u64, // of the context, that the server has
    fallback: bool,
    missed: u32,
    missed_reward: f64,
    missed_s: f64,
    episode: Option<Episode>, // of the context
}

/// Follows what a served policy has seen, slot by slot. A question that could not be sent is none
/// for the policy: the rows that it gets are numbered without gaps, and what it missed comes with
/// the next one.
#[derive(Debug, Default)]
pub struct AskedSlots(HashMap<u32, Slot>);

impl AskedSlots {
    /// A question as the server has to get it, and the chance of each context that begins.
    pub fn to_send(&self, question: &Decisions, seed: u64) -> Result<(Decisions, Vec<u64>)> {
        let mut sent = question.clone();
        sent.begun.clear();
        let mut begun = question.begun.iter();
        let fresh = Slot::default();
        for i in 0..question.asked() {
            let slot = self.0.get(&question.slot[i]).unwrap_or(&fresh);
            if question.sequence[i] == 0 {
                sent.begun.extend(begun.next());
                continue;
            }
            if slot.context != question.context[i] || (slot.rows == 0 && slot.episode.is_none()) {
                let context = question.context[i];
                let text = format!("context: {context} did not begin with this policy");
                return Err(Error::new(Code::OutOfOrder, text));
            }
            sent.sequence[i] = slot.rows;
            if slot.rows == 0 {
                sent.begun.extend(slot.episode);
            }
            sent.skipped[i] = sent.skipped[i].saturating_add(slot.missed);
            sent.reward[i] += slot.missed_reward;
            sent.elapsed_s[i] += slot.missed_s;
            if slot.fallback {
                sent.applied[i] = BY_FALLBACK;
            }
        }
        if !self.add_ended(&mut sent) {
            sent.ended = Ended::none(question.ended.observation.record());
        }
        let begins = (0..sent.asked()).filter(|&i| sent.sequence[i] == 0);
        let chance = begins.map(|i| mix(seed ^ mix(sent.context[i]))).collect();
        Ok((sent, chance))
    }

    /// Numbers what has ended as the server counts. False where it missed such a context: then it
    /// is told of no end, and learns from the next beginning in the slot.
    fn add_ended(&self, sent: &mut Decisions) -> bool {
        let fresh = Slot::default();
        let ended = &mut sent.ended;
        for i in 0..ended.count() {
            let slot = self.0.get(&ended.slot[i]).unwrap_or(&fresh);
            let seen = ended.decisions[i] > 0;
            let known = slot.context == ended.context[i] && slot.rows > 0;
            if seen != slot.open || (seen && !known) {
                return false;
            }
            if !seen {
                continue;
            }
            ended.decisions[i] = slot.rows;
            ended.skipped[i] = ended.skipped[i].saturating_add(slot.missed);
            ended.reward[i] += slot.missed_reward;
            ended.elapsed_s[i] += slot.missed_s;
            if slot.fallback {
                ended.applied[i] = BY_FALLBACK;
            }
        }
        true
    }

    /// The server has the question.
    pub fn sent(&mut self, question: &Decisions) {
        let mut told = question.clone();
        if self.add_ended(&mut told) {
            for slot in &question.ended.slot {
                self.0.remove(slot);
            }
        }
        let mut begun = question.begun.iter();
        for i in 0..question.asked() {
            let context = question.context[i];
            let slot = self.0.entry(question.slot[i]).or_default();
            let (rows, episode) = match question.sequence[i] {
                0 => (1, begun.next().copied()),
                _ => (slot.rows + 1, slot.episode),
            };
            *slot = Slot { open: true, context, rows, episode, ..Slot::default() };
        }
    }

    /// A question of the past, of these slots and contexts, had no effect after all: the contexts
    /// that go on begin anew for the policy.
    pub fn lost(&mut self, asked: &[(u32, u64)]) {
        for (slot, context) in asked {
            if let Some(slot) = self.0.get_mut(slot).filter(|slot| slot.context == *context) {
                slot.rows = 0;
            }
        }
    }

    /// The server does not have the question.
    pub fn missed(&mut self, question: &Decisions) {
        let mut begun = question.begun.iter();
        for i in 0..question.asked() {
            let slot = self.0.entry(question.slot[i]).or_default();
            let context = question.context[i];
            if question.sequence[i] == 0 {
                let episode = begun.next().copied();
                *slot = Slot { open: slot.open, context, episode, ..Slot::default() };
            } else if slot.context != context {
                continue; // it did not begin here either
            }
            slot.missed = slot.missed.saturating_add(1 + question.skipped[i]);
            slot.missed_reward += question.reward[i];
            slot.missed_s += question.elapsed_s[i];
        }
    }

    /// Who took the decisions of a question, for the next one to tell.
    pub fn decided(&mut self, question: &Decisions, by_fallback: bool) {
        for number in &question.slot {
            if let Some(slot) = self.0.get_mut(number) {
                slot.fallback = by_fallback;
            }
        }
    }
}

/// The finaliser of SplitMix64: every bit of the result depends on every bit of the number.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::codec::frame::Frame;
    use crate::codec::rows::Rows;
    use crate::serve::asked_policy::AskedPolicy;
    use crate::toy;
    use crate::wire::envelope::Which;
    use crate::{Policy, Spec};

    type Seen = Arc<Mutex<Vec<Decisions>>>;

    /// A policy that notes what it is asked.
    struct Noting(Seen);

    impl Policy for Noting {
        fn name(&self) -> String {
            "noting".to_string()
        }

        fn act(&mut self, question: &Decisions, _: &mut Rows) -> Result<()> {
            self.0.lock().unwrap().push(question.clone());
            Ok(())
        }
    }

    struct Pair {
        spec: Arc<Spec>,
        slots: AskedSlots,
        policy: AskedPolicy,
        seen: Seen,
    }

    impl Pair {
        fn new() -> Self {
            let (spec, seen) = (Arc::new(toy::spec()), Seen::default());
            let policy = AskedPolicy::new(spec.clone(), Box::new(Noting(seen.clone())), 8);
            Pair { spec, slots: AskedSlots::default(), policy, seen }
        }

        fn deliver(&mut self, question: &Decisions) {
            let (sent, chance) = self.slots.to_send(question, 1).unwrap();
            let frame: Frame = toy::frame(|e| {
                let mut ask = e.init_ask();
                sent.write(ask.reborrow().init_question());
                ask.set_chance(bytemuck::cast_slice(&chance));
            });
            let message = frame.message().unwrap();
            let Ok(Which::Ask(ask)) = message.envelope().unwrap().which() else { panic!("no ask") };
            self.policy.answer(ask.unwrap(), &frame).unwrap();
            self.slots.sent(question);
        }

        /// One row of slot 0.
        fn row(&self, context: u64, sequence: u64, reward: f64) -> Decisions {
            let rows = Rows::new(&self.spec.observation, 1);
            let mut question = Decisions::question(&self.spec, rows);
            question.context[0] = context;
            question.sequence[0] = sequence;
            question.reward[0] = reward;
            question.elapsed_s[0] = 1.0;
            if sequence == 0 {
                question.begun.push(Episode::new(context, 0, 0));
            }
            question
        }

        /// The end of a context in slot 0, with the next question.
        fn end(&self, question: &mut Decisions, context: u64, decisions: u64) {
            let ended = &mut question.ended;
            *ended = toy::decisions(&self.spec).ended;
            ended.slot[0] = 0;
            ended.context[0] = context;
            ended.decisions[0] = decisions;
        }
    }

    #[test]
    fn what_was_missed_comes_with_the_next_question() {
        let mut pair = Pair::new();
        let questions: Vec<Decisions> = (0..4).map(|i| pair.row(5, i, i as f64)).collect();
        pair.deliver(&questions[0]);
        pair.slots.decided(&questions[0], false);
        for question in &questions[1..3] {
            pair.slots.missed(question);
            pair.slots.decided(question, true);
        }
        pair.deliver(&questions[3]);
        let seen = pair.seen.lock().unwrap();
        assert_eq!(seen[1].sequence, [1], "numbered without gaps");
        assert_eq!(seen[1].skipped, [2]);
        assert_eq!(seen[1].reward, [6.0]);
        assert_eq!(seen[1].elapsed_s, [3.0]);
        assert_eq!(seen[1].applied, [BY_FALLBACK]);
    }

    #[test]
    fn a_context_whose_beginning_was_missed_begins_later() {
        let mut pair = Pair::new();
        pair.slots.missed(&pair.row(5, 0, 0.0));
        pair.deliver(&pair.row(5, 1, 0.0));
        let seen = pair.seen.lock().unwrap();
        assert_eq!(seen[0].sequence, [0]);
        assert_eq!(seen[0].begun[0].id, 5);
    }

    #[test]
    fn a_context_whose_question_was_lost_begins_anew() {
        let mut pair = Pair::new();
        pair.deliver(&pair.row(5, 0, 0.0));
        pair.slots.sent(&pair.row(5, 1, 0.0));
        pair.slots.lost(&[(0, 4), (0, 5), (7, 5)]);
        pair.deliver(&pair.row(5, 2, 0.0));
        let mut next = pair.row(6, 0, 0.0);
        pair.end(&mut next, 5, 3);
        pair.deliver(&next);
        let seen = pair.seen.lock().unwrap();
        assert_eq!((seen[1].sequence[0], seen[1].begun[0].id), (0, 5));
        assert_eq!((seen[2].sequence[0], seen[2].ended.decisions[0]), (0, 1));
    }

    #[test]
    fn a_context_that_began_elsewhere_is_refused() {
        let pair = Pair::new();
        let error = pair.slots.to_send(&pair.row(5, 3, 0.0), 1).unwrap_err();
        assert_eq!(error.code, Code::OutOfOrder);
    }

    #[test]
    fn whatever_is_missed_the_policy_gets_what_it_accepts() {
        for seed in 0..50 {
            let (mut pair, mut chance) = (Pair::new(), toy::Chance(seed));
            for context in 0..40 {
                let rows = chance.below(4);
                for sequence in 0..rows.max(1) {
                    let mut question = pair.row(context, sequence, 1.0);
                    if sequence == 0 && context > 0 && chance.below(2) == 0 {
                        pair.end(&mut question, context - 1, 1 + chance.below(3));
                    }
                    if chance.below(3) == 0 {
                        pair.slots.missed(&question);
                    } else {
                        pair.deliver(&question);
                    }
                    pair.slots.decided(&question, chance.below(2) == 0);
                }
            }
            assert!(pair.seen.lock().unwrap().len() > 20);
        }
    }
}
