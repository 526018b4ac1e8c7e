"""nothing_is_missing.py TOMOGRAPH SHARE MAN: every command and option that --help prints is in the completions and pages."""

import pathlib
import re
import subprocess
import sys

program, share, man = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def help_of(*command):
    return subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout


def commands_in(text):
    section = re.split(r"^Subcommands:$", text, flags=re.M)[1:]
    return re.findall(r"^  ([a-z]+) ", section[0], flags=re.M) if section else []


def options_in(text):
    return re.findall(r"(?:^  |,)(--?[a-z-]+)", text, flags=re.M)


def names():
    """Each command, and each option with its command."""
    for command in commands_in(help_of()):
        yield command, None
        pages = [help_of(command)]
        for below in commands_in(pages[0]):
            yield command, below
            pages.append(help_of(command, below))
        for option in {option for page in pages for option in options_in(page)}:
            yield command, option


def is_in_fish(text, command, name):
    lines = [line for line in text.splitlines() if name is None or f"__fish_seen_subcommand_from {command}" in line]
    if name is None:
        wanted = rf" -a {command} "
    elif name.startswith("--"):
        wanted = rf" -l {name[2:]}\b"
    else:
        wanted = rf" -s {name[1:]}\b" if name.startswith("-") else rf" -a {name} "
    return any(re.search(wanted, line) for line in lines)


def section(text, begin, end):
    match = re.search(begin + r"(.*?)" + end, text, flags=re.S)
    return match.group(1) if match else ""


bash = (share / "bash-completion/completions/tomograph").read_text()
zsh = (share / "zsh/site-functions/_tomograph").read_text()
fish = (share / "fish/vendor_completions.d/tomograph.fish").read_text()
missing = []
count = 0
for command, name in names():
    count += 1
    page = (man / f"tomograph-{command}.1").read_text().replace("\\-", "-")
    word = rf"(?<![\w-]){re.escape(name or command)}(?![\w-])"
    places = {
        "bash": section(bash, rf"'{command}'\) options=", r";;" if name else r";;"),
        "zsh": section(zsh, rf"\n    {command}\)\n", r" ;;\n") if name else zsh,
        "man": page,
    }
    if name is None:
        places["bash"] = section(bash, r"    ''\) options=", r";;")
    missing += [f"{shell}: {command} {name or ''}" for shell, text in places.items() if not re.search(word, text)]
    if not is_in_fish(fish, command, name):
        missing.append(f"fish: {command} {name or ''}")
print(f"{count} names, {len(missing)} missing", *missing, sep="\n")
sys.exit(1 if missing or count < 60 else 0)
