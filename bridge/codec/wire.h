#pragma once

// Cap'n Proto and the messages of the schema; includes of them go through here.
#include "bridge/codec/kj_equal.h"
// After it:
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/schema.h>
#include <capnp/serialize.h>

#include "bridge/schema/park.capnp.h"
