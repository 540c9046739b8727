#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plush/world/world.hpp"

namespace plush {

class Scene;

/// What came of reading a scene: all errors at once, not only the first.
struct SceneLoad;

/// One of the ways in which a scene is run beside itself: "variants" of the scene file.
struct SceneVariant {
    std::string name{};   ///< a-z, 0-9, _ and -: also the name of a folder
    std::string label{};  ///< for people; the name where the file gives none
    bool operator==(const SceneVariant&) const = default;
};

/// A place of a camera at a time.
struct SceneCameraKeyframe {
    double time = 0;            ///< s
    Vec3 position{}, target{};  ///< m
    double fov = 30;            ///< vertical, degrees
};

/// From where a scene is seen best.
struct SceneCamera {
    std::optional<Vec3> position{}, target{};  ///< m; default: found by itself
    double fov = 30;                           ///< vertical, degrees
    std::string follow{};                      ///< the name of a body; empty: none
    double orbit = 0;                          ///< degrees a second
    std::vector<SceneCameraKeyframe> keyframes{};
};

/// How a scene is pictured where nothing else is asked for.
struct ScenePicture {
    std::optional<SceneCamera> camera{};  ///< default: one that holds everything that moves
    std::optional<double> time{};         ///< the moment, s; default: the end
};

/// A scene file, read and checked, ready to become a world.
class PLUSH_API Scene {
public:
    /// `scene` is a file, or the name of a built-in scene. `set` holds overrides such as "step=0.01" or
    /// "bodies[2].rigid.density=500"; they win over those of the variant. Without a variant, the scene as it
    /// is without its variants. Throws the first error.
    static Scene load(const std::string& scene, std::span<const std::string> set = {},
                      const std::string& variant = {});
    static SceneLoad try_load(const std::string& scene, std::span<const std::string> set = {},
                              const std::string& variant = {});
    /// From text; relative paths in it start from `folder`, and messages call it `name`.
    static SceneLoad try_parse(std::string_view text, const std::filesystem::path& folder,
                               const std::string& name, std::span<const std::string> set = {},
                               const std::string& variant = {});

    const std::string& name() const;                 ///< "bowl"; of a variant "bowl/deep"
    const std::string& description() const;          ///< one line
    double duration() const;                         ///< s
    double frame_rate() const;                       ///< recorded frames a second of simulated time
    const std::vector<std::string>& record() const;  ///< more columns of metrics.csv (docs/formats.md)
    double record_every() const;                     ///< s between their values; 0: at every step
    const WorldSettings& settings() const;
    const ScenePicture& picture() const;
    /// In the order of the file; empty where a variant was chosen: it has none itself.
    const std::vector<SceneVariant>& variants() const;
    /// The whole scene as one JSON text: includes expanded, overrides applied, paths absolute. Reading it
    /// again gives the same world; runs keep it beside their checkpoint.
    const std::string& resolved() const;

    /// A new world at time 0. The same scene gives the same world, bit for bit. `threads` 0: all there are.
    World build(int threads = 0) const;

    struct Data;

private:
    friend struct SceneReader;
    std::shared_ptr<const Data> data_;
};

/// A scene that was read, or what is wrong with it.
struct SceneLoad {
    std::optional<Scene> scene{};          ///< present when there is no error
    std::vector<Error> errors{};           ///< in the order of the file
    std::vector<Error> warnings{};         ///< usable, but probably not meant
    std::vector<SceneVariant> variants{};  ///< also where there are errors
};

/// A scene and all its variants, with everything that is wrong with any of them.
struct VariantsLoad {
    std::vector<SceneVariant> variants{};
    /// The scene itself where it has no variants; else those of the variants that can be used, if the scene can be used
    /// without any.
    std::vector<Scene> scenes{};
    std::vector<SceneVariant> usable{};  ///< the variants of `scenes`
    std::vector<Error> errors{};         ///< those of a variant name it
    std::vector<Error> warnings{};
};
PLUSH_API VariantsLoad try_load_variants(const std::string& scene, std::span<const std::string> set = {});

/// A scene that comes with Plush.
struct BuiltinScene {
    std::string name, description;
    std::filesystem::path file;
    std::vector<std::string> variants{};  ///< their names
};

/// The scenes that come with Plush, by name. Their folder: $PLUSH_SCENES, beside the source tree that was
/// built, or the installed share/plush/scenes next to the program.
PLUSH_API std::vector<BuiltinScene> builtin_scenes();

/// The JSON Schema of scene files, as text.
PLUSH_API std::string scene_schema();

/// The reference page of scene files, docs/scenes.md, as Markdown: made from the same descriptions.
PLUSH_API std::string scene_reference_markdown();

}  // namespace plush
