import type { RouteEntry } from "./contract.js";

export interface PathRoutes {
  path: string;
  operations: { id: string; entry: RouteEntry }[];
}

/**
 * The operations by path, in an order in which the first match is the right one: a literal segment goes before a
 * parameter (OpenAPI, "path templating matching").
 */
export function byPath(routes: Readonly<Record<string, RouteEntry>>): PathRoutes[] {
  const paths = new Map<string, PathRoutes>();
  for (const [id, entry] of Object.entries(routes)) {
    const known = paths.get(entry.path) ?? { path: entry.path, operations: [] };
    known.operations.push({ id, entry });
    paths.set(entry.path, known);
  }
  return [...paths.values()].sort((a, b) => rank(a.path).localeCompare(rank(b.path)));
}

/** Sorts literals before parameters, segment by segment. */
function rank(path: string): string {
  const segments = path.split("/");
  return segments.map((segment) => (segment.startsWith(":") ? "1" : "0")).join("");
}
