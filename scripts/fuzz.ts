import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { routes } from "../generated/routes.js";
import { shareOf } from "../test/support/shares.js";
import { openFuzzContext } from "./fuzz/relay.js";
import { type Profile, runSchemathesis } from "./fuzz/schemathesis.js";

const project = fileURLToPath(new URL("..", import.meta.url));

/** The same requests in every short run, so that a failure can be reproduced. */
const shortRun: Profile = { seed: 20260101 };
/** A few random requests for an operation, others each day. */
const briefRun: Profile = { examples: 2, phases: ["examples", "fuzzing"] };
const longRun: Profile = { examples: 200, maxSeconds: 3600 };

/** Fuzzes a separate relay with every operation of the contract. True if nothing was found. */
async function fuzz(profile: Profile): Promise<boolean> {
  const context = await openFuzzContext();
  try {
    const relay = await context.start(project);
    const { code } = await runSchemathesis(project, relay, profile).finally(() => relay.stop());
    if (code !== 0) console.log(relay.output());
    return code === 0;
  } finally {
    await context.stop();
  }
}

/** The options on the command line; without arguments, the short run that is part of `npm test`. */
function profileOf(args: readonly string[]): Profile {
  const { values } = parseArgs({
    args: [...args],
    options: {
      long: { type: "boolean", default: false },
      operation: { type: "string", multiple: true, default: [] },
      phase: { type: "string", multiple: true, default: [] },
      examples: { type: "string" },
      seed: { type: "string" },
    },
  });
  const usual = values.long ? longRun : shortRun;
  return {
    ...usual,
    ...(values.examples === undefined ? {} : { examples: Number(values.examples) }),
    ...(values.seed === undefined ? {} : { seed: Number(values.seed) }),
    operations: values.operation,
    phases: values.phase,
  };
}

/** What `npm test` runs while neither the contract nor the handling of requests has changed: a third of the operations each day. */
export function briefFuzz(): Promise<boolean> {
  const seed = Math.floor(Date.now() / 86_400_000);
  const operations = shareOf(Object.keys(routes), 3);
  console.log(`fuzzing ${operations.length} operations with the seed ${seed}`);
  return fuzz({ ...briefRun, seed, operations });
}

/** What `npm run fuzz` runs, and `npm test` after a change. */
export function shortFuzz(): Promise<boolean> {
  return fuzz(shortRun);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.chdir(project);
  if (!(await fuzz(profileOf(process.argv.slice(2))))) process.exitCode = 1;
}
