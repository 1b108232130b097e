import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { transpiled } from "../support/transpiled.js";
import { until } from "../support/until.js";

const program = transpiled("src/cli/main.ts");
const fewFiles = 256;

/** Runs the command line in a process that may open few files. */
function startWithFewFiles(args: readonly string[], env: Record<string, string>) {
  const shell = ["-c", `ulimit -n ${fewFiles}; exec "$0" "$@"`, process.execPath, program, ...args];
  const child = spawn("/bin/sh", shell, { env: { PATH: process.env["PATH"] ?? "", ...env } });
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output.text += String(piece)));
  return { child, output, ended: once(child, "close") };
}

/** Requests over one connection that stays open. */
function keptConnection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    get: (path: string) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const sent = request(url + path, { agent }, async (response) => {
          const pieces: Buffer[] = [];
          for await (const piece of response) pieces.push(piece as Buffer);
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString() });
        });
        sent.on("error", reject);
        sent.end();
      }),
    close: () => agent.destroy(),
  };
}

let database: TestDatabase;
let env: Record<string, string>;
beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    ...{ DATABASE_URL: database.url, MASTER_KEY: "00".repeat(32), DOMAIN: "relay.test" },
    ...{ PORT: "0", METRICS_PORT: "0", CONNECTIONS_PER_IP: "10000" },
  };
});
afterAll(() => database.drop());

test("a node that can open no further file is not ready, and has an alert of its own; its start has warned", async () => {
  const { child, output, ended } = startWithFewFiles(["serve"], env);
  const opened: Socket[] = [];
  try {
    await until(async () => /serves relay.test at/.test(output.text), "the relay serves");
    expect(output.text).toMatch(/may have 256 open files, fewer than CONNECTIONS_PER_NODE=50000/);
    const [, url = ""] = /serves relay.test at (http:\S+)/.exec(output.text) ?? [];
    const metrics = /"listens_at":"(http[^"]+metrics[^"]*)"/.exec(output.text)?.[1] ?? "";
    const connection = keptConnection(url);
    expect((await connection.get("/readyz")).status).toBe(200);
    const { hostname, port } = new URL(url);
    for (let at = 0; at < fewFiles; at++) opened.push(connect(Number(port), hostname).on("error", () => {}));
    const statuses = new Set<number>();
    let reason: unknown;
    await until(async () => {
      const answers = await Promise.all(["/readyz", "/.well-known/svc", "/docs", "/openapi.json"].map(connection.get));
      for (const { status } of answers) statuses.add(status);
      reason = answers[0]?.status === 503 ? JSON.parse(answers[0].body).reason : undefined;
      return reason === "files";
    }, "the node is not ready");
    expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([]);
    for (const socket of opened) socket.destroy();
    await until(async () => (await connection.get("/readyz")).status === 200, "the node is ready again");
    const alerts = async () => (await fetch(metrics)).text();
    await until(async () => /alert_active\{alert="open_files_exhausted"[^}]*\} 1/.test(await alerts()), "the alert");
    expect(await alerts()).toMatch(/alert_active\{alert="blob_storage_failing"[^}]*\} 0/);
    connection.close();
  } finally {
    for (const socket of opened) socket.destroy();
    child.kill("SIGTERM");
    await ended;
  }
});

test("doctor warns of a limit that is lower than the connections that are allowed", async () => {
  const { output, ended } = startWithFewFiles(["doctor"], env);
  await ended;
  expect(output.text).toMatch(/may have 256 open files, fewer than CONNECTIONS_PER_NODE=50000/);
});
