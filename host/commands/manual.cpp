#include "commands/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <vector>

#include "commands/exit_code.hpp"
#include "tomograph/documents/atomic_file.hpp"
#include "version.hpp"

namespace tomograph::host {
namespace {

/// Text in which roff finds no requests, escapes or hyphens.
std::string roff(const std::string& text) {
  std::string escaped;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    begins_line = c == '\n';
  }
  return escaped;
}

std::string exit_codes() {
  std::string text;
  int code = -1;
  for (const ExitCodeMeaning& meaning : exit_code_meanings) {
    text += meaning.code == code ? ".br\n" : fmt::format(".TP\n.B {}\n", meaning.code);
    if (!meaning.command.empty()) text += fmt::format(".BR \"tomograph {}\" :\n", meaning.command);
    text += roff(std::string(meaning.text)) + ".\n";
    code = meaning.code;
  }
  return text;
}

std::string page_name(const CommandEntry& entry) {
  return entry.path.empty() ? "tomograph" : "tomograph-" + entry.path.front();
}

std::string command_text(const CommandEntry& entry) {
  return entry.path.empty() ? "tomograph" : fmt::format("tomograph {}", fmt::join(entry.path, " "));
}

std::string with_full_stop(const std::string& text) { return text.ends_with('.') ? text : text + "."; }

std::string synopsis(const CommandEntry& entry) {
  std::string text = ".B " + roff(command_text(entry)) + "\n";
  if (entry.path.empty()) return text + ".I COMMAND\n";
  text += ".RI [ options ]\n";
  for (const CommandOption& option : entry.options) {
    if (!option.is_positional) continue;
    text +=
        option.is_required ? ".I " + roff(option.names.front()) + "\n" : ".RI [ " + roff(option.names.front()) + " ]\n";
  }
  return text;
}

std::string options_text(const CommandEntry& entry) {
  std::string text;
  for (const CommandOption& option : entry.options) {
    const std::string names = roff(fmt::format("{}", fmt::join(option.names, ", ")));
    text += ".TP\n";
    if (option.is_positional) {
      text += ".I " + names + "\n";
    } else {
      text += option.takes_value ? ".BI \"" + names + " \" value\n" : ".B \"" + names + "\"\n";
    }
    text += roff(with_full_stop(option.description));
    if (!option.choices.empty())
      text += fmt::format(" One of {}.", roff(fmt::format("{}", fmt::join(option.choices, ", "))));
    text += "\n";
  }
  return text;
}

std::string heading(const CommandEntry& entry, const std::string& date) {
  std::string title = page_name(entry);
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string purpose = entry.description.substr(0, entry.description.find('\n'));
  while (purpose.ends_with('.')) purpose.pop_back();
  return fmt::format(".TH {} 1 {} \"Tomograph {}\" \"Tomograph\"\n.SH NAME\n{} \\- {}\n", roff(title), date,
                     tool_version, roff(page_name(entry)), roff(purpose));
}

/// The page of a command with the commands below it.
std::string page(std::span<const CommandEntry> entries, const std::string& date) {
  std::string text = heading(entries.front(), date) + ".SH SYNOPSIS\n";
  for (const CommandEntry& entry : entries) text += (&entry == &entries.front() ? "" : ".br\n") + synopsis(entry);
  for (const CommandEntry& entry : entries) {
    if (&entry != &entries.front())
      text += ".SH \"" + roff(command_text(entry)) + "\"\n" + roff(with_full_stop(entry.description)) + "\n";
    if (&entry == &entries.front()) text += ".SH OPTIONS\n";
    text += options_text(entry);
  }
  return text + ".SH EXIT STATUS\n" + exit_codes() + ".SH SEE ALSO\n.BR tomograph (1)\n";
}

std::string main_page(std::span<const CommandEntry> tree, const std::string& date) {
  std::string text = heading(tree.front(), date) + ".SH SYNOPSIS\n" + synopsis(tree.front()) + ".SH COMMANDS\n";
  std::string pages;
  for (const CommandEntry& entry : tree) {
    if (entry.path.size() != 1) continue;
    text += ".TP\n.B " + roff(entry.path.front()) + "\n" + roff(with_full_stop(entry.description)) + "\n";
    pages += (pages.empty() ? ".BR " : ",\n.BR ") + roff(page_name(entry)) + " (1)";
  }
  return text + ".SH OPTIONS\n" + options_text(tree.front()) + ".SH EXIT STATUS\n" + exit_codes() + ".SH SEE ALSO\n" +
         pages + "\n";
}

}  // namespace

std::map<std::string, std::string> manual_pages(std::span<const CommandEntry> tree, const std::string& date) {
  std::map<std::string, std::string> pages{{"tomograph.1", main_page(tree, date)}};
  for (std::size_t begin = 1; begin < tree.size();) {
    std::size_t end = begin + 1;
    while (end < tree.size() && tree[end].path.size() > 1) ++end;
    pages[page_name(tree[begin]) + ".1"] = page(tree.subspan(begin, end - begin), date);
    begin = end;
  }
  return pages;
}

void add_manual_command(CLI::App& app, std::function<int()>& selected) {
  struct ManualOptions {
    std::filesystem::path folder;
    std::string date;
  };
  const auto options = std::make_shared<ManualOptions>();
  CLI::App* verb = app.add_subcommand("manual", "Write the manual pages into a folder")->group("");
  verb->add_option("FOLDER", options->folder, "Folder that exists")->required();
  verb->add_option("--date", options->date, "Date of the pages")->required();
  verb->callback([&app, options, &selected] {
    selected = [&app, options] {
      for (const auto& [name, text] : manual_pages(command_tree(app), options->date)) {
        write_atomically(options->folder / name, text, Durable::no);
      }
      return 0;
    };
  });
}

}  // namespace tomograph::host
