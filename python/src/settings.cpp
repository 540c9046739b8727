#include "settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/did_you_mean.hpp"
#include "core/range_phrase.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/scene/scene.hpp"

namespace plush::python {
namespace {

std::string quoted(std::span<const std::string_view> words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i)
        out += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == words.size() ? " and " : ", ", words[i]);
    return out;
}

bool is_true_number(py::handle object) {
    return !PyBool_Check(object.ptr()) && (PyFloat_Check(object.ptr()) || PyIndex_Check(object.ptr()) ||
                                           PyObject_HasAttrString(object.ptr(), "__float__"));
}

std::string type_of(py::handle object) {
    return Py_TYPE(object.ptr())->tp_name;
}

[[noreturn]] void refuse_type(std::string place, std::string_view wanted, py::handle given) {
    refuse(std::move(place), fmt::format("this must be {}, not {}", wanted, type_of(given)), "");
}

bool in_range(const FieldInfo& info, double value) {
    return (info.min_excluded ? value > info.min : value >= info.min) && value <= info.max &&
           std::isfinite(value);
}

}  // namespace

std::vector<std::string_view> SettingsReader::present(Keys keys) const {
    std::vector<std::string_view> present;
    for (const std::string_view key : keys)
        if (frames_.back().given.contains(std::string(key).c_str())) present.push_back(key);
    return present;
}

int SettingsReader::exactly_one_of(Keys keys) {
    const auto given = present(keys);
    if (given.empty())
        refuse(frames_.back().path,
               fmt::format("none of {} is here", quoted(std::vector<std::string_view>(keys))),
               "give exactly one of them");
    return at_most_one_of(keys);
}

int SettingsReader::at_most_one_of(Keys keys) {
    const auto given = present(keys);
    if (given.size() > 1)
        refuse(place(given[1]), fmt::format("{} exclude each other", quoted(given)), "keep one");
    return given.empty() ? -1
                         : static_cast<int>(std::find(keys.begin(), keys.end(), given[0]) - keys.begin());
}

void SettingsReader::not_with(std::string_view key, Keys others) {
    for (const std::string_view other : others) at_most_one_of({key, other});
}

void SettingsReader::only_with(std::string_view key, std::string_view other) {
    if (present({key}).size() == 1 && present({other}).empty())
        refuse(place(key), fmt::format("\"{}\" goes with \"{}\", which is not here", key, other),
               fmt::format("remove \"{}\"", key));
}

py::object SettingsReader::take(const FieldInfo& info) {
    Frame& frame = frames_.back();
    frame.known.push_back(info.key);
    const std::string key(info.key);
    if (!frame.given.contains(key.c_str())) {
        if (info.required)
            refuse(frame.path, fmt::format("\"{}\" is missing", info.key),
                   fmt::format("add \"{}\" ({})", info.key, info.text));
        return {};
    }
    return frame.given[key.c_str()];
}

void SettingsReader::leave() {
    const Frame& frame = frames_.back();
    for (const auto& item : frame.given) {
        const std::string key = py::str(item.first);
        if (std::find(frame.known.begin(), frame.known.end(), key) != frame.known.end()) continue;
        std::string fix = did_you_mean(key, frame.known);
        if (fix.empty()) fix = fmt::format("known here: {}", fmt::join(frame.known, ", "));
        refuse(frame.path + "." + key, fmt::format("unknown key \"{}\"", key), std::move(fix));
    }
    frames_.pop_back();
}

double SettingsReader::number(const FieldInfo& info, py::handle object) const {
    if (!is_true_number(object)) refuse_type(place(info.key), "a number", object);
    const double value = object.cast<double>();
    if (!in_range(info, value))
        refuse(place(info.key), fmt::format("{} is out of range", value), "use " + range_phrase(info));
    return value;
}

