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
    begun: Option<Episode>, // of a context whose first row the server missed
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
            if slot.context != question.context[i] || (slot.rows == 0 && slot.begun.is_none()) {
                let context = question.context[i];
                let text = format!("context: {context} did not begin with this policy");
                return Err(Error::new(Code::OutOfOrder, text));
            }
            sent.sequence[i] = slot.rows;
            sent.begun.extend(slot.begun);
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
        for i in 0..question.asked() {
            let context = question.context[i];
            let slot = self.0.entry(question.slot[i]).or_default();
            let rows = if question.sequence[i] == 0 { 1 } else { slot.rows + 1 };
            *slot = Slot { open: true, context, rows, ..Slot::default() };
        }
    }

    /// The server does not have the question.
    pub fn missed(&mut self, question: &Decisions) {
        let mut begun = question.begun.iter();
        for i in 0..question.asked() {
            let slot = self.0.entry(question.slot[i]).or_default();
            let context = question.context[i];
            if question.sequence[i] == 0 {
                let begun = begun.next().copied();
                *slot = Slot { open: slot.open, context, begun, ..Slot::default() };
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
