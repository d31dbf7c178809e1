// Words and numbers in one string, for messages.
#pragma once
#include <string>
#include <type_traits>

namespace lanatus {

// Words of an error: kept small, since it is made once and every message makes its own instance.
template <class... Part>
[[gnu::cold, gnu::noinline]] std::string text(const Part&... parts) {
    std::string out;
    const auto add = [&](const auto& part) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) out += std::to_string(part);
        else out += part;
    };
    (add(parts), ...);
    return out;
}

}  // namespace lanatus
