use std::sync::Arc;
use std::time::Duration;

use crate::client::connection::Connection;
use crate::client::playing::Playing;
use crate::codec::decisions::{Decisions, Episode};
use crate::codec::frame::Frame;
use crate::codec::rows::Rows;
use crate::codec::spec::Spec;
use crate::error::{Code, Error, Result};
use crate::wire;
use crate::wire::envelope::Which;

/// What becomes of an action outside its space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// The step fails before any environment moves.
    Error,
    /// The nearest legal one is taken.
    Project,
    /// The nearest legal one is taken, and the penalty is taken off the reward.
    Penalise,
}

/// Which environments to open.
#[derive(Clone, Debug)]
pub struct EnvironmentOptions {
    /// Such as `load_balance(servers=4)`; empty: the only one that the server has.
    pub env: String,
    /// Environments side by side.
    pub slots: u32,
    /// What becomes of an action outside its space.
    pub illegal: Illegal,
    /// Of `Illegal::Penalise`.
    pub penalty: f64,
}

impl EnvironmentOptions {
    /// One environment of this text; an illegal action fails.
    pub fn of(env: &str) -> Self {
        EnvironmentOptions { env: env.to_string(), slots: 1, illegal: Illegal::Error, penalty: 1.0 }
    }
}

type Numbered = Vec<(u64, Episode)>;
type Source = Box<dyn FnMut(u64) -> Option<Episode> + Send>;

/// Environments of a server, driven in batches: all rows that are asked get their actions in one
/// call. Dropping it ends the session.
pub struct Environment {
    connection: Connection,
    stream: u32,
    spec: Arc<Spec>,
    slots: u32,
    episodes: Source,
    next: Vec<u64>, // of each slot: the number of the episode to send
    coming: Numbered,
    waiting: Option<u64>,
    playing: Playing,
    untrue: Option<Error>, // what the server said that cannot be: nothing is asked after that
    decisions: Decisions,
    reply: Frame,
}

impl Environment {
    pub(crate) fn open(
        mut connection: Connection,
        options: EnvironmentOptions,
        mut episodes: Source,
    ) -> Result<Self> {
        let (slots, most) = (options.slots, connection.limits().most_slots);
        if slots < 1 || slots > most {
            let text = format!("slots: {slots}, the server allows 1 to {most}");
            return Err(Error::new(Code::TooMuch, text));
        }
        let rounds = 0..2 * u64::from(slots); // the first two of each slot
        let first: Numbered =
            rounds.filter_map(|number| Some((number, episodes(number)?))).collect();
        let reply = connection.call(|e| {
            write_open(&options, &first, e.init_open_stream());
            Ok(())
        })?;
        let (stream, spec, decisions) = read_opened(&reply, slots)?;
        let next = (0..u64::from(slots)).map(|slot| slot + 2 * u64::from(slots)).collect();
        let mut playing = Playing::new(slots, spec.system);
        for (number, episode) in first {
            playing.give((number % u64::from(slots)) as u32, episode);
        }
        let mut environment = Environment {
            connection,
            stream,
            spec,
            slots,
            episodes,
            next,
            coming: Numbered::new(),
            waiting: None,
            playing,
            untrue: None,
            decisions,
            reply,
        };
        environment.follow()?;
        Ok(environment)
    }

    /// All that there is to know of the environment.
    pub fn spec(&self) -> &Arc<Spec> {
        &self.spec
    }

    /// What is asked now, and what has ended with the last step.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// A row of zeros for each decision that is asked, to be filled.
    pub fn actions(&self) -> Rows {
        self.decisions.actions(&self.spec)
    }

    /// Sends the actions and waits for what is asked next. Where the actions are refused nothing
    /// has moved, and others may be sent. After `Late` the step may have happened: `receive` waits
    /// again.
    pub fn step(&mut self, actions: &Rows) -> Result<&Decisions> {
        self.send(actions)?;
        self.receive(self.connection.timeout())
    }

    /// Sends the actions, one row for each that was asked, in that order; `receive` gets the reply.
    pub fn send(&mut self, actions: &Rows) -> Result<()> {
        self.untrue.clone().map_or(Ok(()), Err)?;
        if self.waiting.is_some() {
            return Err(Error::new(Code::OutOfOrder, "step: the one before has no reply yet"));
        }
        if self.decisions.done {
            return Err(Error::new(Code::OutOfOrder, "step: all episodes are over"));
        }
        let (given, asked) = (actions.count(), self.decisions.asked());
        if given != asked {
            return Err(Error::malformed(format!("actions: {given} rows, {asked} are asked")));
        }
        let (stream, coming) = (self.stream, &self.coming);
        let timeout = self.connection.timeout();
        let sequence = self.connection.session().send(timeout, |e| {
            let mut step = e.init_step();
            step.set_stream(stream);
            actions.write(step.reborrow().init_actions());
            write_episodes(coming, |n| step.init_episodes(n));
            Ok(())
        })?;
        self.waiting = Some(sequence);
        Ok(())
    }

