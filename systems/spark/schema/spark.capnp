@0xd3f0a7c25b9e6e41;
# The messages between a Spark driver and an agent that takes its scheduling decisions: the family
# `spark` of park.capnp. docs/spark.md tells their order; this file what each field means.
# Fields are only appended, as in park.capnp. Times are seconds of the driver's clock since its
# application began.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("park::spark::wire");

struct Message @0xbd7c81f4e3a05c19 {
  # The payload of a Family: one request of a driver or one reply of an agent.

  union {
    begin @0 :Begin;         # driver: an application, or one that finds its agent again
    begun @1 :Void;          # agent
    consult @2 :Consult;     # driver: slots are free and stages could use them
    decision @3 :Decision;   # agent
    finish @4 :Progress;     # driver: the application ends
    finished @5 :Void;       # agent
  }
}

struct Begin @0xe0a9640b5f3d7a82 {
  application @0 :Text;
  # Spark's id of it.

  name @1 :Text;
  # For people.

  spark @2 :Text;
  # Its version.

  progress @3 :Progress;
  # What was before this session is none of its agent's doing. All 0 where Spark's own order has
  # decided nothing so far.

  shares @4 :Bool;
  # The application has as many executors as decisions say (Decision.executors), none at first.
}

struct Progress @0x9a4c3b1de87f2065 {
  # Sums since the application began, so that a message that is lost loses nothing.

  timeS @0 :Float64;

  jobSeconds @1 :Float64;
  # The integral of the number of logical jobs in the system.

  busySeconds @2 :Float64;
  # Of slots that ran a task.

  moves @3 :UInt64;
  # How often a slot took a task of another job than before.

  fallbacks @4 :UInt64;
  # Offers that were to be decided by an agent and went by Spark's own order.

  rejected @5 :UInt64;
  # Grants that named no runnable stage or no slots.

  ended @6 :List(EndedJob);
  # Those that ended since the last message of this session that was answered in time.
}

struct EndedJob @0xc8e5d0971b42f3a6 {
  number @0 :UInt32;
  name @1 :Text;
  arrivalS @2 :Float64;
  endS @3 :Float64;
  failed @4 :Bool;
  # Cancelled, or ended by an error.

  workS @5 :Float64;
  # Of its tasks: what they ran.

  chainS @6 :Float64;
  # The longest chain of its stages with one mean task each.
}

struct Consult @0xf1d2b36a74c8e950 {
  progress @0 :Progress;
  slots @1 :UInt32;
  # Of all executors: a slot runs one task at a time. Executors that it gives back are not counted.

  idle @2 :UInt32;
  # Of them without a task.

  source @3 :UInt32;
  # Of those, what is to be handed out now.

  sourceJob @4 :Int32 = -1;
  # Element of `jobs` that all slots of the source served last; -1: there is none.

  jobs @5 :List(Job);
  # In the system, by number.

  stages @6 :List(Stage);
  # Of these jobs, all that are known so far; those of a job lie together, in the order of the jobs.
}

struct Job @0x8f3b6ad51e907cc4 {
  # A logical job: a query, or what the application tagged as one; it has one or more jobs of Spark.

  number @0 :UInt32;
  # 0, 1, 2, ... in the order in which they were first seen.

  name @1 :Text;
  # Jobs that do the same may have the same.

  arrivalS @2 :Float64;
}

struct Stage @0xa65e20f8d91b4c37 {
  id @0 :UInt32;
  # The driver's number of it, for grants; it stays when Spark submits the stage again.

  job @1 :UInt32;
  # Element of `jobs`.

  parents @2 :List(UInt32);
  # Elements of `stages`.

  tasks @3 :UInt32;
  left @4 :UInt32;
  # Not running and not done. It rises when a task fails or its output is lost.

  running @5 :UInt32;
  # Copies included.

  runnable @6 :Bool;
  # A grant could launch a task.

  done @7 :Bool;
  measured @8 :UInt32;
  # Tasks that have succeeded.

  measuredS @9 :Float64;
  # The sum of their durations.

  lastS @10 :Float64;
  # The last one's; 0 before.

  readyS @11 :Float64 = -1;
  # When Spark submitted it first; -1 before.
}

struct Decision @0xd97f4ce2680ab513 {
  grants @0 :List(Grant);
  # To be carried out in this order.

  declined @1 :Bool;
  # The agent has no answer for the slots that are left: Spark's own order is to use them.

  executors @2 :Int32 = -1;
  # So many executors the application is to have from now on; -1: the agent does not say.

  late @3 :Bool;
  # With `declined`: the policy had no answer in time. To a driver that is a miss of its agent.
}

struct Grant @0x94b1e73f50d8a62c {
  stage @0 :UInt32;
  # Its id.

  slots @1 :UInt32;
  # 1 or more.
}
