import { backupWith } from "./backup.js";
import { comingBackWith } from "./coming-back.js";
import type { RecoveryParts } from "./recovery-parts.js";

/** Made with what is shared with the rest of the library. */
export function recoveryWith(parts: RecoveryParts): ReturnType<typeof backupWith> & ReturnType<typeof comingBackWith> {
  return { ...backupWith(parts), ...comingBackWith(parts) };
}
