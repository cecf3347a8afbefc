use std::collections::HashMap;
use std::sync::Arc;

use crate::codec::decisions::Decisions;
use crate::codec::frame::Frame;
use crate::codec::rows::{Rows, numbers};
use crate::codec::spec::Spec;
use crate::error::{Code, Error, Result};
use crate::serve::policy_service::Policy;
use crate::wire;

/// What a client said of a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    open: bool,
    context: u64,
    sequence: u64,
}

/// A policy of a session, and what it was asked last.
pub struct AskedPolicy {
    spec: Arc<Spec>,
    policy: Box<dyn Policy>,
    slots: HashMap<u32, Slot>,
    most_slots: u32,
}

impl AskedPolicy {
    pub fn new(spec: Arc<Spec>, policy: Box<dyn Policy>, most_slots: u32) -> Self {
        AskedPolicy { spec, policy, slots: HashMap::new(), most_slots }
    }

    pub fn name(&self) -> String {
        self.policy.name()
    }

    /// The actions for a question. Where it fails the slots are as before.
    pub fn answer(&mut self, from: wire::ask::Reader, frame: &Frame) -> Result<Rows> {
        let most = self.most_slots as usize;
        let question = Decisions::read(from.get_question()?, frame, &self.spec, most)?;
        let chance: Vec<u64> = numbers(from.get_chance()?, question.begun.len(), "chance")?;
        let slots = self.follow(&question)?;
        let begins = (0..question.asked()).filter(|&i| question.sequence[i] == 0);
        for ((i, episode), chance) in begins.zip(&question.begun).zip(chance) {
            self.policy.start(question.slot[i], episode, chance);
        }
        let mut actions = question.actions(&self.spec);
        if question.asked() > 0 {
            self.policy.act(&question, &mut actions)?;
        }
        if actions.count() != question.asked() || actions.record() != &self.spec.action {
            return Err(Error::new(Code::Internal, "policy: its actions are not those asked for"));
        }
        self.slots.extend(slots);
        Ok(actions)
    }

    /// What the slots of a question are after it. Fails where it does not follow the one before.
    fn follow(&self, question: &Decisions) -> Result<HashMap<u32, Slot>> {
        let mut after = HashMap::new();
        let ended = &question.ended;
        for (i, &number) in ended.slot.iter().enumerate() {
            let slot = self.slot(number)?;
            let seen = ended.decisions[i] > 0;
            let follows = slot.context == ended.context[i]
                && slot.sequence.checked_add(1) == Some(ended.decisions[i]);
            if seen != slot.open || (seen && !follows) {
                let text = format!("endedContext: row {i} is not the context of slot {number}");
                return Err(Error::malformed(text));
            }
            after.insert(number, Slot::default());
        }
        let mut asked = HashMap::new();
        for (i, &number) in question.slot.iter().enumerate() {
            let slot = after.get(&number).copied().map_or_else(|| self.slot(number), Ok)?;
            let (context, sequence) = (question.context[i], question.sequence[i]);
            let follows = slot.open
                && slot.context == context
                && slot.sequence.checked_add(1) == Some(sequence);
            if sequence != 0 && !follows {
                let text =
                    format!("context: row {i} does not follow what slot {number} had before");
                return Err(Error::malformed(text));
            }
            if asked.insert(number, Slot { open: true, context, sequence }).is_some() {
                return Err(Error::malformed(format!("slot: {number} is asked twice")));
            }
        }
        after.extend(asked);
        Ok(after)
    }

    fn slot(&self, number: u32) -> Result<Slot> {
        if number >= self.most_slots {
            let text = format!("slot: {number}, there are {}", self.most_slots);
            return Err(Error::new(Code::TooMuch, text));
        }
        Ok(self.slots.get(&number).copied().unwrap_or_default())
    }
}
