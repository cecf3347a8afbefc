#include "park/plugin/cpp.h"
#include "tests/plugins/shop/shop.h"

PARK_PLUGIN(park::test::ToyShop, park::test::ShopLive, park::test::Keen, park::test::ImportDigits);
