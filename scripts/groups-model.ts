import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

// Random runs of a group's members (test/groups/model), each by the seed that its name has:
//
//   npm run lab -- groups-model --seeds 100              seeds 1 to 100
//   npm run lab -- groups-model --seed 7 --steps 200     one seed, with more steps
//   npm run lab -- groups-model --epochs 250             four members who commit at once, while relays, databases and members are killed

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    steps: { type: "string", default: "50" },
    epochs: { type: "string" },
  },
});

const env = {
  ...process.env,
  GROUPS_MODEL_SEED: values.seed,
  GROUPS_MODEL_SEEDS: values.seeds,
  GROUPS_MODEL_STEPS: values.steps,
  ...(values.epochs && { GROUPS_MODEL_EPOCHS: values.epochs }),
};
const file = values.epochs === undefined ? "model" : "races";
const vitest = ["node_modules/vitest/vitest.mjs", "run", `test/groups/model/${file}.test.ts`];
const cwd = fileURLToPath(new URL("..", import.meta.url));
process.exitCode = spawnSync(process.execPath, vitest, { cwd, env, stdio: "inherit" }).status ?? 1;
