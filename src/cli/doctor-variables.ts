import { misspeltVariables } from "../composition/config.js";
import { seedVariables } from "../settings/service.js";
import { type Finding, warning } from "./doctor-finding.js";

/** Variables that look like the relay's but are not read. */
export function checkVariables(env: NodeJS.ProcessEnv): Finding[] {
  return misspeltVariables(env, seedVariables()).map(({ variable, meant }) =>
    warning("configuration", `${variable} is not read`, `if ${meant} is meant, correct the name`),
  );
}
