#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What takes foreign bytes, each as a function that libFuzzer and the short tests call: it gives the bytes to a reader, and
// stops the program where what was read breaks the reader's promise. What a reader refuses is no finding, whatever it says.

namespace plush::fuzz {

struct Target {
    std::string_view name;
    void (*run)(std::string_view input);
    std::vector<std::string> (*seeds)();  ///< inputs that are read without a complaint, to begin with
};
/// All, by name.
std::span<const Target> targets();
/// Null where there is none of that name.
const Target* find_target(std::string_view name);

/// Aborts with a message where `holds` is false.
void expect(bool holds, const char* promise);

/// A folder for this process, gone at its end; a file of it with this content.
std::string file_with(std::string_view name, std::string_view content);

/// tests/fuzz/corpus/NAME.txt: what the fuzzer found worth keeping, an input a line, with the escapes of C.
std::vector<std::string> kept_inputs(std::string_view name);
std::string escaped(std::string_view bytes);
std::string unescaped(std::string_view line);

/// Changes `bytes` as `script` says: records of eight bytes, each a place and what to do there.
void edit(std::vector<std::byte>& bytes, std::string_view script);

// The targets, by file.
void run_obj(std::string_view input);
void run_off(std::string_view input);
void run_ply(std::string_view input);
void run_stl(std::string_view input);
void run_msh(std::string_view input);
void run_medit(std::string_view input);
void run_pipeline(std::string_view input);
std::vector<std::string> obj_seeds();
std::vector<std::string> off_seeds();
std::vector<std::string> ply_seeds();
std::vector<std::string> stl_seeds();
std::vector<std::string> msh_seeds();
std::vector<std::string> medit_seeds();
std::vector<std::string> pipeline_seeds();

void run_scene(std::string_view input);
void run_override(std::string_view input);
std::vector<std::string> scene_seeds();
std::vector<std::string> override_seeds();

void run_snapshot(std::string_view input);
void run_world_file(std::string_view input);
std::vector<std::string> edit_seeds();

void run_frames(std::string_view input);
void run_checkpoint(std::string_view input);
void run_metrics(std::string_view input);
std::vector<std::string> metrics_seeds();

void run_messages(std::string_view input);
void run_input_record(std::string_view input);
std::vector<std::string> message_seeds();
std::vector<std::string> input_record_seeds();

}  // namespace plush::fuzz
