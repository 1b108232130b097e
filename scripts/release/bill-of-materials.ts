import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { type Bundled, bundledIn, type Published } from "./licences.js";

const run = promisify(execFile);

export interface Component {
  "bom-ref": string;
  type: string;
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses?: unknown[];
  properties?: { name: string; value: string }[];
}

interface Bill {
  metadata: { timestamp?: string; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

/**
 * Writes the CycloneDX bill of materials of a package: what the lock file resolves its dependencies to, and what is bundled
 * into it. Returns the components that npm installs.
 */
export async function billOfMaterials(
  sources: string,
  { shipped, epochSeconds, file }: { shipped: Published; epochSeconds: number; file: string },
): Promise<Component[]> {
  const chosen = shipped.folder === "." ? ["--no-workspaces"] : ["--workspace", shipped.name];
  const fixed = ["--package-lock-only", "--omit", "dev", "--output-reproducible", "--flatten-components"];
  await run("node_modules/.bin/cyclonedx-npm", [...fixed, ...chosen, "--output-file", file], { cwd: sources });
  const bill: Bill = JSON.parse(await readFile(file, "utf8"));
  if (shipped.folder !== ".") describeWorkspace(bill, shipped.name);
  const brought = [...bill.components];
  bill.metadata.timestamp = new Date(epochSeconds * 1_000).toISOString();
  bill.components.push(...(await bundledIn(sources, shipped)).map(bundledComponent));
  await writeFile(file, `${JSON.stringify(bill, null, 2)}\n`);
  return brought;
}

/** The tool describes the project's root, with the workspace as its only dependency. */
function describeWorkspace(bill: Bill, name: string): void {
  const nameOf = ({ group, name: own }: Component): string => (group === undefined ? own : `${group}/${own}`);
  const found = bill.components.find((component) => nameOf(component) === name);
  if (found === undefined) throw new Error(`the bill of materials has no ${name}`);
  const root = bill.metadata.component["bom-ref"];
  bill.metadata.component = found;
  bill.components = bill.components.filter((component) => component !== found);
  bill.dependencies = bill.dependencies.filter(({ ref }) => ref !== root);
}

function bundledComponent({ name, version, licence }: Bundled): Component {
  const [, group, own = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const isExpression = / /.test(licence);
  return {
    "bom-ref": `bundled|${name}@${version}`,
    type: "library",
    ...(group === undefined ? {} : { group }),
    name: own,
    version,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    licenses: [isExpression ? { expression: licence } : { license: { id: licence } }],
    properties: [{ name: "mls-relay:bundled", value: "true" }],
  };
}
