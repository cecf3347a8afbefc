@0x8bcdd37d4a6bfd2c;
# The messages of the bridge. docs/protocol.md tells their framing, their order and what either side
# may rely on; this file tells what each field means.
#
# Evolution: fields are only appended. Their type, default and ordinal never change, and a field that
# is no longer used keeps its place under the name obsoleteX. A reader that meets a member of a union
# or an enumerant that it does not know answers `failure` with `unsupported`.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("park::bridge::wire");

struct Envelope @0xba8c0335ddb73500 {
  # The second frame of every message: one request of a client or one reply of a server.

  session @0 :Data;
  # 16 bytes that Welcome gave; empty in Hello, Welcome and Refused.

  sequence @1 :UInt64;
  # Number of the request within its session: 1, 2, ... A reply has the number of its request. A
  # request that is repeated under its number gets the same reply and has no second effect. Hello and
  # its replies have 0, so has farewell; ping and pong have any number.

  deadlineMs @2 :UInt32;
  # In a request: how long from its arrival on it is of use. A server that comes to it later does not
  # do it and answers failure with late. 0: whenever.

  union {
    hello @3 :Hello;            # client: begins
    welcome @4 :Welcome;        # server: the session is open
    refused @5 :Refused;        # server: there is none
    ping @6 :Void;              # client: keeps the lease
    pong @7 :Void;              # server
    goodbye @8 :Void;           # client: ends the session; the server frees what is its own
    farewell @9 :Farewell;      # server: ... has done so, or ends
    failure @10 :Failure;       # server: the request had no effect

    openStream @11 :OpenStream;    # client: environments, to be driven by it
    streamOpened @12 :StreamOpened;
    step @13 :Step;                # client: actions for what the stream asked last
    decisions @14 :Decisions;      # server: what it asks now
    closeStream @15 :StreamId;     # client
    streamClosed @16 :StreamId;    # server

    openPolicy @17 :OpenPolicy;    # client: a policy that is to answer it
    policyOpened @18 :PolicyOpened;
    ask @19 :Ask;                  # client: a question to the policy
    answer @20 :Answer;            # server
    closePolicy @21 :PolicyId;     # client
    policyClosed @22 :PolicyId;    # server

    family @23 :Family;            # both: messages of a domain, such as those of a Spark driver

    askScores @24 :AskScores;      # client: what a policy thinks of the values of a head; minor 1
    scores @25 :Scores;            # server
  }
}

# ---- Session ----------------------------------------------------------------------------------

struct Hello @0xefbebb4e1a503f8c {
  # The major version is in the preamble of the first frame.

  leastMinor @0 :UInt16;
  mostMinor @1 :UInt16;
  # Minor versions that the client speaks.

  client @2 :Text;
  # Its name, version and language, for people: "park_sdk 0.1.0 (Python 3.11)".

  token @3 :Data;
  # What the server's endpoint file holds, where the server asks for it; else empty.

  nonce @4 :Data;
  # 16 random bytes of the client: a Hello that comes again under the same ones opens no second
  # session.
}

struct Welcome @0x9b4c002976b5fb05 {
  minor @0 :UInt16;
  # The version that the session speaks.

  session @1 :Data;
  # 16 random bytes: the session's name and the right to use it.

  server @2 :Text;
  # Name and version, for people.

  window @3 :UInt32;
  # The most requests of the session without a reply.

  leaseMs @4 :UInt32;
  # A session that is silent for longer is over, and what it owns is freed.

  mostBytes @5 :UInt64;
  # The largest message in either direction, all frames together.

  mostSlots @6 :UInt32;
  # The most environments, or contexts of policies, of the session at once.

  heartbeatMs @7 :UInt32;
  # How often an idle client should ping.

  mostSessionMib @8 :UInt32;
  # The most memory of the session in MiB: its environments, its requests in progress and its kept
  # replies. 0: the server does not tell.

  mostServerMib @9 :UInt16;
  # The most memory of all sessions together in MiB. 65535: as much or more. 0: the server does not
  # tell.
}

struct Refused @0xf15d46a69d1d242d {
  code @0 :Code;
  text @1 :Text;
  # One line that says which side has to change.
}

struct Farewell @0x8e686a0f692ca84e {
  reason @0 :Text;
}

struct Failure @0xc316ade1aace7711 {
  code @0 :Code;
  text @1 :Text;
  # One line per thing that is wrong; each names the field and what is allowed.
}

