@0x9d2a40f1c3b7e685;
# The envelope as a later version may have it: messages of it come to readers of today.

using Cxx = import "/capnp/c++.capnp";
using Park = import "../../../bridge/schema/park.capnp";
$Cxx.namespace("park::bridge::newer");

struct Envelope @0xd07b7a9e4c9d2f13 {
  session @0 :Data;
  sequence @1 :UInt64;
  deadlineMs @2 :UInt32;
  union {
    hello @3 :Park.Hello;
    welcome @4 :Welcome;
    refused @5 :Park.Refused;
    ping @6 :Void;
    pong @7 :Void;
    goodbye @8 :Void;
    farewell @9 :Park.Farewell;
    failure @10 :Park.Failure;
    openStream @11 :Park.OpenStream;
    streamOpened @12 :Park.StreamOpened;
    step @13 :Park.Step;
    decisions @14 :Park.Decisions;
    closeStream @15 :Park.StreamId;
    streamClosed @16 :Park.StreamId;
    openPolicy @17 :Park.OpenPolicy;
    policyOpened @18 :Park.PolicyOpened;
    ask @19 :Park.Ask;
    answer @20 :Park.Answer;
    closePolicy @21 :Park.PolicyId;
    policyClosed @22 :Park.PolicyId;
    family @23 :Park.Family;
    novelty @24 :Text;
  }
  trace @25 :Text;
}

struct Welcome @0xb6a6ce2b7f0e1a57 {
  minor @0 :UInt16;
  session @1 :Data;
  server @2 :Text;
  window @3 :UInt32;
  leaseMs @4 :UInt32;
  mostBytes @5 :UInt64;
  mostSlots @6 :UInt32;
  heartbeatMs @7 :UInt32;
  mostPolicies @8 :UInt64;
  motto @9 :Text;
}
