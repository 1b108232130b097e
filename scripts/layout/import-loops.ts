import type { Violation } from "./violation.js";

/**
 * Groups of files that import each other in a circle, one violation each (Tarjan's strongly connected components).
 * `imports` gives the files that each file imports.
 */
export function findImportLoops(imports: ReadonlyMap<string, readonly string[]>): Violation[] {
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const loops: string[][] = [];

  const visit = (file: string): void => {
    index.set(file, index.size);
    lowest.set(file, index.size - 1);
    stack.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(file) !== index.get(file)) return;
    const loop = stack.splice(stack.indexOf(file));
    if (loop.length > 1) loops.push(loop);
  };

  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return loops.map((files) => {
    const [file = "", ...others] = [...files].sort();
    return { file, line: 1, rule: `imports itself in a circle, through ${others.join(", ")}` };
  });
}
