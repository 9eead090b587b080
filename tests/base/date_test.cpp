#include "base/date.h"
#include "catch.h"

using namespace gpuadvise::base;

TEST_CASE("dates are a year, a month or a day") {
  for (const auto good : {"2026", "2026-01", "2026-12", "2026-11-30", "0001-01-01"}) CHECK(is_iso_date(good));
  for (const auto bad : {"", "26", "2026-13", "2026-00", "2026-1", "2026-11-32", "2026/11", "2026-11-3", "20261130",
                         "yesterday", "2026-11-30T00:00"}) {
    INFO(bad);
    CHECK_FALSE(is_iso_date(bad));
  }
}

TEST_CASE("months between dates, however precise they are") {
  CHECK(months_between("2024-12-31", "2026-11-30") == 23);
  CHECK(months_between("2024-12", "2026-11-30") == 23);
  CHECK(months_between("2026-11-30", "2026-11-01") == 0);
  CHECK(months_between("2026-12-01", "2026-11-30") == 0);  // never below 0
  // A year alone may mean its December: nothing is called older than it must be.
  CHECK(months_between("2023", "2026-11-30") == 35);
  CHECK(months_between("2026", "2026-11-30") == 0);
  CHECK_FALSE(months_between("", "2026-11-30"));
  CHECK_FALSE(months_between("2026-11", ""));
  CHECK_FALSE(months_between("soon", "2026-11"));
}
