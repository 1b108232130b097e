import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { checkExamples } from "./contract-rules/examples.js";
import type { Finding } from "./contract-rules/finding.js";
import { checkOperations } from "./contract-rules/operations.js";
import { checkSchemas } from "./contract-rules/schemas.js";
import { bundleContract } from "./generate/bundle.js";
import { readCatalogue } from "./generate/catalogue.js";
import { expandErrors } from "./generate/expand-errors.js";
import { inlineExamples } from "./generate/inline-examples.js";

const run = promisify(execFile);
const LINTERS = [
  { package: "@redocly/cli", bin: "redocly", args: ["lint", "--format=stylish"] },
  { package: "@stoplight/spectral-cli", bin: "spectral", args: ["lint", "--fail-severity=warn", "--quiet"] },
];

/** Checks the contract against its profile: names, bounds, closed objects, errors and examples. */
export async function checkProfile(root: URL): Promise<Finding[]> {
  const catalogue = await readCatalogue(root);
  const contract = await bundleContract(root);
  const beforeExpansion = structuredClone(contract);
  await inlineExamples(beforeExpansion, root);
  expandErrors(contract, catalogue);
  await inlineExamples(contract, root);
  return [
    ...checkOperations(beforeExpansion, catalogue),
    ...checkSchemas(contract, catalogue),
    ...checkExamples(contract),
  ];
}

/** Runs the linters over the bundled contracts in `generated/`. Returns the output of those that fail. */
async function lintDocuments(root: URL): Promise<string[]> {
  const reports = await Promise.all(LINTERS.map((linter) => lint(linter, root)));
  return reports.filter((report) => report !== "");
}

async function lint(linter: (typeof LINTERS)[number], root: URL): Promise<string> {
  const args = [await binary(linter), ...linter.args, "generated/openapi.json", "generated/asyncapi.json"];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  try {
    await run(process.execPath, args, { cwd: fileURLToPath(root), env });
    return "";
  } catch (failure) {
    const { stdout, stderr } = failure as { stdout?: string; stderr?: string };
    return `${linter.bin}:\n${stdout ?? failure}\n${stderr ?? ""}`;
  }
}

async function binary(linter: { package: string; bin: string }): Promise<string> {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`${linter.package}/package.json`);
  const { bin } = require(manifest) as { bin: string | Record<string, string> };
  const path = typeof bin === "string" ? bin : bin[linter.bin];
  return fileURLToPath(new URL(path ?? "", pathToFileURL(manifest)));
}

/** Runs both checks, prints what is wrong, and returns whether the contract passed. */
async function checkContract(root: URL): Promise<boolean> {
  const findings = await checkProfile(root);
  for (const { where, what } of findings) console.error(`spec: ${where}: ${what}`);
  const reports = await lintDocuments(root);
  for (const report of reports) console.error(report);
  return findings.length + reports.length === 0;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const passed = await checkContract(new URL("../", import.meta.url));
  process.exitCode = passed ? 0 : 1;
}
