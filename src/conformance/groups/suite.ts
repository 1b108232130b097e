import { type ClientProgram, startProgram } from "../clients/program.js";
import { evaluate, type Finding, isWanted, type Report, type Selection } from "../report/findings.js";
import { type OtherMember, openMember } from "./member.js";
import { type WatchedRelay, watchRelay } from "./relay.js";
import { found, type GroupsContext, groupsRules } from "./rules.js";

interface Options extends Selection {
  /** The relay that the program and the suite use. */
  relay: { url: string; domain?: string | undefined };
  onFinding?: ((finding: Finding) => void) | undefined;
}

/** Starts a groups program, and other members of its groups, and checks what it sends. */
export async function checkGroups(command: readonly string[], options: Options): Promise<Report> {
  const { url, domain = new URL(url).host } = options.relay;
  const findings: Finding[] = [];
  const relay = await watchRelay({ url, domain });
  const { context, end } = startGroups(command, { url, relay });
  try {
    for (const { check, ...rule } of groupsRules.filter(({ id }) => isWanted(id, options))) {
      const result = await evaluate(async () => check(await context()), relay.takeFaults);
      findings.push({ rule, ...result });
      options.onFinding?.({ rule, ...result });
    }
  } finally {
    await end();
    await relay.stop();
  }
  return { findings, succeeded: [] };
}

function startGroups(command: readonly string[], { url, relay }: { url: string; relay: WatchedRelay }) {
  const members: OtherMember[] = [];
  let program: ClientProgram | undefined;
  let founded: ReturnType<GroupsContext["founded"]> | undefined;
  const start = async (): Promise<GroupsContext> => {
    for (const name of ["Ben", "Cleo"]) members.push(await openMember(url, name, relay));
    program = await startProgram(command, relay);
    const parts = { relay, program, members };
    return {
      ...parts,
      founded() {
        founded ??= found(parts, "first");
        return founded;
      },
    };
  };
  let started: Promise<GroupsContext> | undefined;
  return {
    context() {
      started ??= start();
      return started;
    },
    async end() {
      await program?.stop();
      for (const member of members) await member.close();
    },
  };
}
