#pragma once

#include <atomic>

#include "plush/core/error.hpp"

// Who uses a world now: any number of readers, or one thread that changes it. A world locks nothing and waits for nobody: a
// call that would meet another one halfway is an Error.

namespace plush {

/// What a function of World does to it.
enum class WorldUse {
    act,     ///< as custom forces may do within a step: forces, velocities, targets
    change,  ///< in ways that no step may see halfway: bodies, joints, settings, snapshots
};

class AccessState {
public:
    void begin_read() {
        if (owner_.load() == this_thread()) return;
        ++readers_;
        if (owner_.load() == nullptr) return;
        --readers_;
        throw Error({.place = "world",
                     .problem = "another thread is changing it",
                     .cure = "use a world from one thread at a time, or make a copy() for each"});
    }
    void end_read() {
        if (owner_.load() != this_thread()) --readers_;
    }
    /// True where this is the outermost call, which end_write() must follow.
    bool begin_write(WorldUse use) {
        if (owner_.load() == this_thread()) {
            if (phase_ == Phase::changing || (phase_ == Phase::custom_forces && use == WorldUse::act))
                return false;
            throw Error({.place = "world",
                         .problem = "it was called from within its own step()",
                         .cure = phase_ == Phase::custom_forces
                                     ? "a custom force may apply forces and set velocities and targets; do "
                                       "all else between two steps"
                                     : "a force field and a logger must not change the world: do it between "
                                       "two steps"});
        }
        const void* nobody = nullptr;
        const bool mine = owner_.compare_exchange_strong(nobody, this_thread());
        if (mine && readers_.load() == 0) return true;
        if (mine) owner_.store(nullptr);
        throw Error({.place = "world",
                     .problem = mine ? "another thread is reading it" : "another thread is changing it",
                     .cure = "use a world from one thread at a time, or make a copy() for each"});
    }
    void end_write() {
        phase_ = Phase::changing;
        owner_.store(nullptr);
    }
    // The parts of a step, for the thread that has begun it as a write.
    void begin_custom_forces() { phase_ = Phase::custom_forces; }
    void end_custom_forces() { phase_ = Phase::step; }

private:
    enum class Phase { changing, custom_forces, step };
    static const void* this_thread() {
        static thread_local const char here = 0;
        return &here;
    }
    std::atomic<const void*> owner_{nullptr};
    std::atomic<int> readers_{0};
    Phase phase_ = Phase::changing;  // of the owner; read by no other thread
};

/// A world's parts, for as long as an expression lasts.
template <class Parts>
class ReadAccess {
public:
    explicit ReadAccess(Parts& parts) : parts_(parts) { parts_.access.begin_read(); }
    ~ReadAccess() { parts_.access.end_read(); }
    ReadAccess(const ReadAccess&) = delete;
    ReadAccess& operator=(const ReadAccess&) = delete;
    Parts* operator->() const { return &parts_; }
    Parts& operator*() const { return parts_; }

private:
    Parts& parts_;
};

template <class Parts>
class WriteAccess {
public:
    WriteAccess(Parts& parts, WorldUse use) : parts_(parts), outermost_(parts.access.begin_write(use)) {}
    ~WriteAccess() {
        if (outermost_) parts_.access.end_write();
    }
    WriteAccess(const WriteAccess&) = delete;
    WriteAccess& operator=(const WriteAccess&) = delete;
    Parts* operator->() const { return &parts_; }
    Parts& operator*() const { return parts_; }

private:
    Parts& parts_;
    bool outermost_;
};

}  // namespace plush
