// Errors that a person can act on: where, what was expected, what was found, the nearest valid name.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace gpuadvise {

// A place in an input. Lines and columns count from 1; 0 means not known.
struct Place {
  std::string file;  // as the user named it; "-" for standard input, "--flag" for a command-line flag
  int line = 0;
  int column = 0;
  std::string str() const;  // "file:line:column", as much of it as is known
};

// Bad input or wrong usage: exit code 2. what() is one complete message, place first.
class InputError : public std::runtime_error {
 public:
  InputError(const Place& place, std::string_view message);
  const Place& place() const { return place_; }
  const std::string& message() const { return message_; }  // without the place

 private:
  Place place_;
  std::string message_;
};

}  // namespace gpuadvise
