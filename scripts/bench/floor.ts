import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { createSystemClock } from "../../src/node/clock.js";

/** A message as it arrives. */
interface Body {
  message_id: string;
  recipient_address: string;
  mls_ciphertext: string;
  sender_signature: string;
  timestamp: number;
}

interface Waiting {
  bodies: Body[];
  done(): void;
}

const maxAtOnce = 1_024;
const queues = 64;

/** The same columns and indexes as the relay's queue. */
const floorTable = `
  create table if not exists floor_messages (
    device_id text collate "C" not null, position bigint not null, message_id uuid not null, ciphertext bytea not null,
    sender_signature text not null, sent_at bigint not null, received_at bigint not null, expires_at bigint not null,
    system_event jsonb, primary key (device_id, position));
  alter table floor_messages alter column ciphertext set storage external;
  create index if not exists floor_messages_message_id on floor_messages (message_id, left(device_id, 8));
  create index if not exists floor_messages_expires_at on floor_messages (expires_at);`;

/**
 * The unavoidable work: a bare server that accepts the same requests as a relay, from devices or (with a certificate,
 * by TLS) from another relay, parses their JSON, and inserts them into the same table, with one statement for all that
 * arrived meanwhile. It checks nothing: no token, no contract, no limit, no duplicates.
 */
async function serveFloor({ DATABASE_URL, TLS_CERT_FILE, TLS_KEY_FILE }: NodeJS.ProcessEnv): Promise<void> {
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  await client.query(floorTable);
  const listener = answerWith(createGathering(client));
  const server =
    TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined
      ? createServer(listener)
      : createSecureServer(
          { cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE), minVersion: "TLSv1.3" },
          listener,
        );
  server.listen(0, "127.0.0.1", () => {
    console.error(`the floor serves nobody at http://127.0.0.1:${(server.address() as AddressInfo).port} `);
  });
  process.once("SIGTERM", () => process.exit());
}

function answerWith(take: (waiting: Waiting) => void): RequestListener {
  return (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body | { messages: Body[] };
      const bodies = "messages" in body ? body.messages : [body];
      take({ bodies, done: () => answer(bodies.length) });
    });
    const answer = (count: number): void => {
      const text = JSON.stringify({ status: "queued", accepted_count: count });
      response.writeHead(202, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
      response.end(text);
    };
  };
}

function createGathering(client: pg.Client): (waiting: Waiting) => void {
  const line: Waiting[] = [];
  const insert = createFloorInsert(client);
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    while (line.length > 0) {
      const taken: Waiting[] = [];
      for (let count = 0; line.length > 0 && count < maxAtOnce; count += taken.at(-1)?.bodies.length ?? 0) {
        taken.push(line.shift() as Waiting);
      }
      await insert(taken.flatMap(({ bodies }) => bodies));
      for (const { done } of taken) done();
    }
    running = false;
  };
  return (waiting) => {
    line.push(waiting);
    if (!running) void run();
  };
}

/** How the relay inserts many rows at once, and nothing else. */
function createFloorInsert(client: pg.Client): (bodies: readonly Body[]) => Promise<void> {
  const clock = createSystemClock();
  let position = 0;
  return async (bodies) => {
    const now = clock.nowSeconds();
    const ciphertexts = bodies.map((body) => Buffer.from(body.mls_ciphertext, "base64"));
    let end = 0;
    const starts = ciphertexts.map(({ length }) => {
      end += length;
      return end - length + 1;
    });
    const first = position + 1;
    position += bodies.length;
    await client.query({
      name: "floor",
      text: `insert into floor_messages
        select d.device_id, d.position, d.message_id, substring($1::bytea from d.start for d.length), d.signature,
               d.sent_at, $2::bigint, $2::bigint + 86400, null
        from unnest($3::text[], $4::bigint[], $5::uuid[], $6::integer[], $7::integer[], $8::text[], $9::bigint[])
          as d (device_id, position, message_id, start, length, signature, sent_at)`,
      values: [
        Buffer.concat(ciphertexts),
        now,
        bodies.map((_, i) => `queue-${i % queues}`),
        bodies.map((_, i) => first + i),
        bodies.map((body) => body.message_id),
        starts,
        ciphertexts.map(({ length }) => length),
        bodies.map((body) => body.sender_signature),
        bodies.map((body) => body.timestamp),
      ],
    });
  };
}

await serveFloor(process.env);