enum Code @0x9671d748130f128f {
  internal @0;         # a defect of the server
  malformed @1;        # not a message of this schema, or a field out of its range
  unsupported @2;      # a version, message or option that the server does not know
  noSession @3;        # the session is over or never was
  notAllowed @4;       # the token or key is missing or wrong, or the server offers something else alone
  outOfOrder @5;       # a sequence number or a message that cannot come here
  tooMuch @6;          # beyond a limit of Welcome
  unknownName @7;      # no such environment, policy, stream or family
  invalidConfig @8;    # a field of a text is wrong
  illegalAction @9;    # an action outside its space
  late @10;            # the request's deadline passed before it was begun
  shuttingDown @11;    # the server ends
  environmentFailed @12;  # the environment threw; its stream is closed
}

# ---- Spaces and rows --------------------------------------------------------------------------

enum DType @0xb958503c48e6b522 { u8 @0; i32 @1; i64 @2; f32 @3; f64 @4; }

struct Leaf @0xbd591464d5f243ae {
  # One named array of a record.

  name @0 :Text;
  dtype @1 :DType;
  shape @2 :List(Int64);
  # Of a row; of one element where there is a group.

  low @3 :Float64;
  high @4 :Float64;
  # Inclusive bounds, finite.

  unit @5 :Text;
  doc @6 :Text;
  group @7 :Text;
  # The group of its record that it belongs to; empty: one per row.

  indexOf @8 :Text;
  # Of an action: its values select an element of this group of the observation, from 0.

  given @9 :List(Text);
  # Of an action whose mask depends on an earlier one: that head, then the index leaves of the
  # observation to follow from its value.
}

struct Group @0xea373ba010eda3a1 {
  name @0 :Text;
  capacity @1 :Int64;
  # The most elements in a row.
}

struct Record @0x8d1741028fa02bf1 {
  leaves @0 :List(Leaf);
  groups @1 :List(Group);
}

struct Metric @0x9d5fa1101244d5d5 {
  name @0 :Text;
  unit @1 :Text;
  lowerIsBetter @2 :Bool;
  doc @3 :Text;
}

struct Spec @0xa166777cf451f88d {
  # All that a client has to know of an environment; sent once.

  name @0 :Text;
  summary @1 :Text;
  reference @2 :Text;
  version @3 :UInt32;
  # Rises when results change.

  layoutHash @4 :UInt64;
  # Equal for environments that the same policy plays (docs/protocol.md tells how it is computed).

  observation @5 :Record;
  action @6 :Record;
  metrics @7 :List(Metric);
  system @8 :Bool;
  replayable @9 :Bool;
  twin @10 :Text;
  text @11 :Text;
  # The canonical text of the environment.
}

struct Rows @0xb135ea9b42667124 {
  # n rows of a record, as columns. Numbers are little-endian without padding between them.

  count @0 :UInt32;
  # n

  counts @1 :List(Data);
  # For each group, in the record's order: UInt32 [n], the elements of each row.

  columns @2 :List(Data);
  # For each leaf, in the record's order: [n, shape] values, row after row; with a group the elements
  # of all rows one after the other, [sum of counts, shape].
}

# ---- Environments, driven by the client -------------------------------------------------------

struct Episode @0xc68030772ebdbb46 {
  id @0 :UInt64;
  inputs @1 :UInt64;
  # Seeds the exogenous process: arrivals, sizes, traces.

  dynamics @2 :UInt64;
  # Seeds all other chance.

  horizonS @3 :Float64 = inf;
  # The episode is truncated there.
}

enum Illegal @0x83ee887455e8fc0a {
  # What becomes of an action outside its space.
  error @0;      # the request fails before any environment moves
  project @1;    # the nearest legal one is taken
  penalise @2;   # ... and a penalty is taken off the reward
}

struct OpenStream @0xabb6d5835844d6ca {
  env @0 :Text;
  # Such as load_balance(servers=4); empty: the only one that the server has.

  slots @1 :UInt32 = 1;
  # Environments side by side.

  episodes @2 :List(NumberedEpisode);
  # The first ones. Slot s plays the episodes s, s + slots, s + 2 slots, ...

  illegal @3 :Illegal;
  penalty @4 :Float64 = 1;
}

struct NumberedEpisode @0x89be0acb30808e0f {
  number @0 :UInt64;
  episode @1 :Episode;
}

