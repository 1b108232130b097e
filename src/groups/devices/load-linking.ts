import type { linkingWith } from "./linking.js";
import { linkingParts } from "./linking-parts.js";

/** Linking is loaded when a device is first linked. */
export async function loadLinking(): Promise<ReturnType<typeof linkingWith>> {
  return (await import("./linking.js")).linkingWith(linkingParts);
}
