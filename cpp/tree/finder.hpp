// What growth asks of a finder: how rows are held and splits are found.
#pragma once
#include <vector>

#include "tree/grown.hpp"

namespace lanatus::tree {

// A Part is the rows of a node: weight, n_rows, impurity, said (what it predicts), depth and key are read by the grower.
// Asked once a node, so that calls through a table cost nothing beside the search itself and growth is compiled once a Part.
template <class Part>
class Finder {
  public:
    // The best split, feature -1 for none.
    virtual Split best(Part& part, int n_threads) = 0;
    // The children's rows; the part's own memory may go.
    virtual std::vector<Part> divide(Part& part, const Split& split, int n_threads) = 0;

  protected:
    ~Finder() = default;
};

}  // namespace lanatus::tree
