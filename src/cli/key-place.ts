import { homedir } from "node:os";
import path from "node:path";

/**
 * Where an administrator's key lies unless a command is told: in the account's own configuration folder, so that no key
 * gets into the folder in which a command happens to be run.
 */
export function usualKeyFile(env: NodeJS.ProcessEnv): string {
  const given = env["XDG_CONFIG_HOME"] ?? "";
  const folder = path.isAbsolute(given) ? given : path.join(env["HOME"] || homedir(), ".config");
  return path.join(folder, "mls-relay", "admin-key.pem");
}
