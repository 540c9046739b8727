// Reads one past the end, on purpose: the address sanitizer must stop it.
#include <cstddef>
#include <vector>

int main(int argc, char**) {
    const std::vector<int> one(1, argc);
    const int* values = one.data();
    return values[static_cast<std::size_t>(argc)];
}
