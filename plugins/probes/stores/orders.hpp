#ifndef TOMOGRAPH_STORES_ORDERS_HPP
#define TOMOGRAPH_STORES_ORDERS_HPP

namespace tomograph::stores {

/// What one store of a warp writes, and what comes next. Words have four bytes, sectors eight words.
enum class Order {
  sectors,      ///< four sectors, then those of the next line
  consecutive,  ///< a word of each of four sectors, then the next word of each
  scattered     ///< a word of each of four sectors, then one of each sector of the next line
};

}  // namespace tomograph::stores

#endif
