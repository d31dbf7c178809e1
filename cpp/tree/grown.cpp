#include "tree/grown.hpp"

namespace lanatus::tree {

Grown numbered(Grown top, std::vector<std::size_t> at, std::vector<Grown> parts) {
    std::vector<std::int32_t> part_at(top.nodes.size(), -1);
    for (std::size_t i = 0; i < at.size(); ++i) part_at[at[i]] = static_cast<std::int32_t>(i);
    Grown out;
    out.width = top.width;
    struct Visit {
        Grown* from;
        std::size_t old, now;
    };
    auto take = [&](Grown& from, std::size_t old, std::int32_t parent) -> Visit {
        Grown* home = &from;
        double share = 1;
        const bool grafted = home == &top && part_at[old] >= 0;
        if (grafted) {
            share = top.nodes[old].share;
            home = &parts[static_cast<std::size_t>(part_at[old])];
            old = 0;
        }
        Node node = std::move(home->nodes[old]);
        node.parent = parent;
        if (grafted) node.share = share;
        return {home, old, out.add(std::move(node), home->value.data() + old * out.width)};
    };
    std::vector<Visit> stack{take(top, 0, -1)};
    while (!stack.empty()) {
        const Visit visit = stack.back();
        stack.pop_back();
        const std::int32_t count = out.nodes[visit.now].n_children, first = out.nodes[visit.now].first_child;
        if (count == 0) continue;
        out.nodes[visit.now].first_child = static_cast<std::int32_t>(out.nodes.size());
        const std::size_t before = stack.size();
        for (std::int32_t c = 0; c < count; ++c)
            stack.push_back(
                take(*visit.from, static_cast<std::size_t>(first + c), static_cast<std::int32_t>(visit.now)));
        std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(before), stack.end());
    }
    return out;
}

}  // namespace lanatus::tree
