import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { programs } from "./programs.js";
import { until } from "./until.js";

/** Debian's nats-server. */
export interface NatsServer {
  port: number;
  url: string;
  /** Connected clients with a subscription, according to the server's monitoring. */
  subscribers(): Promise<NatsConnection[]>;
  /** Number of messages received so far. */
  messages(): Promise<number>;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface NatsConnection {
  name: string;
  subscriptions: number;
  tls_version?: string;
}

/** `settings` are lines of its configuration file, `files` the files that these lines name. */
export async function startNats(
  settings: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<NatsServer> {
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-nats-"));
  const [port, monitor] = [await findFreePort(), await findFreePort()];
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const lines = [`listen: 127.0.0.1:${port}`, `http: 127.0.0.1:${monitor}`, ...settings];
  await writeFile(path.join(folder, "nats.conf"), lines.join("\n"));
  let child: ChildProcess | undefined;
  const ask = async (page: string) => (await fetch(`http://127.0.0.1:${monitor}/${page}`)).json() as Promise<never>;

  const server: NatsServer = {
    port,
    url: `nats://127.0.0.1:${port}`,
    async subscribers() {
      const { connections } = (await ask("connz?subs=1")) as { connections: NatsConnection[] };
      return connections.filter(({ subscriptions }) => subscriptions > 0);
    },
    messages: async () => ((await ask("varz")) as { in_msgs: number }).in_msgs,
    async kill(signal) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
    async start() {
      child = spawn(programs["nats-server"].find() ?? "", ["-c", "nats.conf"], { cwd: folder, stdio: "ignore" });
      await until(() => ask("healthz").then(Boolean, () => false), "nats-server answers");
    },
    async stop() {
      await server.kill("SIGKILL");
      await rm(folder, { recursive: true });
    },
  };
  await server.start();
  return server;
}
