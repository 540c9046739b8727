#include "lab/studies/study.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"

// plush study.

namespace plush::app {

int study(const StudyOptions& options) {
    const auto chosen = lab::find_study(options.name);
    if (!chosen) return report(chosen.error(), options.json);
    lab::StudySettings settings;
    settings.progress = [&](std::string_view what) {
        if (!options.quiet) say(fmt::format("{}: {}", options.name, what));
        return !interrupted();
    };
    try {
        const lab::Report found = [&] {
            const EndsAtOnce guard("the study", options.json);
            return chosen.value()->run(settings);
        }();
        const std::string file = options.out.empty() ? options.name + ".html" : options.out;
        if (auto saved = lab::save_report(found, file); !saved)
            return report(saved.error(), options.json, failed);
        const std::string csv = options.csv.empty()
                                    ? std::filesystem::path(file).replace_extension().string() + "_csv"
                                    : options.csv;
        if (auto saved = lab::save_csv(found, csv); !saved)
            return report(saved.error(), options.json, failed);
        if (options.json)
            return print_json({{"report", file}, {"csv", csv}, {"figures", lab::figures(found)}});
        return options.quiet
                   ? done
                   : print(fmt::format("{}{}: {}\n{}: its numbers\n", found.text, file, found.title, csv));
    } catch (const Error& error) {
        return report(error, options.json, failed);
    }
}

}  // namespace plush::app
