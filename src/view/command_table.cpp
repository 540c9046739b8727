#include "view/command_table.hpp"

#include <array>

namespace plush::view {

namespace {

using enum FieldType;
constexpr std::array count{CommandField{"count", whole, false, 1, 1000}};
constexpr std::array open_fields{CommandField{"scene", text, true}, CommandField{"variants", names},
                                 CommandField{"methods", names}};
constexpr std::array speed_fields{CommandField{"value", number, true, 0, 100}};
constexpr std::array flag_fields{CommandField{"value", flag, true}};
constexpr std::array frame_fields{CommandField{"frame", whole, true, 0, 4294967295.0}};
constexpr std::array ray_fields{CommandField{"ray", ray, true}};
constexpr std::array drag_fields{
    CommandField{"ray", ray}, CommandField{"at", picked}, CommandField{"max_force", number, false, 0, 1e15},
    CommandField{"stiffness", number, false, 0, 1e15}, CommandField{"damping", number, false, 0, 1e15}};
constexpr std::array target_fields{CommandField{"drag", whole, true, 0, 4294967295.0},
                                   CommandField{"target", vec, true, -1e6, 1e6},
                                   CommandField{"velocity", vec, false, -1e4, 1e4}};
constexpr std::array release_fields{CommandField{"drag", whole, true, 0, 4294967295.0}};
constexpr std::array pin_fields{CommandField{"ray", ray}, CommandField{"at", picked}};
constexpr std::array unpin_fields{CommandField{"pin", whole, true, 0, 4294967295.0}};
constexpr std::array cut_fields{CommandField{"from", ray, true}, CommandField{"to", ray, true},
                                CommandField{"body", whole, false, 0, 4294967295.0}};
constexpr std::array drop_fields{
    CommandField{"shape", text, true},
    CommandField{"soft", flag},
    CommandField{"at", vec, true, -1e6, 1e6},
    CommandField{"size", number, false, 1e-4, 1e4},
    CommandField{"density", number, false, 1e-3, 1e6},
    CommandField{"young", number, false, 1, 1e12},
    CommandField{"friction", number, false, 0, 1e3},
    CommandField{"velocity", vec, false, -1e4, 1e4},
};
constexpr std::array gravity_fields{CommandField{"value", vec, true, -1e4, 1e4}};
constexpr std::array step_size_fields{CommandField{"value", number, true, 1e-6, 0.1}};
constexpr std::array cells_fields{CommandField{"value", number, true, 1, 256}};
constexpr std::array method_fields{CommandField{"value", text, true}};
constexpr std::array friction_fields{CommandField{"value", number, true, 0, 1e3},
                                     CommandField{"body", whole, false, 0, 4294967295.0}};
constexpr std::array damping_fields{CommandField{"value", number, true, 0, 1e4},
                                    CommandField{"body", whole, false, 0, 4294967295.0}};
constexpr std::array young_fields{CommandField{"value", number, true, 1, 1e12},
                                  CommandField{"body", whole, false, 0, 4294967295.0}};

constexpr std::array kinds{
    CommandKind{Verb::take_control, "take_control", Reach::query},
    CommandKind{Verb::play, "play", Reach::session},
    CommandKind{Verb::pause, "pause", Reach::session},
    CommandKind{Verb::step, "step", Reach::session, count},
    CommandKind{Verb::reset, "reset", Reach::session},
    CommandKind{Verb::reload, "reload", Reach::session},
    CommandKind{Verb::open, "open", Reach::session, open_fields},
    CommandKind{Verb::speed, "speed", Reach::session, speed_fields},
    CommandKind{Verb::loop, "loop", Reach::session, flag_fields},
    CommandKind{Verb::seek, "seek", Reach::session, frame_fields},
    CommandKind{Verb::pick, "pick", Reach::query, ray_fields},
    CommandKind{Verb::drag, "drag", Reach::world, drag_fields, true},
    CommandKind{Verb::drag_to, "drag_to", Reach::world, target_fields},
    CommandKind{Verb::release, "release", Reach::world, release_fields},
    CommandKind{Verb::pin, "pin", Reach::world, pin_fields, true},
    CommandKind{Verb::unpin, "unpin", Reach::world, unpin_fields},
    CommandKind{Verb::cut, "cut", Reach::world, cut_fields},
    CommandKind{Verb::drop, "drop", Reach::world, drop_fields},
    CommandKind{Verb::set_gravity, "set_gravity", Reach::world, gravity_fields},
    CommandKind{Verb::set_step, "set_step", Reach::world, step_size_fields},
    CommandKind{Verb::set_cells, "set_cells", Reach::world, cells_fields},
    CommandKind{Verb::set_method, "set_method", Reach::world, method_fields},
    CommandKind{Verb::set_friction, "set_friction", Reach::world, friction_fields},
    CommandKind{Verb::set_damping, "set_damping", Reach::world, damping_fields},
    CommandKind{Verb::set_young, "set_young", Reach::world, young_fields},
};

}  // namespace

std::span<const CommandKind> command_kinds() {
    return kinds;
}

}  // namespace plush::view
