// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ranktable/any_table.h"
#include "ranktable/json/writer.h"

namespace adarun::ranktable {

/// Each writes a table whole: the fields of its schema, counts made anew, then the extras.
void write_v1(Writer& out, const Table& table);
void write_cloud(Writer& out, const CloudTable& table);
void write_lab(Writer& out, const LabTable& table);
void write_rank_list(Writer& out, const RankListTable& table);

}  // namespace adarun::ranktable
