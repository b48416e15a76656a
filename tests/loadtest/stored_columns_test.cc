#include "loadtest/stored_columns.h"

#include <gtest/gtest.h>

namespace tessera::loadtest {
namespace {

TEST(StoredColumns, AreMeasuredForEveryCodecAndOperation) {
  const ColumnOptions options{1, 2};
  const std::vector<ColumnCost> costs = measure_columns(options);
  ASSERT_EQ(costs.size(), 6U);
  for (const ColumnCost& cost : costs) {
    EXPECT_GT(cost.in_codec.count(), 0) << cost.operation << ' ' << cost.codec;
    EXPECT_GT(cost.real.count(), 0);
    EXPECT_GT(cost.stored_bytes, 70'000U);
  }
  const std::string table = column_table(costs, options);
  EXPECT_NE(table.find("create yaml"), std::string::npos);
  EXPECT_NE(table.find("find msgpack"), std::string::npos);
  EXPECT_NE(table.find("144.300"), std::string::npos) << table;
}

}  // namespace
}  // namespace tessera::loadtest
