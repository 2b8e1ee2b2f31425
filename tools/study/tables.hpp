// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "study/measurement.hpp"
#include "study/scaling.hpp"
#include "study/study.hpp"

// A study as tables: for people, for spreadsheets, for programs.
namespace slipway::study {

// "12.3 s", "4.56 k frames/s".
std::string value_text(double value, const Metric& metric);
// "strong scaling of train from 1 node (base: 12.3 s)"; says so where no run was good.
std::string title_of(const Study& study, const ScalingTable& table);
// The table for people: the heads, then a line a size. Columns that tell nothing here are left out.
std::vector<std::vector<std::string>> lines_of(const ScalingTable& table);
// Title and table, then what is missing, failed or odd.
std::string to_text(const Study& study, const std::vector<Measurement>& measurements, const ScalingTable& table);
// A line each for runs that do not count, and for differences between those that do; empty: there is nothing to tell.
std::vector<std::string> remarks_on(const Study& study, const std::vector<Measurement>& measurements,
                                    const ScalingTable& table);

// A line of RFC 4180.
std::string csv_line(const std::vector<std::string>& cells);
// Raw numbers, seconds and work per second.
std::string summary_csv(const ScalingTable& table);
std::string runs_csv(const Study& study, const std::vector<Measurement>& measurements);
std::string to_json(const Study& study, const std::vector<Measurement>& measurements, const ScalingTable& table,
                    const std::string& method);

// How it was measured, as a paragraph for a paper or a proposal.
std::string method_text(const Study& study, const std::vector<Measurement>& measurements, const ScalingTable& table,
                        double warm_up);

}  // namespace slipway::study
