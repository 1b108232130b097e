import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

// Shows what a change of the lock file adds and removes, and what a reviewer asks about each package: its licence, its
// size, whether operators install it, and whether it runs a script on installation. It reads only installed packages.
//
//   npm run lab -- check-lock [base, default: main]

interface Locked {
  version?: string;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  link?: boolean;
}

const root = new URL("../", import.meta.url).pathname;
const base = process.argv[2] ?? "main";
const locked = (text: string): Map<string, Locked> => {
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  return new Map(Object.entries(packages).filter(([place, { link }]) => place.includes("node_modules/") && !link));
};
const show = ["show", `${base}:package-lock.json`];
const before = locked(execFileSync("git", show, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }));
const after = locked(readFileSync(join(root, "package-lock.json"), "utf8"));

const removed = [...before].filter(([place, { version }]) => after.get(place)?.version !== version);
const added = [...after].filter(([place, { version }]) => before.get(place)?.version !== version);
for (const [place, entry] of removed) console.log(`- ${nameOf(place)}@${entry.version}`);
for (const [place, entry] of added) {
  const facts = [
    entry.license ?? "NO LICENCE NAMED",
    sizeOf(join(root, place)),
    entry.dev ? "development only" : "SHIPPED",
    ...(entry.hasInstallScript ? ["RUNS AN INSTALL SCRIPT"] : []),
  ];
  console.log(`+ ${nameOf(place)}@${entry.version}  ${facts.join(", ")}`);
}
console.log(`${removed.length} removed, ${added.length} added since ${base}`);

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** Without the packages nested in it. */
function sizeOf(folder: string): string {
  if (!existsSync(folder)) return "not installed here";
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.slice(folder.length).includes("node_modules"),
  );
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return `${Math.ceil(bytes / 1_000).toLocaleString("en")} kB`;
}
