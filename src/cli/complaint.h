// What is wrong with the input or the command line, as the reader is told it.
#pragma once

#include <string>
#include <string_view>

#include "gpuadvise/error.h"

#include "base/message.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace gpuadvise::cli {

// A text that was built in English, such as that of an error.
std::string in_language(std::string_view english, Lang lang);
// "file:line:column: what is wrong", the latter in `lang`.
std::string in_language(const InputError& error, Lang lang);

// What the parser of the command line holds against it, in our own words.
std::string complaint(const CLI::ParseError& error, const CLI::App& app, const base::Texts& texts);

}  // namespace gpuadvise::cli
