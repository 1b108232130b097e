import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, Socket } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bytesTaken } from "../../src/platform/net/socket-progress.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

// The relay relies on parts of these packages that they do not document. After an update, check the uses named in the
// tests, then change the version here.
const checkedVersions = { pg: "8.23.1" };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function withConnection(work: (client: pg.Client & { readyForQuery?: boolean }) => Promise<void>): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

test.each(Object.entries(checkedVersions))("%s is the version whose internals were checked (%s)", (name, version) => {
  const manifest = readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8");
  expect(JSON.parse(manifest).version).toBe(version);
});

describe("a connection of pg", () => {
  test("has its socket as connection.stream, which pipelines cork and a silent connection destroys", () =>
    withConnection(async (client) => {
      const { stream } = client.connection;
      expect(stream).toBeInstanceOf(Socket);
      stream.cork();
      const answer = client.query("select 1 as one");
      stream.uncork();
      expect((await answer).rows).toEqual([{ one: 1 }]);
    }));

  test("has readyForQuery false exactly while a statement is in progress", () =>
    withConnection(async (client) => {
      expect(client.readyForQuery).toBe(true);
      const answer = client.query("select 1");
      expect(client.readyForQuery).toBe(false);
      await answer;
      expect(client.readyForQuery).toBe(true);
    }));
});

test("a socket of Node.js has _handle.writeQueueSize, which shrinks as the peer reads", async () => {
  const server = createServer((socket) => socket.pause()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const accepted = once(server, "connection");
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const [peer] = (await accepted) as [Socket];
  try {
    socket.write(Buffer.alloc(32 * 1024 * 1024));
    const handle = (socket as unknown as { _handle: { writeQueueSize: number } })._handle;
    expect(handle.writeQueueSize).toBeGreaterThan(0);
    const before = bytesTaken(socket);
    peer.resume();
    await expect.poll(() => bytesTaken(socket)).toBeGreaterThan(before);
  } finally {
    socket.destroy();
    peer.destroy();
    server.close();
    await once(server, "close");
  }
});
