import { connect, type Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { constantsEnvironment, loadConfig } from "../../src/composition/config.js";
import { createSystemClock } from "../../src/node/clock.js";
import { eventually } from "../federation/outbox-fixture.js";
import { type PeerServer, startPeerServer } from "../federation/peer-server.js";
import { type RunningCommand, startCommand } from "../support/command.js";
import { demand, newDevice } from "../support/device.js";
import { createFolder } from "../support/embedded.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";
import { transpiled } from "../support/transpiled.js";

let place: Awaited<ReturnType<typeof createFolder>>;
let fixture: PeerFixture;
let peer: PeerServer;
let running: RunningCommand | undefined;
let half: Socket | undefined;

beforeAll(async () => {
  place = await createFolder(0o711);
  fixture = await createPeerFixture();
  peer = await startPeerServer(fixture);
});
afterAll(async () => {
  half?.destroy();
  running?.kill("SIGTERM");
  await running?.ended;
  await peer.stop();
  await fixture.stop();
  await place.remove();
});

interface Kind {
  emitted: number;
  unowned: number;
}

/** Kinds whose instances never emit an error, whatever happens to what they stand for. */
const emitNoErrors = new Set([
  "EventEmitter", // plain ones, of libraries, for signals within the process
  "Command", // commander's
  ...["Agent", "PeerAgent"], // errors are those of their sockets and requests
  "FileHandle", // its operations reject
  ...["Client_PG", "Raw", "QueryBuilder_PostgreSQL", "SchemaBuilder", "Transaction_PG"], // knex's builders reject
  "Query", // pg hands the error to the callback that each of ours has
  "WebSocketServer", // it has no listener of its own
  ...["IncomingMessage", "PossibleUpgrade"], // Node.js emits their error only where somebody listens
  ...["ServerResponse", "CountedResponse"], // only for a second answer to one request
]);

/** A relay with everything that may emit errors: its database's process, streams, half a request, a call to a peer. */
async function startRelay(): Promise<TestRelay> {
  const { federationCaFile, federationCertFile, federationKeyFile } = await fixture.membership(8443);
  const env = {
    ...{ DATA_DIR: place.folder, DOMAIN: "localhost:8443", HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "fatal" },
    ...{ FEDERATION_ALLOW_PRIVATE: "true", METRICS_PORT: "0" },
    ...{ FEDERATION_CA_FILE: federationCaFile ?? "", FEDERATION_CERT_FILE: federationCertFile ?? "" },
    FEDERATION_KEY_FILE: federationKeyFile ?? "",
    ...constantsEnvironment({ federationAllowAnyPort: true, outboxMaxBackoffSeconds: 1 }),
    ...{ SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false", FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "1000" },
  };
  const injecting = `--import ${pathToFileURL(transpiled("test/support/inject-errors.ts")).href}`;
  running = startCommand(["serve"], { ...env, NODE_OPTIONS: injecting, INJECT: "emitters" });
  const [, url = ""] = await running.seen(/ at (http\S+)/);
  return { url, config: loadConfig(env), clock: createSystemClock() } as unknown as TestRelay;
}

it("no error of anything that the relay owns ends it, or keeps it from its work", async () => {
  const relay = await startRelay();
  const [anna, ben] = [await newDevice(relay), await newDevice(relay)];
  const stream = await openDeviceStream(relay.url, anna.token);
  half = connect(Number(new URL(relay.url).port), "127.0.0.1").on("error", () => undefined);
  half.write(
    "POST /api/v1/announce HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
  );
  let held = 0;
  peer.disturb = () => ++held > 0;
  const remote = `00000000-0000-4000-8000-000000000001@${peer.domain}`;
  const ids = [demand(await ben.send(remote)).body.message_id];
  await eventually(() => held > 0);

  running?.kill("SIGUSR2");
  const [, said = ""] = (await running?.seen(/injected (.*)/)) ?? [];
  const kinds = JSON.parse(said) as Record<string, Kind>;
  const expected = ["Server", "Socket", "TLSSocket", "WebSocket", "ClientRequest", "Client", "ChildProcess"];
  expect(Object.keys(kinds)).toEqual(expect.arrayContaining(expected));
  const unowned = Object.entries(kinds).filter(([, kind]) => kind.unowned > 0);
  expect(unowned.filter(([name]) => !emitNoErrors.has(name))).toEqual([]);

  peer.disturb = () => false;
  await stream.closed;
  await eventually(async () => (await fetch(`${relay.url}/readyz`).catch(() => undefined))?.status === 200);
  const sent = async (to: string): Promise<string | undefined> => {
    const answer = await ben.send(to).catch(() => undefined);
    return answer?.status === 202 ? demand(answer).body.message_id : undefined;
  };
  await eventually(async () => (await sent(anna.address)) !== undefined);
  expect((await anna.poll()).body.messages.length).toBeGreaterThan(0);
  ids.push((await sent(remote)) ?? "");
  await eventually(() => peer.script.arrived.length === ids.length);
  expect(peer.script.arrived.map((message) => message.message_id)).toEqual(ids);
  running?.kill("SIGTERM");
  expect((await running?.ended)?.code).toBe(0);
});
