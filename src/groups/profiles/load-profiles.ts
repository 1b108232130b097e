import { profileParts } from "./profile-parts.js";
import type { profilesWith } from "./profiles.js";

/** What sets profiles and reads pictures is loaded when it is first used. */
export async function loadProfiles(): Promise<ReturnType<typeof profilesWith>> {
  return (await import("./profiles.js")).profilesWith(profileParts);
}
