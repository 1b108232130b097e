import type { searchWith } from "./search.js";
import { searchParts } from "./search-parts.js";

/** The search is loaded when a user first searches. */
export async function loadSearch(): Promise<ReturnType<typeof searchWith>> {
  return (await import("./search.js")).searchWith(searchParts);
}
