#include "plush/view/view.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"

namespace plush::app {

int view(const ViewOptions& o) {
    int printed = done;
    view::ServeSettings settings{.names = o.names,
                                 .set = o.set,
                                 .variants = o.variants,
                                 .methods = o.methods,
                                 .port = o.port,
                                 .threads = o.threads,
                                 .save_input = o.save_input};
    settings.warn = [&](const Error& warning) {
        if (!o.quiet) say(fmt::format("warning: {}", warning.what()));
    };
    settings.ready = [&](const std::string& address) {
        printed = o.json ? print_json({{"address", address}}) : print(address + "\n");
        if (!o.quiet) say("open this address in a browser on this machine; Ctrl-C ends the viewer");
    };
    settings.stop = [&] { return interrupted() || printed != done; };
    const HearsSignals guard(
        Error({.problem = "the viewer was stopped by a signal", .cure = "give the command again"}), o.json);
    const auto served = view::serve(settings);
    if (!served) return report(served.error(), o.json);
    return printed;
}

}  // namespace plush::app
