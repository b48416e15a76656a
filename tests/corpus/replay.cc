#include "tests/corpus/replay.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace tessera::corpus {

std::vector<std::string> inputs(std::string_view name) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(TESSERA_CORPUS) / name)) {
    paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> inputs;
  for (const std::filesystem::path& path : paths) {
    std::ifstream stream(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

std::size_t replay(std::string_view name, void (*fuzz)(std::string_view input)) {
  constexpr int kChangedCopies = 300;
  std::size_t runs = 0;
  std::mt19937_64 random(1);
  for (const std::string& input : inputs(name)) {
    fuzz(input);
    ++runs;
    for (int copy = 0; copy < kChangedCopies && !input.empty(); ++copy, ++runs) {
      std::string changed = input;
      for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
        const std::size_t place = random() % changed.size();
        switch (random() % 4) {
          case 0:
            changed[place] = static_cast<char>(random());
            break;
          case 1:
            changed[place] = input[random() % input.size()];
            break;
          case 2:
            changed.insert(place, input.substr(random() % input.size(), random() % 20));
            break;
          default:
            changed.erase(place, random() % 5);
            break;
        }
        if (changed.empty()) changed = "x";
      }
      fuzz(changed);
    }
  }
  return runs;
}

}  // namespace tessera::corpus
