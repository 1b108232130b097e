import { spawn } from "node:child_process";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { visibleText } from "../encoding/names.js";

/** What is about to be sent. */
interface Asked {
  group: {
    id: string;
    name: string;
    /** Names of users; other groups may have the same name. */
    administrators: string[];
    members: string[];
  };
  text: string;
  replyTo?: string;
}

/** Whether it may be sent. */
export type Confirm = (asked: Asked, asking: { server: Server; signal: AbortSignal }) => Promise<boolean>;

const maxMillis = 10 * 60_000;
/** Names that a question has. */
const maxNamed = 20;

/** Runs a command of the shell with the message as JSON in its standard input. Only the exit code 0 confirms. */
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
export const byElicitation: Confirm = async ({ group, text }, { server, signal }) => {
  if (server.getClientCapabilities()?.elicitation === undefined)
    throw new Error("not sent: this program cannot ask its user. Start the server with --confirm COMMAND");
  const { action, content } = await server.elicitInput(
    {
      message: `${question(group)}\n\n${visibleText(text)}`,
      requestedSchema: {
        type: "object",
        properties: { send: { type: "boolean", title: "Send it", default: false } },
        required: ["send"],
      },
    },
    { signal, timeout: maxMillis },
  );
  return action === "accept" && content?.["send"] === true;
};

/** Names the group so that another one of the same name has another question. */
function question({ id, name, administrators, members }: Asked["group"]): string {
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
    `Send to the group ${JSON.stringify(name)}?`,
    `Members (${members.length}): ${shown(members)}`,
    `Administrators: ${administrators.length === 0 ? "none" : shown(administrators)}`,
    `Id: ${id}`,
    "The text:",
  ];
  return lines.join("\n");
}
