import { spawn } from "node:child_process";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { visibleText } from "../encoding/names.js";

/** The step to confirm: sending a text, or joining a group of strangers. */
export type Asked = { group: AskedGroup } & ({ text: string; replyTo?: string } | { join: true });

interface AskedGroup {
  id: string;
  name: string;
  /** Who has added the agent; other groups may have the same name. */
  invitedBy?: { user: string; name: string };
  /** Names of users. */
  administrators: string[];
  members: string[];
}

/** Whether it may be done. */
export type Confirm = (asked: Asked, asking: { server: Server; signal: AbortSignal }) => Promise<boolean>;

const maxMillis = 10 * 60_000;
/** Names that a question has. */
const maxNamed = 20;

/** Runs a command of the shell with what is asked as JSON in its standard input. Only the exit code 0 confirms. */
export function byCommand(command: string): Confirm {
  return (asked, { signal }) =>
    new Promise((resolve) => {
      // Standard output belongs to the protocol.
      const child = spawn(command, { shell: true, stdio: ["pipe", 2, 2], timeout: maxMillis, signal });
      child.on("error", () => resolve(false));
      child.on("exit", (code) => resolve(code === 0));
      // A command that does not read decides all the same.
      child.stdin?.on("error", () => {});
      child.stdin?.end(`${escaped(JSON.stringify(asked))}\n`);
    });
}

/** JSON whose characters can all be seen, if the command shows it. */
function escaped(json: string): string {
  const units = (one: string) => Array.from({ length: one.length }, (_, at) => one.charCodeAt(at));
  const named = (unit: number) => `\\u${unit.toString(16).padStart(4, "0")}`;
  return json.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (one) => units(one).map(named).join(""));
}

/** Lets the agent's program ask its user. Refuses if that program cannot ask. */
export const byElicitation: Confirm = async (asked, { server, signal }) => {
  if (server.getClientCapabilities()?.elicitation === undefined)
    throw new Error("not done: this program cannot ask its user. Start the server with --confirm COMMAND");
  const [act, title] = "join" in asked ? ["join", "Join it"] : ["send", "Send it"];
  const message =
    "join" in asked
      ? question("Join", asked)
      : `${question("Send to", asked)}\nThe text:\n\n${visibleText(asked.text)}`;
  const { action, content } = await server.elicitInput(
    {
      message,
      requestedSchema: {
        type: "object",
        properties: { [act as string]: { type: "boolean", title: title as string, default: false } },
        required: [act as string],
      },
    },
    { signal, timeout: maxMillis },
  );
  return action === "accept" && content?.[act as string] === true;
};

/** Names the group so that another one of the same name has another question. */
function question(what: string, { group: { id, name, invitedBy, administrators, members } }: Asked): string {
  const shown = (names: readonly string[]) => {
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
    return (
      names
        .slice(0, maxNamed)
        .map((one) => JSON.stringify(one))
        .join(", ") + more
    );
  };
  const lines = [
    `${what} the group ${JSON.stringify(name)}?`,
    ...(invitedBy ? [`Added by: ${JSON.stringify(invitedBy.name)}, whose user key is ${invitedBy.user}`] : []),
    `Members (${members.length}): ${shown(members)}`,
    `Administrators: ${administrators.length === 0 ? "none" : shown(administrators)}`,
    `Id: ${id}`,
  ];
  return lines.join("\n");
}
