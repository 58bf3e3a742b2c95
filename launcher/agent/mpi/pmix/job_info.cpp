// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/job_info.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "launcher/agent/base/error.h"
#include "launcher/agent/ranks/binding.h"

namespace adarun::launcher::agent::pmix {

void InfoList::Free::operator()(char* bytes) const {
  std::free(bytes);  // NOLINT(cppcoreguidelines-owning-memory): libpmix's malloc
}

pmix_value_t& InfoList::add(const char* key, pmix_data_type_t type) {
  pmix_info_t& info = infos_.emplace_back();
  std::strncpy(info.key, key, PMIX_MAX_KEYLEN);
  info.value.type = type;
  return info.value;
}

void InfoList::add_text(const char* key, const std::string& text) {
  add(key, PMIX_STRING).data.string = texts_.emplace_back(text).data();
}

void InfoList::add_flag(const char* key) {
  add(key, PMIX_BOOL).data.flag = true;
}

void InfoList::add_uint16(const char* key, std::uint16_t value) {
  add(key, PMIX_UINT16).data.uint16 = value;
}

void InfoList::add_uint32(const char* key, std::uint32_t value) {
  add(key, PMIX_UINT32).data.uint32 = value;
}

void InfoList::add_rank(const char* key, pmix_rank_t rank) {
  add(key, PMIX_PROC_RANK).data.rank = rank;
}

void InfoList::add_map(const Library& library, const char* key, const std::string& text) {
  const auto generate = key == std::string(PMIX_NODE_MAP) ? library.generate_regex : library.generate_ppn;
  char* pattern = nullptr;
  pmix_status_t status = generate(text.c_str(), &pattern);
  if (status != PMIX_SUCCESS) throw Error("PMIx: map \"" + text + "\": " + library.error_string(status));
  const std::unique_ptr<char, Free> own(pattern);
  pmix_info_t info{};
  status = library.info_load(&info, key, pattern, PMIX_REGEX);
  if (status != PMIX_SUCCESS) throw Error(std::string("PMIx: ") + key + ": " + library.error_string(status));
  patterns_.emplace_back(info.value.data.bo.bytes);
  infos_.push_back(info);
}

void InfoList::add_list(const char* key, InfoList list) {
  InfoList& kept = lists_.emplace_back(std::move(list));
  add(key, PMIX_DATA_ARRAY).data.darray =
      &arrays_.emplace_back(pmix_data_array_t{PMIX_INFO, kept.size(), kept.data()});
}

namespace {

std::string joined(const std::vector<std::uint32_t>& ranks) {
  std::string result;
  for (const std::uint32_t rank : ranks) result += (result.empty() ? "" : ",") + std::to_string(rank);
  return result;
}

void add_maps(InfoList& infos, const Library& library, const protocol::Start& start) {
  std::string nodes;
  std::string ranks;
  for (const protocol::NodeRanks& node : start.nodes) {
    if (node.ranks.empty()) continue;
    nodes += (nodes.empty() ? "" : ",") + node.hostname;
    ranks += (ranks.empty() ? "" : ";") + joined(node.ranks);
  }
  infos.add_map(library, PMIX_NODE_MAP, nodes);
  infos.add_map(library, PMIX_PROC_MAP, ranks);
}

// The ranks of one program, in a job of several.
struct Application {
  std::uint32_t number;
  std::uint32_t leader;  ///< Its first rank.
  std::uint32_t rank_within_it;
};

// Of each rank of the job; empty if all run one program.
std::vector<Application> applications_of(const protocol::Start& start) {
  std::vector<Application> all;
  std::map<std::uint32_t, Application> next;
  for (std::uint32_t rank = 0; rank < start.application_of_rank.size(); ++rank) {
    const std::uint32_t number = start.application_of(rank);
    Application& one = next.try_emplace(number, Application{number, rank, 0}).first->second;
    all.push_back(one);
    ++one.rank_within_it;
  }
  return all;
}

void add_application(InfoList& infos, const Application& application) {
  infos.add_uint32(PMIX_APPNUM, application.number);
  infos.add_rank(PMIX_APPLDR, application.leader);
  infos.add_rank(PMIX_APP_RANK, application.rank_within_it);
}

std::uint32_t count_of(const std::vector<Application>& applications) {
  std::uint32_t count = 1;
  for (const Application& each : applications) count = std::max(count, each.number + 1);
  return count;
}

InfoList describe_rank(std::uint32_t rank, std::uint16_t local_rank, std::uint32_t node,
                       const std::string& host) {
  InfoList infos;
  infos.add_rank(PMIX_RANK, rank);  // libpmix requires it first.
  infos.add_uint16(PMIX_LOCAL_RANK, local_rank);
  infos.add_uint16(PMIX_NODE_RANK, local_rank);
  infos.add_uint32(PMIX_NODEID, node);
  infos.add_rank(PMIX_GLOBAL_RANK, rank);
  infos.add_text(PMIX_HOSTNAME, host);
  return infos;
}

void add_ranks(InfoList& infos, const protocol::Start& start, const std::vector<Application>& applications) {
  std::uint32_t node = 0;
  for (const protocol::NodeRanks& each : start.nodes) {
    std::uint16_t local_rank = 0;
    for (const std::uint32_t rank : each.ranks) {
      InfoList description = describe_rank(rank, local_rank++, node, each.hostname);
      if (rank < applications.size()) add_application(description, applications[rank]);
      infos.add_list(PMIX_PROC_DATA, std::move(description));
    }
    if (!each.ranks.empty()) ++node;
  }
}

std::vector<std::string> application_environment(const protocol::Start& start) {
  std::map<std::uint32_t, Application> last{{0, {0, 0, start.world_size - 1}}};
  const std::vector<Application> applications = applications_of(start);
  if (!applications.empty()) last.clear();
  for (const Application& each : applications) last[each.number] = each;
  std::string counts;
  std::string leaders;
  for (const auto& [number, each] : last) {
    counts += (counts.empty() ? "" : " ") + std::to_string(each.rank_within_it + 1);
    leaders += (leaders.empty() ? "" : " ") + std::to_string(each.leader);
  }
  return {"OMPI_UNIVERSE_SIZE=" + std::to_string(start.world_size),
          "OMPI_NUM_APP_CTX=" + std::to_string(last.size()), "OMPI_APP_CTX_NUM_PROCS=" + counts,
          "OMPI_FIRST_RANKS=" + leaders};
}

// What Open MPI reports in MPI_INFO_ENV as the folder of a rank, and as that of the files brought for it:
// --stage puts them there.
std::vector<std::string> folder_environment(const protocol::Start& start, std::uint32_t rank) {
  const auto spec = std::ranges::find(start.ranks, rank, &protocol::RankSpec::rank);
  std::string folder = spec == start.ranks.end() ? "" : spec->workdir;
  std::array<char, PATH_MAX> here{};
  if (folder.empty() && ::getcwd(here.data(), here.size()) != nullptr) folder = here.data();
  if (folder.empty()) return {};
  return {"OMPI_MCA_initial_wdir=" + folder, "OMPI_FILE_LOCATION=" + folder};
}

}  // namespace

InfoList describe_job(const Library& library, const protocol::Start& start, const std::string& folder) {
  const std::vector<std::uint32_t>& own = start.nodes[start.node].ranks;
  const auto own_size = static_cast<std::uint32_t>(own.size());
  const auto occupied = [](const protocol::NodeRanks& node) { return !node.ranks.empty(); };
  const auto first = start.nodes.begin();
  const std::vector<Application> applications = applications_of(start);
  InfoList infos;
  add_maps(infos, library, start);
  infos.add_text(PMIX_JOBID, start.job_id);
  infos.add_uint32(PMIX_JOB_SIZE, start.world_size);
  infos.add_uint32(PMIX_UNIV_SIZE, start.world_size);
  infos.add_uint32(PMIX_MAX_PROCS, start.world_size);
  infos.add_uint32(PMIX_LOCAL_SIZE, own_size);
  infos.add_uint32(PMIX_NODE_SIZE, own_size);
  infos.add_uint32(PMIX_NUM_NODES,
                   static_cast<std::uint32_t>(std::count_if(first, start.nodes.end(), occupied)));
  infos.add_uint32(PMIX_JOB_NUM_APPS, count_of(applications));
  infos.add_text(PMIX_LOCAL_PEERS, joined(own));
  infos.add_rank(PMIX_LOCALLDR, *std::min_element(own.begin(), own.end()));
  infos.add_uint32(PMIX_NODEID,
                   static_cast<std::uint32_t>(std::count_if(first, first + start.node, occupied)));
  infos.add_text(PMIX_TMPDIR, folder);
  infos.add_text(PMIX_NSDIR, folder);
  add_ranks(infos, start, applications);
  return infos;
}

std::vector<std::string> rank_environment(const protocol::Start& start, std::uint32_t rank,
                                          std::size_t local_rank) {
  const std::size_t local_size = start.nodes[start.node].ranks.size();
  std::vector<std::string> result{
      "JSM_JSRUN_PORT=0",  // Open MPI 4.1 asks PMIx for its rank only under a launcher it knows (jsrun).
      "OMPI_COMM_WORLD_RANK=" + std::to_string(rank),
      "OMPI_COMM_WORLD_SIZE=" + std::to_string(start.world_size),
      "OMPI_COMM_WORLD_LOCAL_RANK=" + std::to_string(local_rank),
      "OMPI_COMM_WORLD_LOCAL_SIZE=" + std::to_string(local_size),
      "OMPI_COMM_WORLD_NODE_RANK=" + std::to_string(local_rank),
  };
  for (const auto& more : {application_environment(start), folder_environment(start, rank)})
    result.insert(result.end(), more.begin(), more.end());
  if (!start.shm_folder.empty()) result.push_back("OMPI_MCA_btl_vader_backing_directory=" + start.shm_folder);
  if (local_size > std::max<std::size_t>(1, own_cpus().size()))
    result.emplace_back("OMPI_MCA_mpi_yield_when_idle=1");
  return result;
}

}  // namespace adarun::launcher::agent::pmix
