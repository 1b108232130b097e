export type Shell = keyof typeof scripts;

/** A position on the command line, after the words of `path`, and what may follow it. */
export interface Place {
  /** Words separated by spaces, beginning with the program's name. */
  path: string;
  /** Commands, or values of the command's arguments. */
  words: readonly Suggestion[];
  options: readonly (Suggestion & { takesValue: boolean })[];
}

interface Suggestion {
  name: string;
  description: string;
}

// Each script finds the position on the command line from the words before the cursor that name commands, and offers
// what may follow. After an option with a value it offers files.
export const scripts = { bash, zsh, fish };

function bash(places: readonly Place[]): string {
  const found = places.map(
    ({ path, words, options }) =>
      `    ${quoted(path)}) words=${quoted(words.map(({ name }) => name).join(" "))}; options=${quoted(options.map(({ name }) => name).join(" "))} ;;`,
  );
  return `# bash completion for mls-relay
_mls_relay() {
  local at=mls-relay words="" options="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${commandPaths(places)}) at+=" \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
    ${optionsWithValue(places).join("|")}) return ;;
  esac
  case "$at" in
${found.join("\n")}
  esac
  [[ "\${COMP_WORDS[COMP_CWORD]}" == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mls_relay mls-relay
`;
}

function zsh(places: readonly Place[]): string {
  const entry = (one: { name: string; description: string }): string =>
    quoted(`${one.name.replaceAll(":", "\\:")}:${one.description}`);
  const found = places.map(
    ({ path, words, options }) =>
      `    ${quoted(path)}) found=(${words.map(entry).join(" ")}); options=(${options.map(entry).join(" ")}) ;;`,
  );
  return `#compdef mls-relay
_mls_relay() {
  local at=mls-relay word
  local -a found options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${commandPaths(places)}) at+=" $word" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
    ${optionsWithValue(places).join("|")}) _files; return ;;
  esac
  case "$at" in
${found.join("\n")}
  esac
  [[ "\${words[CURRENT]}" == -* ]] && found=("\${options[@]}")
  if (( \${#found} )); then _describe mls-relay found; else _files; fi
}
if [[ "\${funcstack[1]}" == _mls_relay ]]; then _mls_relay "$@"; else compdef _mls_relay mls-relay; fi
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const here = `complete -c mls-relay -n ${quoted(`__mls_relay_at ${quoted(path)}`)}`;
    return [
      ...words.map(({ name, description }) => `${here} -f -a ${quoted(name)} -d ${quoted(description)}`),
      ...options.map(({ name, description, takesValue }) =>
        [here, "-l", name.replace(/^--/, ""), ...(takesValue ? ["-r"] : ["-f"]), "-d", quoted(description)].join(" "),
      ),
    ];
  });
  const cases = places.slice(1).map(({ path }) => quoted(path));
  return `# fish completion for mls-relay
function __mls_relay_at
  set -l at mls-relay
  set -l given (commandline -opc)
  set -e given[1]
  for word in $given
    switch "$at $word"
      case ${cases.join(" ")}
        set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
${lines.join("\n")}
`;
}

/** The patterns of a `case` for every command except the program. */
function commandPaths(places: readonly Place[]): string {
  return places
    .slice(1)
    .map(({ path }) => quoted(path))
    .join("|");
}

function optionsWithValue(places: readonly Place[]): string[] {
  const all = places.flatMap(({ options }) => options).filter(({ takesValue }) => takesValue);
  return [...new Set(all.map(({ name }) => name))].sort();
}

/**
 * Quotes for all three shells: inside single quotes, the quotes end, an escaped quote follows, and new quotes begin.
 */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
