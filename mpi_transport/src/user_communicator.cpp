// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include "user_communicator.hpp"

#include "checked_mpi.hpp"
#include "slipway/mpi/mpi_transport.hpp"

namespace slipway::detail {

namespace {

class Group {
 public:
  explicit Group(MPI_Comm communicator) { check(MPI_Comm_group(communicator, &group_)); }
  Group(const Group& all, const std::vector<int>& ranks) {
    check(MPI_Group_incl(all.group_, mpi_count(ranks.size()), ranks.data(), &group_));
  }
  ~Group() { MPI_Group_free(&group_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_ = MPI_GROUP_NULL;
};

void free_communicator(const std::any* communicator) {
  auto mine = std::any_cast<MPI_Comm>(*communicator);
  delete communicator;
  if (MpiEnvironment::healthy()) MPI_Comm_free(&mine);  // else it could hang
}

}  // namespace

std::shared_ptr<const std::any> make_user_communicator(MPI_Comm parent, int first_tag, const std::vector<RankId>& ranks,
                                                       std::uint64_t name) {
  std::vector<int> members;
  for (const RankId rank : ranks) members.push_back(static_cast<int>(rank.value()));
  const Group all(parent);
  const Group group(all, members);
  constexpr int largest_tag = 32'767;  // that every MPI has
  const auto tags = static_cast<std::uint64_t>(largest_tag - first_tag + 1);
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_create_group(parent, group.get(), first_tag + static_cast<int>(name % tags), &made));
  std::shared_ptr<const std::any> owned(new const std::any(made), &free_communicator);
  check(MPI_Comm_set_errhandler(made, MPI_ERRORS_ARE_FATAL));  // user code looks at no codes; that of `parent` returns
  return owned;
}

}  // namespace slipway::detail
