#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plush {

/// Numbers by 64-bit keys: a hash table with open addressing that only grows. Nothing can be enumerated, so
/// no order comes from it. The key of all ones is taken.
class KeyMap {
public:
    /// The number of the key, and whether it is new and got `number` just now.
    std::pair<int, bool> insert(std::uint64_t key, int number) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[place(key)];
        if (slot.key == key) return {slot.number, false};
        slot = {key, number};
        ++size_;
        return {number, true};
    }

    /// The number of the key, or −1.
    int find(std::uint64_t key) const {
        if (slots_.empty()) return -1;
        const Slot& slot = slots_[place(key)];
        return slot.key == key ? slot.number : -1;
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t key = none;
        int number = 0;
    };

    std::size_t place(std::uint64_t key) const {
        // The finisher of the SplitMix64 generator (Steele, Lea & Flood 2014): spreads neighbouring keys.
        std::uint64_t h = key;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
        h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = static_cast<std::size_t>(h ^ (h >> 31)) & mask;
        while (slots_[i].key != key && slots_[i].key != none) i = (i + 1) & mask;
        return i;
    }
    void grow() {
        std::vector<Slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.key != none) slots_[place(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace plush
