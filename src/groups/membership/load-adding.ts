import type { addingWith } from "./adding-members.js";
import { addingParts } from "./adding-parts.js";

/** Adding members is loaded when this device first adds somebody. */
export async function loadAdding(): Promise<ReturnType<typeof addingWith>> {
  return (await import("./adding-members.js")).addingWith(addingParts);
}