    /// Waits for the reply to the actions that were sent, at most this long.
    pub fn receive(&mut self, timeout: Duration) -> Result<&Decisions> {
        let Some(sequence) = self.waiting else {
            return Err(Error::new(Code::OutOfOrder, "receive: no step was sent"));
        };
        let session = self.connection.session();
        let deadline = session.deadline(timeout);
        let reply = match session.wait(sequence, deadline) {
            Err(error) if error.code == Code::Late => return Err(error),
            Err(error) => {
                self.waiting = None;
                return Err(error);
            }
            Ok(reply) => reply,
        };
        self.waiting = None;
        if let Err(error) = self.take(reply) {
            self.untrue = Some(error.clone());
            return Err(error);
        }
        Ok(&self.decisions)
    }

    fn take(&mut self, reply: Frame) -> Result<()> {
        self.decisions = read_decisions(&reply, &self.spec, self.slots)?;
        self.reply = reply;
        self.coming.clear();
        self.follow()
    }

    /// Checks that the decisions can be true, and fetches the episodes that are played next.
    fn follow(&mut self) -> Result<()> {
        self.playing.take(&self.decisions)?;
        self.decisions.ended.check_metrics(&self.spec)?;
        self.fetch_episodes();
        if self.decisions.done { self.playing.check_done() } else { Ok(()) }
    }

    /// The reply that `decisions` was read from, for programs that record it.
    pub fn reply(&self) -> &Frame {
        &self.reply
    }

    /// The session, for its figures.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Frees the environments and returns the connection, with which others may be opened.
    pub fn close(mut self) -> Result<Connection> {
        let stream = self.stream;
        let reply = self.connection.call(|e| {
            e.init_close_stream().set_stream(stream);
            Ok(())
        })?;
        match reply.message()?.envelope()?.which()? {
            Which::StreamClosed(_) => Ok(self.connection),
            _ => Err(Error::malformed("closeStream: another reply")),
        }
    }

    /// One more for each slot in which an episode has ended.
    fn fetch_episodes(&mut self) {
        for &slot in &self.decisions.ended.slot {
            let number = self.next[slot as usize];
            self.next[slot as usize] += u64::from(self.slots);
            if let Some(episode) = (self.episodes)(number) {
                self.coming.push((number, episode));
                self.playing.give(slot, episode);
            }
        }
    }
}

fn write_open(options: &EnvironmentOptions, first: &Numbered, mut to: wire::open_stream::Builder) {
    to.set_env(&options.env);
    to.set_slots(options.slots);
    to.set_illegal(match options.illegal {
        Illegal::Error => wire::Illegal::Error,
        Illegal::Project => wire::Illegal::Project,
        Illegal::Penalise => wire::Illegal::Penalise,
    });
    to.set_penalty(options.penalty);
    write_episodes(first, |n| to.init_episodes(n));
}

fn write_episodes<'a>(
    episodes: &Numbered,
    init: impl FnOnce(u32) -> capnp::struct_list::Builder<'a, wire::numbered_episode::Owned>,
) {
    if episodes.is_empty() {
        return;
    }
    let mut to = init(episodes.len() as u32);
    for (i, (number, episode)) in episodes.iter().enumerate() {
        let mut to = to.reborrow().get(i as u32);
        to.set_number(*number);
        episode.write(to.init_episode());
    }
}

fn read_opened(reply: &Frame, slots: u32) -> Result<(u32, Arc<Spec>, Decisions)> {
    let message = reply.message()?;
    let Which::StreamOpened(opened) = message.envelope()?.which()? else {
        return Err(Error::malformed("openStream: another reply"));
    };
    let opened = opened?;
    let spec = Arc::new(Spec::read(opened.get_spec()?)?);
    let first = Decisions::read(opened.get_first()?, reply, &spec, slots as usize)?;
    Ok((opened.get_stream(), spec, first))
}

fn read_decisions(reply: &Frame, spec: &Spec, slots: u32) -> Result<Decisions> {
    let message = reply.message()?;
    let Which::Decisions(decisions) = message.envelope()?.which()? else {
        return Err(Error::malformed("step: another reply"));
    };
    Decisions::read(decisions?, reply, spec, slots as usize)
}