int SettingsReader::whole(const FieldInfo& info, py::handle object) const {
    FieldInfo bounded = info;
    bounded.min = std::max(info.min, static_cast<double>(std::numeric_limits<int>::min()));
    bounded.max = std::min(info.max, static_cast<double>(std::numeric_limits<int>::max()));
    const double value = number(bounded, object);
    if (value != std::floor(value))
        refuse(place(info.key), fmt::format("{} is not a whole number", value),
               "use " + range_phrase(bounded));
    return static_cast<int>(value);
}

void SettingsReader::field(const FieldInfo& info, bool& value) {
    const py::object given = take(info);
    if (!given) return;
    if (!PyBool_Check(given.ptr()) && type_of(given) != "numpy.bool_")
        refuse_type(place(info.key), "True or False", given);
    value = given.cast<bool>();
}
void SettingsReader::field(const FieldInfo& info, int& value) {
    if (const py::object given = take(info)) value = whole(info, given);
}
void SettingsReader::field(const FieldInfo& info, double& value) {
    if (const py::object given = take(info)) value = number(info, given);
}
void SettingsReader::field(const FieldInfo& info, std::optional<double>& value) {
    const py::object given = take(info);
    if (given && !given.is_none()) value = number(info, given);
}
void SettingsReader::field(const FieldInfo& info, std::string& value) {
    const py::object given = take(info);
    if (!given) return;
    if (!py::isinstance<py::str>(given)) refuse_type(place(info.key), "a text", given);
    value = given.cast<std::string>();
}

void SettingsReader::numbers(const FieldInfo& info, std::span<double> values) {
    const py::object given = take(info);
    if (!given) return;
    if (!PySequence_Check(given.ptr()) || py::isinstance<py::str>(given))
        refuse_type(place(info.key), fmt::format("a list of {} numbers", values.size()), given);
    const auto items = py::reinterpret_borrow<py::sequence>(given);
    if (items.size() != values.size())
        refuse(place(info.key),
               fmt::format("this list has {} numbers where {} are needed", items.size(), values.size()),
               values.size() == 3 ? "write (x, y, z)" : "");
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = number(info, items[i]);
}

void SettingsReader::counts(const FieldInfo& info, std::span<int> values) {
    std::vector<double> read(values.begin(), values.end());
    numbers(info, read);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (read[i] != std::floor(read[i]))
            refuse(place(info.key), fmt::format("{} is not a whole number", read[i]),
                   "use " + range_phrase(info));
        values[i] = static_cast<int>(read[i]);
    }
}

void SettingsReader::points(const FieldInfo& info, std::vector<Vec3>& values) {
    const py::object given = take(info);
    if (!given) return;
    const std::string where = place(info.key);
    const Rows rows = Rows::ensure(given);
    if (!rows) PyErr_Clear(), refuse_type(where, "an array of rows of three numbers", given);
    values = to_points(rows, where.c_str());
    for (const Vec3& p : values)
        for (std::size_t k = 0; k < 3; ++k)
            if (!in_range(info, p[k]))
                refuse(where, fmt::format("{} is out of range", p[k]), "use " + range_phrase(info));
}

void SettingsReader::words(const FieldInfo& info, std::vector<std::string>& values) {
    if (const py::object given = take(info)) values = given.cast<std::vector<std::string>>();
}

void SettingsReader::choice(const FieldInfo& info, int& value, std::span<const Choice> choices) {
    const py::object given = take(info);
    if (!given) return;
    if (!py::isinstance<py::str>(given)) refuse_type(place(info.key), "a text", given);
    const std::string word = given.cast<std::string>();
    std::vector<std::string_view> known;
    for (const Choice& choice : choices) {
        if (choice.word == word) return void(value = choice.value);
        known.push_back(choice.word);
    }
    refuse(place(info.key), fmt::format("\"{}\" is not one of {}", word, quoted(known)),
           did_you_mean(word, known));
}

