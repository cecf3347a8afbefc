use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::client::asked_slots::AskedSlots;
use crate::client::connection::Connection;
use crate::codec::decisions::Decisions;
use crate::codec::frame::Frame;
use crate::codec::masks::Masks;
use crate::codec::rows::Rows;
use crate::codec::spec::Spec;
use crate::error::{Error, Result};
use crate::wire::envelope::Which;

/// Who decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Actor {
    /// The policy of the server.
    Policy,
    /// The fall-back of the caller, and why.
    Fallback(Error),
}

/// What was decided, and by whom.
#[derive(Clone, Debug)]
pub struct Decided {
    /// A row for each that was asked.
    pub actions: Rows,
    /// Who took the decision.
    pub by: Actor,
}

/// A policy of a server, asked with a deadline and a fall-back. Dropping it ends the session.
pub struct RemotePolicy {
    connection: Connection,
    id: u32,
    name: String,
    spec: Arc<Spec>,
    slots: AskedSlots,
    given_up: HashMap<u64, Vec<(u32, u64)>>, // slots and contexts of questions, by their numbers
    seed: u64,
}

impl RemotePolicy {
    pub(crate) fn open(mut connection: Connection, name: &str, spec: &Arc<Spec>) -> Result<Self> {
        let reply = connection.call(|e| {
            let mut open = e.init_open_policy();
            open.set_policy(name);
            spec.write(open.init_spec())
        })?;
        let (id, name) = {
            let message = reply.message()?;
            let Which::PolicyOpened(opened) = message.envelope()?.which()? else {
                return Err(Error::malformed("openPolicy: another reply"));
            };
            let opened = opened?;
            (opened.get_id(), opened.get_policy()?.to_string()?)
        };
        let (spec, slots, given_up) = (spec.clone(), AskedSlots::default(), HashMap::new());
        Ok(RemotePolicy { connection, id, name, spec, slots, given_up, seed: 0 })
    }

    /// The canonical text of the policy.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Answers that came after their question was given up; they were dropped.
    pub fn late(&self) -> u64 {
        self.connection.late()
    }

    /// Where a policy that draws takes its chance from: the same seed gives the same answers.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// The session, for its figures.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Asks for the actions of a question and waits at most this long. Where no answer comes in
    /// time, an action of it is illegal (none is projected), or something else is wrong, `fallback`
    /// fills in all rows, zeros at first, and the reason is told.
    /// The policy learns from the next question who acted.
    pub fn ask(
        &mut self,
        question: &Decisions,
        timeout: Duration,
        fallback: impl FnOnce(&Decisions, &mut Rows),
    ) -> Decided {
        let decided = match self.answer(question, timeout) {
            Ok(actions) => Decided { actions, by: Actor::Policy },
            Err(reason) => {
                let mut actions = question.actions(&self.spec);
                fallback(question, &mut actions);
                Decided { actions, by: Actor::Fallback(reason) }
            }
        };
        self.slots.decided(question, decided.by != Actor::Policy);
        decided
    }

    fn answer(&mut self, question: &Decisions, timeout: Duration) -> Result<Rows> {
        question.check_lengths()?;
        let deadline = self.connection.session().deadline(timeout);
        let sent = self.send(question, timeout);
        if sent.is_err() {
            self.slots.missed(question);
        }
        let (sequence, session) = (sent?, self.connection.session());
        let reply = session.wait(sequence, deadline);
        if reply.is_ok() {
            self.slots.sent(question);
        } else if session.abandon(sequence) {
            self.slots.sent(question); // until something else is known
            let asked = question.slot.iter().copied().zip(question.context.iter().copied());
            self.given_up.insert(sequence, asked.collect());
        } else {
            self.slots.missed(question);
        }
        self.read(&reply?, question)
    }

    fn send(&mut self, question: &Decisions, timeout: Duration) -> Result<u64> {
        self.connection.session().poll()?; // late answers make room
        for (sequence, had_effect) in self.connection.session().given_up() {
            let asked = self.given_up.remove(&sequence).unwrap_or_default();
            if !had_effect {
                self.slots.lost(&asked);
            }
        }
        let (id, (sent, chance)) = (self.id, self.slots.to_send(question, self.seed)?);
        self.connection.session().send(timeout, |e| {
            let mut ask = e.init_ask();
            ask.set_id(id);
            sent.write(ask.reborrow().init_question());
            ask.set_chance(bytemuck::cast_slice(&chance));
            Ok(())
        })
    }

    fn read(&self, reply: &Frame, question: &Decisions) -> Result<Rows> {
        let message = reply.message()?;
        let Which::Answer(answer) = message.envelope()?.which()? else {
            return Err(Error::malformed("ask: another reply"));
        };
        let asked = question.asked();
        let rows = Rows::read(answer?.get_actions()?, reply, &self.spec.action, asked)?;
        if rows.count() != asked {
            let n = rows.count();
            return Err(Error::malformed(format!("answer: {n} rows, {asked} were asked")));
        }
        Masks::of(&self.spec, &question.observation).check(&rows)?;
        Ok(rows)
    }

    /// Frees the policy and returns the connection, with which another may be opened.
    pub fn close(mut self) -> Result<Connection> {
        let id = self.id;
        let reply = self.connection.call(|e| {
            e.init_close_policy().set_id(id);
            Ok(())
        })?;
        match reply.message()?.envelope()?.which()? {
            Which::PolicyClosed(_) => Ok(self.connection),
            _ => Err(Error::malformed("closePolicy: another reply")),
        }
    }
}
