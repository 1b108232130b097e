import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import { variableNames } from "../composition/config.js";
import { ConfigError } from "../platform/config/variables.js";
import { seedVariables } from "../settings/service.js";

/** Node.js or libraries read these while they run, so a file may set them, too. */
const othersVariables = [
  "NODE_ENV",
  "TZ",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_REGION",
  "AWS_PROFILE",
];

/** Gives every command the option `--env-file`. The file is read before the command starts. */
export function acceptEnvFile(program: Command): void {
  program
    .option("--env-file <file>", "variables to take from a file, `NAME=value` in each line; the environment wins")
    .hook("preAction", async () => {
      const { envFile } = program.opts<{ envFile?: string }>();
      if (envFile !== undefined) await addToEnvironment(envFile);
    });
  showInHelp(program);
}

function showInHelp(command: Command): void {
  command.configureHelp({ showGlobalOptions: true });
  for (const inner of command.commands) showInHelp(inner);
}

async function addToEnvironment(file: string): Promise<void> {
  const text = await readFile(file, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`the file of --env-file cannot be read`, { cause });
  });
  const variables = parseEnvFile(text, file);
  const asNode = parseEnv(text);
  for (const [name, value] of variables) {
    // Node.js 20 reads the option itself, wherever it stands, and ends unquoted values at a `#`.
    const isNew = process.env[name] === undefined || process.env[name] === asNode[name];
    if (isNew) process.env[name] = value;
  }
}

/**
 * Accepts what systemd (`EnvironmentFile=`) and a shell (`. relay.env`) read in the same way: comments, and
 * `NAME=value` with or without quotes. Throws with the numbers of other lines and of lines with variables that the
 * relay does not know. The message never contains a value, because it may be a secret.
 */
function parseEnvFile(text: string, file: string): Map<string, string> {
  const known = new Set([...variableNames(), ...seedVariables(), ...othersVariables]);
  const variables = new Map<string, string>();
  const problems: string[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const forShells = forShellsOnly(line);
    if (forShells !== undefined) {
      problems.push(`${file}, line ${at + 1}: ${forShells}`);
      continue;
    }
    const [, name = "", quoted = ""] = /^([A-Za-z_]\w*)=(.*?)\s*$/.exec(line) ?? [];
    const value = unquoted(quoted);
    const problem = problemOf({ name, value, known, variables });
    if (problem !== undefined) problems.push(`${file}, line ${at + 1}: ${problem}`);
    else variables.set(name, value as string);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return variables;
}

/** What other programs accept at the beginning of a line, but systemd does not. */
function forShellsOnly(line: string): string | undefined {
  if (line.startsWith("\uFEFF")) {
    return "it begins with a byte order mark (BOM), which systemd does not accept: save the file as UTF-8 without one";
  }
  if (/^\s*export\s/.test(line)) return "systemd does not accept `export`: write NAME=value alone";
  return undefined;
}

interface Line {
  /** Empty if the line is not `NAME=…`. */
  name: string;
  value: string | undefined;
  known: ReadonlySet<string>;
  variables: ReadonlyMap<string, string>;
}

function problemOf({ name, value, known, variables }: Line): string | undefined {
  if (name === "") return "it is not NAME=value";
  if (value === undefined) return `the value of ${name} needs quotes around all of it, and none within`;
  if (variables.has(name)) return `${name} was set in a line above`;
  if (known.has(name)) return undefined;
  return `the relay has no variable ${name}; \`mls-relay config\` lists all`;
}

/** A value without quotes; undefined if systemd and a shell would read different values. */
function unquoted(text: string): string | undefined {
  const [, single, double] = /^(?:'([^']*)'|"([^"\\$`]*)")$/.exec(text) ?? [];
  const inner = single ?? double;
  if (inner !== undefined) return inner;
  return /["'\\$`;&|<>()\s]/.test(text) ? undefined : text;
}