py::dict SettingsReader::to_dict(py::handle object, const std::string& where) const {
    if (py::isinstance<py::dict>(object)) return py::reinterpret_borrow<py::dict>(object);
    if (py::hasattr(object, "_given")) return object.attr("_given");
    refuse_type(where, "a dict or an object of settings", object);
}

bool SettingsReader::begin_group(const FieldInfo& info) {
    const py::object given = take(info);
    if (!given || given.is_none()) return false;
    const std::string where = place(info.key);
    enter(to_dict(given, where), where);
    return true;
}

std::size_t SettingsReader::begin_list(const FieldInfo& info, std::size_t size) {
    const py::object given = take(info);
    List list{py::list(), place(info.key)};
    if (given) {
        if (!PySequence_Check(given.ptr())) refuse_type(list.path, "a list", given);
        list.items = py::list(given);
    }
    lists_.push_back(list);
    return given ? list.items.size() : size;
}

void SettingsReader::begin_item(std::size_t index) {
    const List& list = lists_.back();
    const std::string where = fmt::format("{}[{}]", list.path, index);
    enter(to_dict(py::object(list.items[index]), where), where);
}

namespace {

/// Every field of a struct as a dictionary: for signatures, help texts, stubs and reading settings back.
class FieldLister final : public FieldVisitor {
public:
    py::list take() { return std::move(lists_.front()); }
    FieldLister() { lists_.emplace_back(); }

