// Loops that are right: what is written before a loop is read in it, and what is written in it is read after
// it, by any thread. The thread sanitizer must stay silent, although it cannot see into oneTBB.
#include <vector>

#include "core/parallel.hpp"

int main() {
    const plush::Parallel parallel(4);
    std::vector<double> numbers(1000);
    double sum = 0;
    for (int round = 0; round < 200; ++round) {
        for (double& x : numbers) x += 1;
        parallel.each(numbers.size(), 64, [&](std::size_t i) { numbers[i] += static_cast<double>(i); });
        const auto part = [&](std::size_t begin, std::size_t end) {
            double s = 0;
            for (std::size_t i = begin; i < end; ++i) s += numbers[i];
            return s;
        };
        sum += parallel.reduce(numbers.size(), 10, 0.0, part, [](double a, double b) { return a + b; });
        std::vector<std::vector<int>> lists(50);
        parallel.each(lists.size(), 1, [&](std::size_t i) { lists[i].resize(i); });
        parallel.each(lists.size(), 3, [&](std::size_t i) { lists[i].push_back(1); });
    }
    return sum > 0 ? 0 : 1;
}
