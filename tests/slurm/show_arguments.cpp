// SPDX-FileCopyrightText: 2026 The slipway authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <string>

// Prints its name, its arguments and the variable TITLE in a form that survives any log: letters as they are, all else
// as \xHH.
namespace {

void show(const char* what, const std::string& text) {
  std::string line = what;
  for (const char letter : text) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (plain) {
      line += letter;
      continue;
    }
    char code[5];
    std::snprintf(code, sizeof code, "\\x%02x", static_cast<unsigned char>(letter));
    line += code;
  }
  std::puts(line.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argv[0];
  show("program ", path.substr(path.rfind('/') + 1));
  for (int i = 1; i < argc; ++i) show("argument ", argv[i]);
  const char* const title = std::getenv("TITLE");
  show("title ", title ? title : "(none)");
}
