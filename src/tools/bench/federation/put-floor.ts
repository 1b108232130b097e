import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { type Body, createFloorInsert, floorTable } from "../floor.js";

const answer = JSON.stringify({ status: "accepted" });

interface Floor {
  port: number;
  stop(): Promise<void>;
}

/** What cannot be done without: a server that takes the bytes of a PUT by TLS and answers. Nothing is read or kept. */
export function startPutFloor(env: NodeJS.ProcessEnv): Promise<Floor> {
  return listen(env, (sent) => {
    sent.resume();
    return new Promise((settle) => sent.once("end", settle));
  });
}

/**
 * What cannot be done without where messages are kept: the same, and their JSON is read, and all of a PUT are put into a
 * table like the relay's queue by one insert before it is answered. Nothing is checked, and nothing is recognised.
 */
export async function startStoringPutFloor(env: NodeJS.ProcessEnv): Promise<Floor> {
  const client = new pg.Client(env["DATABASE_URL"]);
  await client.connect();
  await client.query(floorTable);
  const insert = createFloorInsert(client);
  const floor = await listen(env, async (sent) => {
    const { messages } = JSON.parse(await readText(sent)) as { messages: Body[] };
    await insert(messages);
  });
  return {
    port: floor.port,
    async stop() {
      await floor.stop();
      await client.end();
    },
  };
}

async function readText(sent: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of sent as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function listen(env: NodeJS.ProcessEnv, take: (sent: IncomingMessage) => Promise<void>): Promise<Floor> {
  const [cert, key] = [readFileSync(env["TLS_CERT_FILE"] ?? ""), readFileSync(env["TLS_KEY_FILE"] ?? "")];
  const server = createServer({ cert, key, minVersion: "TLSv1.3" }, (sent, response) => {
    void take(sent).then(() => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": answer.length });
      response.end(answer);
    });
  });
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** PUTs a second over one kept connection, one after the other, as one relay delivers to another. */
export async function measurePuts(
  to: { port: number; ca: string },
  body: Buffer,
  { warmUpSeconds, seconds }: { warmUpSeconds: number; seconds: number },
): Promise<{ count: number; perSecond: number }> {
  const agent = new Agent({ ca: to.ca, keepAlive: true, maxSockets: 1 });
  const put = () => putOnce(agent, to.port, body);
  const warmUp = await putFor(put, warmUpSeconds);
  const measured = await putFor(put, seconds);
  agent.destroy();
  return { count: warmUp.count + measured.count, perSecond: measured.perSecond };
}

async function putFor(put: () => Promise<void>, seconds: number): Promise<{ count: number; perSecond: number }> {
  let count = 0;
  const before = performance.now();
  while (performance.now() - before < seconds * 1000) {
    await put();
    count += 1;
  }
  return { count, perSecond: count / ((performance.now() - before) / 1000) };
}

function putOnce(agent: Agent, port: number, body: Buffer): Promise<void> {
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  return new Promise((settle, fail) => {
    const sent = request({ agent, host: "localhost", port, method: "PUT", path: "/", headers }, (answered) => {
      answered.resume().once("end", settle);
    });
    sent.once("error", fail);
    sent.end(body);
  });
}
