import { spawn } from "node:child_process";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";

/** What is about to be sent. */
interface Asked {
  group: { id: string; name: string };
  text: string;
  replyTo?: string;
}

/** Whether it may be sent. */
export type Confirm = (asked: Asked, asking: { server: Server; signal: AbortSignal }) => Promise<boolean>;

const maxMillis = 10 * 60_000;

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
      child.stdin?.end(`${JSON.stringify(asked)}\n`);
    });
}

/** Lets the agent's program ask its user. Refuses if that program cannot ask. */
export const byElicitation: Confirm = async ({ group, text }, { server, signal }) => {
  if (server.getClientCapabilities()?.elicitation === undefined)
    throw new Error("not sent: this program cannot ask its user. Start the server with --confirm COMMAND");
  const { action, content } = await server.elicitInput(
    {
      message: `Send to the group ${JSON.stringify(group.name)}?\n\n${text}`,
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
