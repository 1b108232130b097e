import { existsSync, readFileSync } from "node:fs";
import { shareOf } from "../../test/support/shares.js";
import { listFiles } from "./dependencies.js";

/** Files that show one promise from different sides, and take long. `npm test` runs one file of each line, another one each day. */
export const alike: readonly (readonly string[])[] = [
  // No rule is broken by relays of more than one node, or with the usual limits. test/conformance/one-node, which checks more rules,
  // runs each day.
  ["test/conformance/two-nodes.test.ts", "test/conformance/federated.test.ts", "test/conformance/usual-limits.test.ts"],
];

export function leftOutToday(): string[] {
  return alike.flatMap((files) => {
    const chosen = shareOf(files, files.length);
    return files.filter((file) => !chosen.includes(file));
  });
}

/** All test files of which `npm test` leaves out something today that it runs on another day. */
export function filesInShares(project: string): string[] {
  const isInShares = (file: string) => file.endsWith(".test.ts") && readFileSync(file, "utf8").includes("shareOf(");
  return [...listFiles(project).filter((file) => existsSync(file) && isInShares(file)), ...alike.flat()];
}
