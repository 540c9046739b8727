#include <iostream>
#include <plush/core/version.hpp>

int main() {
    std::cout << "plush " << plush::version() << '\n';
    return plush::version() == PLUSH_EXPECTED_VERSION ? 0 : 1;
}
