use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::codec::decisions::{Decisions, Episode};
use crate::codec::frame::Frame;
use crate::codec::rows::Rows;
use crate::codec::spec::Spec;
use crate::error::{Code, Error, Result};
use crate::serve::asked_policy::AskedPolicy;
use crate::session::Key;
use crate::wire;
use crate::wire::envelope::Which;

const MOST_POLICIES: usize = 64; // of a session
const MOST_NAME: usize = 64 << 10; // bytes of the text of a policy

/// Decides. A server makes one for each client that opens it; all run in the server's thread.
pub trait Policy {
    /// Its canonical text, such as `shortest_queue`.
    fn name(&self) -> String;

    /// A context begins in a slot. A policy that draws takes all its chance from `chance`, so that
    /// the same numbers give the same answers.
    fn start(&mut self, _slot: u32, _episode: &Episode, _chance: u64) {}

    /// Fills in a row of actions, zeros at first, for each row that is asked. The values of the
    /// observation lie in the bounds of the spec. What it returns as an error goes to the client.
    fn act(&mut self, question: &Decisions, actions: &mut Rows) -> Result<()>;
}

/// Makes a policy of a text, empty for the only one, for an environment; or says why it cannot.
pub type MakePolicy = Box<dyn FnMut(&str, &Arc<Spec>) -> Result<Box<dyn Policy>>>;

#[derive(Default)]
struct Session {
    next: u32,
    policies: BTreeMap<u32, AskedPolicy>,
}

/// Answers `openPolicy`, `ask` and `closePolicy`.
pub struct PolicyService {
    make: MakePolicy,
    most_slots: u32,
    sessions: HashMap<Key, Session>,
}

impl PolicyService {
    pub fn new(make: MakePolicy, most_slots: u32) -> Self {
        PolicyService { make, most_slots, sessions: HashMap::new() }
    }

    pub fn handle(
        &mut self,
        key: &Key,
        request: &Frame,
        reply: wire::envelope::Builder,
    ) -> Result<()> {
        let message = request.message()?;
        match message.envelope()?.which()? {
            Which::OpenPolicy(open) => self.open(key, open?, reply),
            Which::Ask(ask) => {
                let ask = ask?;
                let actions = self.answer(key, ask, request)?;
                let mut answer = reply.init_answer();
                answer.set_id(ask.get_id());
                actions.write(answer.init_actions());
                Ok(())
            }
            Which::ClosePolicy(close) => {
                let id = close?.get_id();
                let policies = self.sessions.get_mut(key).map(|session| &mut session.policies);
                policies.and_then(|all| all.remove(&id)).ok_or_else(|| unknown(id))?;
                reply.init_policy_closed().set_id(id);
                Ok(())
            }
            _ => {
                let text = "this server has policies; it answers openPolicy, ask and closePolicy";
                Err(Error::new(Code::Unsupported, text))
            }
        }
    }

    pub fn ended(&mut self, key: &Key) {
        self.sessions.remove(key);
    }

    fn open(
        &mut self,
        key: &Key,
        from: wire::open_policy::Reader,
        reply: wire::envelope::Builder,
    ) -> Result<()> {
        let bytes = from.get_policy()?.len();
        if bytes > MOST_NAME {
            let text = format!("policy: {bytes} bytes, at most {MOST_NAME} are allowed");
            return Err(Error::new(Code::TooMuch, text));
        }
        let spec = Arc::new(Spec::read(from.get_spec()?)?);
        let session = self.sessions.entry(*key).or_default();
        if session.policies.len() >= MOST_POLICIES {
            let text = format!("policy: a session has at most {MOST_POLICIES}");
            return Err(Error::new(Code::TooMuch, text));
        }
        let (name, make) = (from.get_policy()?.to_str()?, &mut self.make);
        let policy = guarded(|| make(name, &spec))?;
        let policy = AskedPolicy::new(spec, policy, self.most_slots);
        let mut opened = reply.init_policy_opened();
        opened.set_id(session.next);
        opened.set_policy(policy.name());
        session.policies.insert(session.next, policy);
        session.next += 1;
        Ok(())
    }

    fn answer(&mut self, key: &Key, ask: wire::ask::Reader, frame: &Frame) -> Result<Rows> {
        let id = ask.get_id();
        let session = self.sessions.get_mut(key).ok_or_else(|| unknown(id))?;
        let policy = session.policies.get_mut(&id).ok_or_else(|| unknown(id))?;
        let answer = guarded(|| policy.answer(ask, frame));
        if matches!(&answer, Err(error) if error.code == Code::EnvironmentFailed) {
            session.policies.remove(&id); // nobody knows what a panic left behind
        }
        answer
    }
}

fn unknown(id: u32) -> Error {
    Error::new(Code::UnknownName, format!("policy: there is no number {id}"))
}

/// A panic of a policy ends that policy and no other.
fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::new(Code::EnvironmentFailed, "policy: it panicked and is closed"))
    })
}
