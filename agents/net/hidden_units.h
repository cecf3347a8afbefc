#pragma once

#include "park/core/config.h"

namespace park::agents {

/// The fields `hidden1` and `hidden2` of a network's configuration, for its `fields`.
template <class Self, class Visit>
void visit_hidden_units(Self& self, Visit& visit) {
  visit("hidden1", self.hidden1,
        FieldDoc{.doc = "units of the first hidden layer", .min = 1, .max = 4096});
  visit("hidden2", self.hidden2, FieldDoc{.doc = "units of the second one", .min = 1, .max = 4096});
}

}  // namespace park::agents
