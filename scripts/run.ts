import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { asksForHelp, build, type Described, explain, project } from "./tool.js";

// Runs the scripts of package.json, so that each of them answers `--help` and does nothing else then.

interface Script extends Described {
  /** The program, which reads its arguments from the command line. */
  program: string;
  /** Whether it runs what `npm run build` makes. */
  builds?: true;
  /** What answers `--help`, unless this file does. */
  helps?: string;
}

const scripts: Readonly<Record<string, Script>> = {
  dev: {
    about: "runs the relay from its sources, and again after each change",
    program: "scripts/dev.ts",
    usage: ["[arguments]    those of `mls-relay serve`"],
  },
  build: {
    about: "builds the parts whose sources have changed",
    program: "scripts/build/main.ts",
    usage: ["[parts]        only these"],
  },
  generate: { about: "makes generated/ from spec/, and the tables of the manual", program: "scripts/generate/main.ts" },
  check: { about: "runs every check that needs no test", program: "scripts/check.ts" },
  test: {
    about: "runs every check and every test",
    program: "scripts/test.ts",
    builds: true,
    usage: ["[arguments]    those of Vitest: only the tests that they select"],
  },
  fuzz: {
    about: "sends random requests to a relay, for every operation of the contract",
    program: "scripts/fuzz.ts",
    usage: [
      "--long         more of them, for an hour at most",
      "--operation <id>   only this operation; may be repeated",
      "--phase <name> only this phase of Schemathesis; may be repeated",
      "--examples <n> for each operation",
      "--seed <n>     which requests",
    ],
  },
  conformance: {
    about: "checks a running server, or a client",
    program: "src/conformance/dist/main.js",
    helps: "src/conformance/main.ts",
    builds: true,
  },
  demo: {
    about: "shows real clients at a relay",
    program: "scripts/demo/main.ts",
    helps: "scripts/demo/main.ts",
    builds: true,
  },
  bench: {
    about: "measures this machine",
    program: "scripts/bench/main.ts",
    helps: "scripts/bench/main.ts",
    builds: true,
  },
};

const [self = "", , name = "", ...args] = process.argv;
const script = scripts[name];
process.exitCode = script === undefined ? 2 : await run(script);

async function run({ program, builds, helps, ...described }: Script): Promise<number | undefined> {
  const isHelp = asksForHelp(args);
  if (isHelp && helps === undefined) {
    console.log(explain(`npm run ${name} --`, described));
    return 0;
  }
  const code = builds === true && !isHelp ? build() : 0;
  if (code !== 0) return code;
  // The program runs in this process, which signals reach.
  const file = join(project, isHelp ? (helps ?? program) : program);
  process.argv = [self, file, ...args];
  await import(pathToFileURL(file).href);
  return process.exitCode as number | undefined;
}
