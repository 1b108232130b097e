import { misspeltVariables, unreadVariables } from "../../platform/config/config.js";
import { seedVariables } from "../../settings/service.js";
import { type Finding, warning } from "./finding.js";

/** Variables that look like the relay's and are not read. */
export function checkVariables(env: NodeJS.ProcessEnv): Finding[] {
  const misspelt = misspeltVariables(env, seedVariables()).map(({ variable, meant }) =>
    warning("configuration", `${variable} is not read`, `if ${meant} is meant, correct the name`),
  );
  const fixed = unreadVariables(env).map((variable) =>
    warning("configuration", `${variable} is not read: its value is fixed`, "remove it"),
  );
  return [...misspelt, ...fixed];
}