    void field(const FieldInfo& info, bool& value) override { add(info, "bool", py::bool_(value)); }
    void field(const FieldInfo& info, int& value) override { add(info, "int", py::int_(value)); }
    void field(const FieldInfo& info, double& value) override { add(info, "float", py::float_(value)); }
    void field(const FieldInfo& info, std::string& value) override { add(info, "str", py::str(value)); }
    void field(const FieldInfo& info, std::optional<double>& value) override {
        add(info, "float | None", value ? py::object(py::float_(*value)) : py::none());
    }
    void numbers(const FieldInfo& info, std::span<double> values) override {
        py::tuple out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
        add(info, "Vector", out);
    }
    void counts(const FieldInfo& info, std::span<int> values) override {
        py::tuple out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
        add(info, "Sequence[int]", out);
    }
    void points(const FieldInfo& info, std::vector<Vec3>&) override { add(info, "Points", py::tuple()); }
    void words(const FieldInfo& info, std::vector<std::string>&) override {
        add(info, "Sequence[str]", py::tuple());
    }
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override {
        py::list words;
        py::object now = py::none();
        for (const Choice& choice : choices) {
            words.append(
                py::make_tuple(py::str(std::string(choice.word)), py::str(std::string(choice.text))));
            if (choice.value == value) now = py::str(std::string(choice.word));
        }
        add(info, "str", now);
        py::dict(lists_.back()[lists_.back().size() - 1])["choices"] = words;
    }

protected:
    bool begin_group(const FieldInfo& info) override {
        add(info, "group", py::none());
        lists_.emplace_back();
        return true;
    }
    void end_group() override {
        const py::list fields = std::move(lists_.back());
        lists_.pop_back();
        py::dict(lists_.back()[lists_.back().size() - 1])["fields"] = fields;
    }
    std::size_t begin_list(const FieldInfo& info, std::size_t size) override {
        add(info, "list", py::tuple());
        return size;
    }
    void begin_item(std::size_t) override { lists_.emplace_back(); }
    void end_item() override { end_group(); }
    void end_list() override {}
    bool describes_types() const override { return true; }

private:
    void add(const FieldInfo& info, const char* type, const py::object& value) {
        py::dict field;
        field["key"] = std::string(info.key), field["type"] = type, field["default"] = value;
        field["unit"] = std::string(info.unit), field["text"] = std::string(info.text);
        field["min"] = info.min, field["max"] = info.max, field["min_excluded"] = info.min_excluded;
        field["required"] = info.required;
        const bool bounded = std::isfinite(info.min) || std::isfinite(info.max);
        field["range"] = bounded ? range_phrase(info) : "";
        lists_.back().append(field);
    }
    std::vector<py::list> lists_;
};

struct Kind {
    std::function<py::list()> fields;
    std::function<void(const py::dict&)> check;
};

template <class Settings>
std::pair<const std::string, Kind> kind(const char* name) {
    return {name,
            {[] {
                 Settings settings;
                 FieldLister lister;
                 describe(lister, settings);
                 return lister.take();
             },
             [name](const py::dict& given) { read_settings<Settings>(given, name); }}};
}

const std::map<std::string, Kind>& kinds() {
    static const std::map<std::string, Kind> all{
        kind<Rigid>("Rigid"),
        kind<Fixed>("Fixed"),
        kind<Scripted>("Scripted"),
        kind<Particles>("Particles"),
        kind<Rope>("Rope"),
        kind<Cloth>("Cloth"),
        kind<Jelly>("Jelly"),
        kind<Shells>("Shells"),
        kind<TetSprings>("TetSprings"),
        kind<ShapeMatching>("ShapeMatching"),
        kind<Soft>("Soft"),
        kind<Material>("Material"),
        kind<Look>("Look"),
        kind<ElasticMaterial>("ElasticMaterial"),
        kind<ElasticRegion>("ElasticRegion"),
        kind<MatchSettings>("MatchSettings"),
        kind<IntegrationSettings>("IntegrationSettings"),
        kind<Keyframe>("Keyframe"),
        kind<Blade>("Blade"),
        kind<BallJoint>("BallJoint"),
        kind<HingeJoint>("HingeJoint"),
        kind<SliderJoint>("SliderJoint"),
        kind<FixedJoint>("FixedJoint"),
        kind<DistanceJoint>("DistanceJoint"),
        kind<RopeJoint>("RopeJoint"),
        kind<JointLimits>("JointLimits"),
        kind<JointMotor>("JointMotor"),
        kind<JointSpring>("JointSpring"),
        kind<ConstraintSettings>("ConstraintSettings"),
        kind<WorldSettings>("WorldSettings"),
        kind<ContactSettings>("ContactSettings"),
        kind<SolverSettings>("SolverSettings"),
        kind<SleepSettings>("SleepSettings"),
        kind<SurfaceSettings>("SurfaceSettings"),
        kind<VolumeSettings>("VolumeSettings"),
        kind<TetContactSettings>("TetContactSettings"),
        kind<TetSettings>("TetSettings"),
        kind<OverlapSettings>("OverlapSettings"),
        kind<RepairSettings>("RepairSettings"),
        kind<ImportSettings>("ImportSettings"),
        kind<GenerateSettings>("GenerateSettings"),
        kind<Drag>("Drag"),
    };
    return all;
}

const Kind& kind_of(const std::string& name) {
    const auto found = kinds().find(name);
    if (found == kinds().end()) refuse("kind", "there are no settings \"" + name + "\"", "");
    return found->second;
}

}  // namespace

py::dict to_dict(std::string_view, const std::function<void(FieldVisitor&)>& describe_it) {
    FieldLister lister;
    describe_it(lister);
    const std::function<py::dict(const py::list&)> values = [&](const py::list& fields) {
        py::dict out;
        for (const auto& item : fields) {
            const py::dict field = py::reinterpret_borrow<py::dict>(item);
            out[field["key"]] =
                field.contains("fields") && py::str(field["type"]).cast<std::string>() == "group"
                    ? py::object(values(field["fields"]))
                    : py::object(field["default"]);
        }
        return out;
    };
    return values(lister.take());
}

void bind_settings(py::module_& m) {
    m.def("kinds", [] {
        py::list names;
        for (const auto& [name, kind] : kinds()) names.append(name);
        return names;
    });
    m.def("fields", [](const std::string& name) { return kind_of(name).fields(); });
    m.def("check", [](const std::string& name, const py::dict& given) { kind_of(name).check(given); });
}

}  // namespace plush::python