struct StreamOpened @0xe77a1ddb250699e3 {
  stream @0 :UInt32;
  spec @1 :Spec;
  first @2 :Decisions;
  # What the stream asks first; the answer is a step.
}

struct StreamId @0xc76d495fbdf9d86c {
  stream @0 :UInt32;
}

struct Step @0xd97a4fbc77656e44 {
  stream @0 :UInt32;
  actions @1 :Rows;
  # A row for each one asked, in that order.

  episodes @2 :List(NumberedEpisode);
  # Those that slots will play next. An episode has to be there when the one before it in its slot
  # ends: a slot whose next episode is not there has no more.
}

struct Decisions @0xceb719569708bf03 {
  # What is asked, and what has ended. A column that is empty is zero in every row.

  stream @0 :UInt32;
  asked @1 :UInt32;
  # n: rows of the observation.

  observation @2 :Rows;
  slot @3 :Data;       # UInt32 [n]
  context @4 :Data;    # UInt64 [n]
  sequence @5 :Data;   # UInt64 [n]: rows that were delivered of the context before; 0 begins it
  reward @6 :Data;     # Float64 [n]: since the context's row before
  elapsedS @7 :Data;   # Float64 [n]
  applied @8 :Data;    # UInt8 [n]: who took the decision before: 0 policy, 1 projected, 2 fallback
  skipped @9 :Data;    # UInt32 [n]: questions that nobody saw since the row before
  begun @10 :List(Episode);
  # The episodes of the rows with sequence 0, in their order.

  ended @11 :UInt32;
  # m

  finalObservation @12 :Rows;
  endedSlot @13 :Data;      # UInt32 [m]
  endedContext @14 :Data;   # UInt64 [m]
  endedDecisions @15 :Data; # UInt64 [m]: of the whole episode
  endedEvents @16 :Data;    # UInt64 [m]: simulated events of the whole episode
  endedReward @17 :Data;    # Float64 [m]: since the context's last row
  endedElapsedS @18 :Data;  # Float64 [m]
  endedApplied @19 :Data;   # UInt8 [m]
  endedSkipped @20 :Data;   # UInt32 [m]
  truncated @21 :Data;      # UInt8 [m]: 1 cut off at its horizon, 0 terminated
  metrics @22 :Data;        # Float64 [m, metrics of the spec]
  done @23 :Bool;           # nothing will follow
  endedUnseen @24 :List(Episode);
  # The episodes of those with no decision (endedDecisions 0), in their order.
}

# ---- Policies, asked by the client ------------------------------------------------------------

struct OpenPolicy @0x89827a3f56df847a {
  policy @0 :Text;
  # Empty: the only one that the server has.

  spec @1 :Spec;
  # What it is to decide on.
}

struct PolicyOpened @0x84098d950e5e2527 {
  id @0 :UInt32;
  policy @1 :Text;
  # Its canonical text.
}

struct PolicyId @0xf34c7fcff60f1c48 {
  id @0 :UInt32;
}

struct Ask @0xdc1cb15362aa6907 {
  id @0 :UInt32;
  question @1 :Decisions;
  # Its stream is 0. Contexts that ended are told with the next question.

  chance @2 :Data;
  # UInt64 [begun]: seeds the choices of a policy that draws, for each context that begins.
}

struct Answer @0x84eb1fdef756b0ac {
  id @0 :UInt32;
  actions @1 :Rows;
}

struct AskScores @0xe2c5d1a0b7f34d19 {
  # Changes no state of the policy.

  id @0 :UInt32;
  observation @1 :Rows;
  head @2 :UInt16;
  # A discrete leaf of the action: its place in the spec's order.

  actions @3 :Rows;
  # A row for each one of the observation. The leaves before the head hold legal choices.
}

struct Scores @0xb94d61f20c8e7a35 {
  id @0 :UInt32;
  given @1 :Bool;
  # False: the policy has no scores for this head, and there are none here.

  scores @2 :Data;
  # Float32: row after row, for each legal value in ascending order the logarithm of its probability,
  # but for a constant of the row. -inf: it is never taken.
}

# ---- Domains ------------------------------------------------------------------------------------

struct Family @0xa8b0ac33fa83b7a8 {
  name @0 :Text;
  # Of the family, such as spark.

  payload @1 :Data;
  # A message of the family's own schema, as a flat array of one segment table and its segments.
}
