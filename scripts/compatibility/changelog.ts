import type { BreakingChange } from "./breaking-change.js";

const opening = /^- Breaking: /;

/**
 * The breaking changes that the changelog does not announce. An entry of the section `Unreleased` announces one if it begins
 * with `- Breaking:` and names the operation, frame or error in backquotes.
 */
export function unannounced(breakingChanges: readonly BreakingChange[], changelog: string): BreakingChange[] {
  const announced = new Set(
    breakingEntries(changelog).flatMap((entry) => [...entry.matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
  );
  return breakingChanges.filter(({ subject }) => !announced.has(subject));
}

function breakingEntries(changelog: string): string[] {
  const section = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog)?.[1] ?? "";
  return section
    .split(/\n(?=- )/)
    .map((entry) => entry.trim())
    .filter((entry) => opening.test(entry));
}
