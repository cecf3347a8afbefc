#pragma once

#include <string>

namespace park::test {

/// A file for the depot (depot.h) that has everything a file can have. Tests speak of its lines.
inline std::string sample_tree(const std::string& layout) {
  return "# Written by hand.\n"  // 1
         "park-tree 1\n"         // 2
         "env depot layout " +
         layout +
         "\n"                                           // 3
         "teacher somebody who knows  # and says so\n"  // 4
         "\n"                                           // 5
         "feature slack = owner.weight / share.min\n"   // 6
         "\n"                                           // 7
         "head parcel\n"                                // 8
         "  rule \"say \\\"small\\\" first # not a comment\": parcel.size = 1 and depot.free > 2\n"  // 9
         "  # The owner comes first.\n"                     // 10
         "  level owners\n"                                 // 11
         "      if owner.since_s#rank <= 0.5\n"             // 12
         "        if slack <= 21.4: 0.61 (912 of 8120)\n"   // 13
         "        else: 0.17 (2103 of 9000)\n"              // 14
         "      else: 0.03  # hardly ever\n"                // 15
         "  level parcels\n"                                // 16
         "      ties parcel.size down, owner.weight up\n"   // 17
         "      tree\n"                                     // 18
         "        if parcel.size#rank_in_owners <= 5: 1\n"  // 19
         "        else: 0.5\n"                              // 20
         "      tree: 0.5\n"                                // 21
         "\n"                                               // 22
         "# Half of the rest.\n"                            // 23
         "head share\n"                                     // 24
         "  rule \"few\": depot.free < 3: 2\n"              // 25
         "  value\n"                                        // 26
         "    if owner.weight <= 2: 3 (10)\n"               // 27
         "    else: 6.6 (20)\n"                             // 28
         "head desk\n"                                      // 29
         "  level values: 1\n";                             // 30
}

}  // namespace park::test
