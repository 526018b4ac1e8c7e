#ifndef TOMOGRAPH_HOST_EXPORTING_DOCUMENT_NAMES_HPP
#define TOMOGRAPH_HOST_EXPORTING_DOCUMENT_NAMES_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace tomograph::host {

/// How an exporter calls each file: its name, with as many of its folders as tell it from the others. A file that is
/// given twice has the same name twice.
[[nodiscard]] std::vector<std::string> document_names(const std::vector<std::filesystem::path>& files);

}  // namespace tomograph::host

#endif
