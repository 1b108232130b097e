import { validateClientFrame } from "../../../generated/frame-validators.js";
import { evaluate, type Finding, isWanted, type Report, type Selection } from "../report/findings.js";
import { type ClientProgram, startProgram } from "./program.js";
import { type ClientRelay, startClientRelay } from "./relay.js";
import { type ClientRule, clientRules } from "./rules.js";

interface Options extends Selection {
  onFinding?: ((finding: Finding) => void) | undefined;
}

/** Starts the program against a relay of the suite and checks the rules one after the other. */
export async function checkClient(command: readonly string[], options: Options = {}): Promise<Report> {
  const findings: Finding[] = [];
  const running = createRunning(command);
  try {
    for (const rule of clientRules.filter(({ id }) => isWanted(id, options))) {
      const finding = await findingOf(rule, running);
      findings.push(finding);
      options.onFinding?.(finding);
      // A rule that was broken may leave requests or failures behind that would break the next one.
      if (rule.isLast || finding.outcome === "broken") await running.stop();
    }
  } finally {
    await running.stop();
  }
  return { findings, succeeded: [] };
}

async function findingOf(rule: ClientRule, running: Running): Promise<Finding> {
  const { id, title, source, place } = rule;
  const takeFaults = () => running.relay()?.takeFaults() ?? [];
  const result = await evaluate(async () => rule.check(await running.get()), takeFaults);
  return { rule: { id, title, source, place }, ...result };
}

interface Running {
  /** The program with its relay, started if it does not run. */
  get(): Promise<{ relay: ClientRelay; program: ClientProgram }>;
  relay(): ClientRelay | undefined;
  stop(): Promise<void>;
}

function createRunning(command: readonly string[]): Running {
  let relay: ClientRelay | undefined;
  let program: ClientProgram | undefined;
  return {
    async get() {
      relay ??= await startClientRelay(validateClientFrame);
      program ??= await startProgram(command, relay);
      return { relay, program };
    },
    relay: () => relay,
    async stop() {
      await program?.stop();
      await relay?.stop();
      program = undefined;
      relay = undefined;
    },
  };
}
