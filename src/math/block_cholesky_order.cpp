#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>

#include "core/assert.hpp"
#include "math/block_cholesky.hpp"

// The ordering, and which blocks of L are not zero. With the elimination tree (Liu 1990) in postorder,
//
//     rows of column j of L  =  rows of column j of A below j  ∪  rows of L's columns of j's children, without j
//
// and columns whose rows nest belong to one supernode.

namespace plush {
namespace {

constexpr std::uint32_t none = 0xffffffffu;

std::vector<std::uint32_t> minimum_degree(const BlockMatrix& matrix) {
    const auto n = static_cast<int>(matrix.rows());
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(matrix.blocks());
    for (int i = 0; i < n; ++i)
        for (const std::uint32_t j : matrix.columns(static_cast<std::size_t>(i)))
            entries.emplace_back(i, static_cast<int>(j), 1.0);
    Eigen::SparseMatrix<double> pattern(n, n);
    pattern.setFromTriplets(entries.begin(), entries.end());
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
    Eigen::AMDOrdering<int>()(pattern, permutation);
    std::vector<std::uint32_t> order(matrix.rows());
    for (int i = 0; i < n; ++i)
        order[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(permutation.indices()[i]);
    return order;
}

std::vector<std::uint32_t> inverted(const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    return place;
}

// The first row below the diagonal of each column of L.
std::vector<std::uint32_t> elimination_tree(const BlockMatrix& matrix,
                                            const std::vector<std::uint32_t>& order,
                                            const std::vector<std::uint32_t>& place) {
    std::vector<std::uint32_t> parent(order.size(), none), ancestor(order.size(), none);
    for (std::uint32_t j = 0; j < order.size(); ++j)
        for (const std::uint32_t old : matrix.columns(order[j])) {
            std::uint32_t i = place[old];
            while (i < j) {
                const std::uint32_t above = ancestor[i];
                ancestor[i] = j;
                if (above == none) {
                    parent[i] = j;
                    break;
                }
                i = above;
            }
        }
    return parent;
}

// Children before parents, each subtree in one piece.
std::vector<std::uint32_t> postorder(const std::vector<std::uint32_t>& parent) {
    const auto n = static_cast<std::uint32_t>(parent.size());
    std::vector<std::uint32_t> child(n, none), sibling(n, none), stack, result;
    for (std::uint32_t i = n; i-- > 0;)
        if (parent[i] != none) sibling[i] = child[parent[i]], child[parent[i]] = i;
    result.reserve(n);
    for (std::uint32_t root = 0; root < n; ++root) {
        if (parent[root] != none) continue;
        stack.push_back(root);
        while (!stack.empty()) {
            const std::uint32_t i = stack.back();
            if (child[i] == none) {
                result.push_back(i);
                stack.pop_back();
            } else {
                stack.push_back(child[i]);
                child[i] = sibling[child[i]];
            }
        }
    }
    return result;
}

/// A supernode while it grows.
struct Columns {
    std::uint32_t first = 0, end = 0;
    std::vector<std::uint32_t> below{};
    double zeros = 0;  ///< blocks stored that are known to be zero

    double count() const { return end - first; }
    double blocks() const {
        return count() * (count() + 1) / 2 + count() * static_cast<double>(below.size());
    }
};

// A few zeros are cheaper than many small products. The bounds are those at which a factorisation of grids of
// tets was fastest; chains gain too.
bool worth_joining(const Columns& left, const Columns& right, double zeros, double blocks) {
    const double columns = left.count() + right.count(), share = zeros / blocks;
    return share == 0 || (columns <= 5 && share < 0.5) || (columns <= 16 && share < 0.15) || share < 0.05;
}

// `left` ends where `right`, its parent, begins: as one, where that pays.
bool join(Columns& left, Columns& right) {
    if (left.below.empty() || left.below.front() >= right.end) return false;
    const double height = right.count() + static_cast<double>(right.below.size());
    const double zeros =
        left.zeros + right.zeros + left.count() * (height - static_cast<double>(left.below.size()));
    Columns both{left.first, right.end, {}, zeros};
    both.below = std::move(right.below);
    if (worth_joining(left, right, zeros, both.blocks())) {
        right = std::move(both);
        return true;
    }
    right.below = std::move(both.below);
    return false;
}

}  // namespace

void BlockCholesky::order_rows(const BlockMatrix& matrix) {
    const std::vector<std::uint32_t> order = minimum_degree(matrix);
    const auto after = postorder(elimination_tree(matrix, order, inverted(order)));
    order_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) order_[i] = order[after[i]];
    place_ = inverted(order_);
}

void BlockCholesky::find_supernodes(const BlockMatrix& matrix) {
    const auto n = static_cast<std::uint32_t>(order_.size());
    std::vector<std::vector<std::uint32_t>> rows(n), children(n);
    std::vector<std::uint32_t> seen(n, none);
    std::vector<Columns> done;
    Columns open;
    const auto close = [&](std::uint32_t end) {
        if (end == 0) return;
        open.end = end;
        open.below = rows[end - 1];
        while (!done.empty() && join(done.back(), open)) done.pop_back();
        done.push_back(std::move(open));
    };
    for (std::uint32_t j = 0; j < n; ++j) {
        std::vector<std::uint32_t>& mine = rows[j];
        seen[j] = j;
        const auto take = [&](std::uint32_t i) {
            if (i <= j || seen[i] == j) return;
            seen[i] = j;
            mine.push_back(i);
        };
        for (const std::uint32_t old : matrix.columns(order_[j])) take(place_[old]);
        for (const std::uint32_t c : children[j])
            for (const std::uint32_t i : rows[c]) take(i);
        std::sort(mine.begin(), mine.end());
        if (!mine.empty()) children[mine.front()].push_back(j);
        const bool nests = j > 0 && !rows[j - 1].empty() && rows[j - 1].front() == j &&
                           rows[j - 1].size() == mine.size() + 1;
        if (!nests) {
            close(j);
            open = {j, j, {}, 0};
        }
        for (const std::uint32_t c : children[j]) rows[c] = {};
        children[j] = {};
    }
    close(n);

    supernodes_.clear();
    below_.clear();
    supernode_of_.resize(n);
    for (const Columns& c : done) {
        for (std::uint32_t j = c.first; j < c.end; ++j)
            supernode_of_[j] = static_cast<std::uint32_t>(supernodes_.size());
        supernodes_.push_back({c.first, c.end, static_cast<std::uint32_t>(below_.size()),
                               static_cast<std::uint32_t>(c.below.size()), 0, 0});
        below_.insert(below_.end(), c.below.begin(), c.below.end());
    }
}

}  // namespace plush
