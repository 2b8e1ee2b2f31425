// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "slipway/base/ids.hpp"
#include "slipway/base/seam.hpp"
#include "slipway/rpc/transport.hpp"

namespace slipway::local {

// One large frame under way.
struct Transfer {
  RankId from;
  RankId to;
  TransferId id = 0;
  LargeFrame large;
  std::vector<wire::SegmentInfo> infos;

  // Where the copy stands; only the thread with the receiver's turn.
  std::vector<MutableSegment> destinations;
  std::size_t segment = 0;
  std::uint64_t offset = 0;

  // Under the table's lock.
  bool claimed = false;  // the receiver reads the sender's bytes just now
  bool over = false;     // finished meanwhile: whoever ends the claim hands the frame back
};

// The large frames on the way to one rank. Any thread.
//
// Either side may end a transfer at any moment (refused, all copied, peer lost), while the receiver may be reading the
// sender's bytes; the claim keeps them until the reading is over.
class TransferTable {
 public:
  TransferId add(RankId from, RankId to, LargeFrame large);

  // Null when it is over.
  std::shared_ptr<Transfer> claim(TransferId id);
  // True: it ended meanwhile, and the caller hands the frame back.
  [[nodiscard]] bool end_claim(Transfer& transfer);

  // False when it is over.
  bool set_destinations(TransferId id, std::vector<MutableSegment> destinations);

  // Ends the transfer. Not null: the caller hands the frame back.
  [[nodiscard]] std::shared_ptr<Transfer> end(TransferId id);
  // The same for all that come from this rank.
  [[nodiscard]] std::vector<std::shared_ptr<Transfer>> end_all_from(RankId from);

 private:
  static bool end_locked(Transfer& transfer);

  seam::SpinLock lock_;
  TransferId next_ = 1;
  std::unordered_map<TransferId, std::shared_ptr<Transfer>> transfers_;
};

}  // namespace slipway::local
