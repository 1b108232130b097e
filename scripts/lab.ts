import { pathToFileURL } from "node:url";
import { asksForHelp, build, type Described, explain, startNode } from "./tool.js";

// Tools for the people who maintain this code: `npm run lab` lists them, `npm run lab -- NAME --help` explains one.

interface Tool extends Described {
  /** A Node.js program, or arguments for Vitest. */
  run: { program: string } | { vitest: readonly string[]; env?: Readonly<Record<string, string>> };
  /** Whether it runs what `npm run build` makes. */
  builds?: true;
}

const tools: Readonly<Record<string, Tool>> = {
  again: {
    about: "runs the whole suite several times and reports what failed in which run",
    run: { program: "scripts/test/again.ts" },
    builds: true,
    usage: [
      "<times> [files]",
      "--beside <n>   beside n busy loops",
      "--pauses       pauses processes at random",
      "--afresh       forgets earlier runs of this commit",
    ],
  },
  "app-speed": {
    about: "measures the messenger in Chromium with many messages",
    run: { program: "scripts/measure-app.ts" },
    builds: true,
    usage: ["[messages]     how many; 10,000 by default"],
  },
  changed: {
    about: "runs the tests that changes since a commit can affect",
    run: { program: "scripts/test/changed.ts" },
    usage: [
      "[base]         the commit; by default where the branch left main",
      "--all          also those in other folders",
    ],
  },
  "check-lock": {
    about: "says whether package-lock.json names a registry or lacks a checksum",
    run: { program: "scripts/check-lock.ts" },
  },
  clients: {
    about: "generates clients from the contract, compiles them, and runs them against a relay",
    run: { program: "scripts/clients.ts" },
    usage: ["[names]        only these toolchains", "--long         all toolchains"],
  },
  "commit-races": {
    about: "1,000 epochs of a group whose members commit at once, with relays that are killed",
    run: {
      vitest: ["run", "test/slots/groups.test.ts", "test/slots/killed-relays.test.ts"],
      env: { COMMIT_EPOCHS: "1000" },
    },
  },
  faults: {
    about: "plants faults into a copy of the server and reports which are found",
    run: { program: "scripts/faults.ts" },
    usage: ["[names]        only faults whose name or file contains one of these", "--long         all faults"],
  },
  freeze: {
    about: "writes what the version in package.json promises to spec/released/",
    run: { program: "scripts/freeze.ts" },
    usage: ["--release      for good: every later change is refused"],
  },
  "groups-model": {
    about: "lets six members of a group do anything at once, and checks what each of them has at the end",
    run: { program: "scripts/groups-model.ts" },
    usage: [
      "--seed <n>     the first seed; 1 by default. A seed takes the same steps again",
      "--seeds <n>    how many seeds; 1 by default",
      "--steps <n>    steps of each; 50 by default",
      "--epochs <n>   so many epochs of four members who commit at once instead, while all is killed",
    ],
  },
  "groups-speed": {
    about: "measures groups in Node.js: catching up, from sending to the event, and joining a group of 200",
    run: { program: "scripts/measure-groups.ts" },
    builds: true,
    usage: [
      "[parts]        waiting, waiting-many, click, joining; all by default",
      "--relay <url>  a relay that runs already",
      "--texts <n>    how many texts wait; 10,000 by default",
    ],
  },
  histories: {
    about: "records histories of two relays under faults and checks them",
    run: { program: "scripts/histories.ts" },
    usage: [
      "--seed <n>     which steps; 1 by default",
      "--steps <n>    how many; 100 by default. A stopped run is continued",
      "--list         prints the steps without taking them",
      "--check <files>   checks stored histories",
    ],
  },
  model: {
    about: "looks for runs of the models in spec/model/ that break a promise",
    run: { program: "scripts/model.ts" },
    usage: [
      "--runs <n>     runs of each model; 100,000 by default. A stopped command is continued",
      "--model <name> one model alone",
      "--mutations    looks for every planted error",
      "--replay <n>   repeats runs with relays whose processes are killed",
    ],
  },
  mutants: {
    about: "checks that the conformance suite finds every relay that breaks a rule",
    run: { vitest: ["run", "test/conformance/mutants.test.ts"], env: { MUTANTS: "all" } },
  },
  openmls: {
    about: "runs the tests with OpenMLS clients",
    run: { vitest: ["run", "--config", "test/openmls/vitest.config.ts"] },
  },
  "pin-images": {
    about: "writes the digest of each container image behind its tag; needs Docker and a registry",
    run: { program: "scripts/pin-images.ts" },
  },
  release: {
    about: "makes the archives of a release",
    run: { program: "scripts/release.ts" },
  },
  "release-contract": {
    about: "copies the present contract to spec/released/ before the first release",
    run: { program: "scripts/release-contract.ts" },
  },
  schema: {
    about: "writes the schema that the migrations make to test/schema.sql",
    run: { program: "scripts/dump-schema.ts" },
  },
  "slot-races": {
    about: "1,000 races for a commit slot, on one relay and between two",
    run: {
      vitest: ["run", "test/slots/slots.test.ts", "test/slots/peer-slots.test.ts", "-t", "has one winner of"],
      env: { SLOT_RACES: "1000" },
    },
  },
  soak: {
    about: "lets two relays work while their processes are killed",
    run: { program: "scripts/soak.ts" },
    builds: true,
    usage: [
      "--minutes <n>  length; 5 by default",
      "--kills <n>    stop after this many kills",
      "--kill-every <n>   seconds between kills",
    ],
  },
  "test-ca": {
    about: "makes a certificate authority for tests and closed trials",
    run: { program: "scripts/make-test-ca.ts" },
    usage: [
      "<folder> [<host name>]...",
      "--readable     every account can read the private keys of servers",
      "--revoke <name>   adds a name to the revocation list",
    ],
  },
  thorough: {
    about:
      "runs every part that `npm test` leaves out while nothing that it tests has changed, and all shares of other days",
    run: { program: "scripts/test/thorough.ts" },
    builds: true,
    usage: [
      "[names]        only parts whose names contain one of these; `shares` are what `npm test` draws by the day",
    ],
  },
};

function list(): string {
  const width = Math.max(...Object.keys(tools).map(({ length }) => length));
  const lines = Object.entries(tools).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
  return ["npm run lab -- NAME [arguments]; NAME --help explains one.", "", ...lines].join("\n");
}

function start({ run, builds }: Tool, args: readonly string[]): number {
  const code = builds === true ? build() : 0;
  if (code !== 0) return code;
  const program =
    "program" in run ? ["--import", "tsx", run.program] : ["node_modules/vitest/vitest.mjs", ...run.vitest];
  return startNode([...program, ...args], { ...process.env, ...("env" in run ? run.env : {}) });
}

/** Returns the exit code. */
export function runLab([name, ...args]: readonly string[]): number {
  const tool = name === undefined ? undefined : tools[name];
  if (name === undefined || tool === undefined) {
    console.log(list());
    if (name === undefined || ["help", "--help", "-h"].includes(name)) return 0;
    console.error(`mls-relay: there is no tool ${name}`);
    return 2;
  }
  if (!asksForHelp(args)) return start(tool, args);
  console.log(explain(`npm run lab -- ${name}`, tool));
  return 0;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = runLab(process.argv.slice(2));
}
