#ifndef TOMOGRAPH_STORES_ORDERS_HPP
#define TOMOGRAPH_STORES_ORDERS_HPP

namespace tomograph::stores {

/// What one store of a warp writes, and what comes next. Words have four bytes, sectors eight words.
enum class Order {
  sectors,  ///< four sectors, then those of the next line
  words     ///< a word of each of four sectors, then the next word of each
};

}  // namespace tomograph::stores

#endif
