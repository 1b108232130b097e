/** The prefix of the variables that seed the settings. */
export const seedPrefix = "SEED_";

/** Everything that is wrong with the environment, one problem per line, each beginning with the variable's name. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** What an operator is told about a variable. */
export interface VariableDescription {
  variable: string;
  description: string;
  form: string;
  fallback: string;
}

/** One line of the help text: `  PORT   The TCP port (integer 0..65535; default 8080)`. */
export function describeVariable(
  variable: string,
  about: { description: string; form: string; fallback: string },
): string {
  return `  ${variable.padEnd(46)} ${about.description} (${about.form}; default ${about.fallback})`;
}

/** `connectionsPerIp` -> `CONNECTIONS_PER_IP`. */
export function variableName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
