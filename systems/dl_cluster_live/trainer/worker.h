#pragma once

#include "systems/dl_cluster_live/messages.h"

namespace park::dl_cluster_live {

/// One message to the supervisor. One of progress is dropped where the socket is full.
void tell(const Report&);
/// The monotonic clock of the machine.
[[nodiscard]] double monotonic_s();

/// Trains as the task `rank` of an order, until the run is finished or SIGTERM has asked it to
/// stop. The first ranks are workers, those behind them servers. REQUIRES a process that was forked
/// for it, in which nothing has computed yet. Returns the exit status: 0, or 1 with the reason on
/// stderr.
[[nodiscard]] int work(const Order&, std::int32_t rank);

/// SIGTERM is a request to stop from now on.
void stop_on_term();

}  // namespace park::dl_cluster_live
