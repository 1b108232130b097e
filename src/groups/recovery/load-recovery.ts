import type { recoveryWith } from "./recovery.js";
import { recoveryParts } from "./recovery-parts.js";

/** Recovery is loaded when it is first used. */
export async function loadRecovery(): Promise<ReturnType<typeof recoveryWith>> {
  return (await import("./recovery.js")).recoveryWith(recoveryParts);
}
