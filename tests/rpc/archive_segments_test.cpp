// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <numeric>
#include <thread>

#include "rpc/wire_types.hpp"
#include "slipway/rpc/archive.hpp"
#include "slipway/rpc/endpoint.hpp"

namespace slipway {
namespace {

using namespace wire_types;
using testing::HasSubstr;

// ---- segments

std::vector<wire::SegmentInfo> infos(Writer& writer) {
  std::vector<wire::SegmentInfo> result;
  for (const auto& segment : writer.segments()) result.push_back(segment.info);
  return result;
}

std::vector<detail::Bytes> fetched(Writer& writer) {
  std::vector<detail::Bytes> result;
  for (const auto& segment : writer.segments()) {
    detail::Bytes bytes(segment.info.size);
    std::memcpy(bytes.data(), segment.data, bytes.size());
    result.push_back(std::move(bytes));
  }
  return result;
}

template <class T>
T early(Writer& writer) {
  Reader reader(writer.body(), infos(writer));
  T back{};
  decode(reader, back);
  reader.finish();
  T moved = std::move(back);  // as the call engine does, before the data has come
  EXPECT_EQ(reader.destinations().size(), writer.segments().size());
  for (std::size_t i = 0; i < reader.destinations().size(); ++i) {
    EXPECT_EQ(reader.destinations()[i].size, writer.segments()[i].info.size);
    std::memcpy(reader.destinations()[i].data, writer.segments()[i].data, reader.destinations()[i].size);
  }
  return moved;
}

template <class T>
T late(Writer& writer) {
  Reader reader(writer.body(), fetched(writer));
  T back{};
  decode(reader, back);
  reader.finish();
  return back;
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> result(count);
  std::iota(result.begin(), result.end(), 1.0F);
  return result;
}

template <class T>
void expect_same_in_segments(const T& value, std::size_t segments) {
  Writer writer(64);
  encode(writer, value);
  EXPECT_EQ(writer.segments().size(), segments) << testing::PrintToString(value);
  EXPECT_EQ(early<T>(writer), value);
  EXPECT_EQ(late<T>(writer), value);
}

TEST(Archive, Contract5LargeArraysLeaveTheBody) {
  expect_same_in_segments(ramp(16), 1);
  expect_same_in_segments(ramp(15), 0);
  expect_same_in_segments(std::string(64, 'x'), 1);
  expect_same_in_segments(std::vector<std::vector<float>>{ramp(16), ramp(2), ramp(100), {}}, 2);
  expect_same_in_segments(std::deque<std::vector<float>>{ramp(16), ramp(17)}, 2);
  expect_same_in_segments(std::vector<std::deque<std::vector<float>>>(9, {ramp(16), ramp(17)}), 18);
  expect_same_in_segments(std::map<std::string, std::vector<float>>{{std::string(100, 'k'), ramp(16)}, {"b", ramp(20)}},
                          2);
  expect_same_in_segments(std::variant<int, std::vector<float>>(ramp(30)), 1);
  expect_same_in_segments(std::vector<std::optional<std::string>>(5, std::string(100, 's')), 5);
  expect_same_in_segments(Settings{std::string(100, 'n'), std::vector<double>(50, 2.0), Particle{}, true}, 2);
}

TEST(Archive, Contract5NoCopyOfTheSendersArray) {
  const auto values = ramp(100000);
  Writer writer(1000);
  encode(writer, values);
  ASSERT_EQ(writer.segments().size(), 1U);
  EXPECT_EQ(reinterpret_cast<const float*>(writer.segments()[0].data), values.data());
  EXPECT_LE(writer.body().size(), 16U);
}

TEST(Archive, Contract5BuffersTakeTheirSegment) {
  auto values = Buffer<float>::copy_of(ramp(1000));
  Writer writer(64);
  encode(writer, values);
  auto segments = fetched(writer);
  const void* place = segments[0].data();
  Reader reader(writer.body(), std::move(segments));
  Buffer<float> back;
  decode(reader, back);
  reader.finish();
  EXPECT_EQ(back.data(), place);
  EXPECT_TRUE(std::equal(back.begin(), back.end(), values.begin(), values.end()));
}

TEST(Archive, Contract6CheckedArraysKeysAndUserCodeStayInTheBody) {
  expect_same_in_segments(std::vector<Padded>(100), 0);  // its bools must be looked at
  expect_same_in_segments(std::vector<Color>(100), 0);
  expect_same_in_segments(std::set<std::string>{std::string(100, 'a'), std::string(100, 'b')}, 0);
  expect_same_in_segments(Account(1, std::string(100, 'a')), 0);  // user code may pass what is gone when it is sent
  expect_same_in_segments(std::filesystem::path(std::string(100, 'a')), 0);
}

TEST(Archive, Contract5SegmentsAreLimited) {
  expect_same_in_segments(std::vector<std::vector<float>>(100, ramp(20)), detail::max_segments);
}

TEST(Archive, WriterIsReusable) {
  Writer writer(64);
  encode(writer, std::string(100, 'a'));
  encode(writer, Versioned(1, "a"));
  writer.clear();
  EXPECT_TRUE(writer.body().empty() && writer.segments().empty());
  encode(writer, Versioned(2, "b"));
  EXPECT_EQ(late<Versioned>(writer), Versioned(2, "b"));
  const auto size = writer.body().size();
  EXPECT_EQ(writer.release_body().size(), size);
  EXPECT_TRUE(writer.body().empty());
}

// ---- damage

template <class T>
std::string refusal(Reader& reader) {
  try {
    T value{};
    decode(reader, value);
    reader.finish();
  } catch (const WireError& error) {
    return error.what();
  }
  return "accepted";
}

template <class T>
std::string refusal(std::initializer_list<unsigned> bytes) {
  std::vector<std::byte> body;
  for (const unsigned byte : bytes) body.push_back(static_cast<std::byte>(byte));
  Reader reader(body);
  return refusal<T>(reader);
}

TEST(Archive, Contract5AThreadsFirstMessageDoesNotDecideForItsLaterOnes) {
  std::thread([] {
    const std::vector<int> array(10'000);
    Writer& whole = detail::scratch_writer(false);
    encode(whole, array);
    EXPECT_FALSE(whole.has_segments());
    Writer& apart = detail::scratch_writer(true);
    encode(apart, array);
    ASSERT_TRUE(apart.has_segments());
    EXPECT_EQ(static_cast<const void*>(apart.segments().front().data), array.data());
  }).join();
}

TEST(Archive, Contract6EveryPrefixIsRefused) {
  Writer writer;
  encode(writer,
         std::tuple(Settings{"name", {1, 2}, Particle{}, false}, std::vector<std::string>{"a", "b"}, Account()));
  using T = std::tuple<Settings, std::vector<std::string>, Account>;
  for (std::size_t size = 0; size < writer.body().size(); ++size) {
    Reader reader(writer.body().first(size));
    EXPECT_THAT(refusal<T>(reader), HasSubstr("ends before its values do")) << size;
  }
}

TEST(Archive, Contract6SizesAreCheckedBeforeMemoryIsTaken) {
  EXPECT_THAT(refusal<std::vector<int>>({255, 255, 255, 255, 255, 255, 255, 255, 63}), HasSubstr("ends before"));
  EXPECT_THAT(refusal<std::vector<std::string>>({255, 0, 0, 0, 0, 255, 0, 0, 0}), HasSubstr("ends before"));
  EXPECT_THAT(refusal<std::vector<std::tuple<>>>({255, 0, 0, 0, 0, 1, 0, 0, 0}), HasSubstr("ends before"));
  EXPECT_THAT(refusal<std::vector<bool>>({255, 255, 255, 255, 255, 255, 255, 255, 255}), HasSubstr("ends before"));
  EXPECT_THAT(refusal<std::valarray<int>>({255, 0, 0, 0, 0, 0, 1, 0, 0}), HasSubstr("ends before"));
}

TEST(Archive, Contract6ValuesAreChecked) {
  EXPECT_THAT(refusal<bool>({2}), HasSubstr("bool"));
  EXPECT_THAT(refusal<std::optional<int>>({2, 0, 0, 0, 0}), HasSubstr("bool"));
  EXPECT_THAT(refusal<Color>({3}), HasSubstr("enumeration"));
  EXPECT_THAT(refusal<std::vector<Color>>({4, 1, 3}), HasSubstr("enumeration"));
  EXPECT_THAT((refusal<std::variant<int, char>>({2, 0})), HasSubstr("alternative"));
  EXPECT_THAT(refusal<std::set<char>>({2, 7, 7}), HasSubstr("twice"));
  EXPECT_THAT(refusal<char>({1, 2}), HasSubstr("left over"));
}

TEST(Archive, Contract6SegmentsMustBeWhereTheyBelong) {
  Writer writer(64);
  encode(writer, ramp(100));
  encode(writer, ramp(50));
  using T = std::pair<std::vector<float>, std::vector<float>>;
  const auto good = infos(writer);
  auto bad = good;
  bad[1].size -= 4;
  for (const auto& announced : {bad, std::vector(good.begin(), good.begin() + 1), std::vector<wire::SegmentInfo>{}}) {
    Reader reader(writer.body(), announced);
    EXPECT_NE(refusal<T>(reader), "accepted");
  }
  bad = good;
  bad.push_back(good[0]);
  Reader left_over(writer.body(), bad);
  EXPECT_THAT(refusal<T>(left_over), HasSubstr("left over"));
  bad[2].size = std::uint64_t{1} << 60U;
  EXPECT_THROW(Reader(writer.body(), bad), WireError);
  Reader key(writer.body(), good);
  EXPECT_NE((refusal<std::pair<std::set<std::vector<float>>, std::vector<float>>>(key)), "accepted");
}

TEST(Archive, Contract6DeepNestingIsRefusedOnBothSides) {
  Tree tree;
  Tree* last = &tree;
  for (int i = 0; i < 100; ++i) last = (last->next = std::make_unique<Tree>()).get();
  Writer writer;
  encode(writer, tree);
  writer.clear();
  for (int i = 0; i < 1000; ++i) last = (last->next = std::make_unique<Tree>()).get();
  EXPECT_THROW(encode(writer, tree), UsageError);
  std::vector<std::byte> body;
  for (int i = 0; i < 10000; ++i)
    body.insert(body.end(), {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}});
  Reader reader(body);
  EXPECT_THAT(refusal<Tree>(reader), HasSubstr("nested too deep"));
}

}  // namespace
}  // namespace slipway
