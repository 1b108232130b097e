import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { challengeFor, newIp, newKeys, prove, randomHex, register } from "../registration/wire.js";
import { type AdminKeys, adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { announcement, newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";

/** On a busy machine it takes longer to see that. */
const soon = { interval: 50 };

let database: TestDatabase;
let admin: AdminKeys;
let nodes: [TestRelay, TestRelay, TestRelay];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = adminKeys("all");
  const first = await startRelay({
    databaseUrl: database.url,
    adminList: admin.seed,
    // So that a test can come from any network address.
    trustedProxies: ["127.0.0.1/32"],
  });
  const next = () => startRelay(first.config, { clock: first.clock });
  nodes = [first, await next(), await next()];
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await database.drop();
});

async function pollStatus(node: TestRelay, token: string): Promise<number> {
  return (await call(node, "pollMessages", { token })).status;
}

test("a device that ends its other sessions at one node ends them at all, a stream at another included", async () => {
  const [one, two, three] = nodes;
  const device = await newDevice(one);
  const old = device.token;
  for (const node of nodes) expect(await pollStatus(node, old)).toBe(200);
  const stream = await openDeviceStream(three.url, old);
  await device.announce({ revoke_others: true });
  expect(await stream.next("error")).toMatchObject({ error: "INVALID_TOKEN" });
  expect(await stream.closed).toMatchObject({ code: 4008 });
  for (const node of [one, two, three]) {
    await expect.poll(() => pollStatus(node, old), soon).toBe(401);
    expect(await pollStatus(node, device.token)).toBe(200);
  }
});

test("a session that begins at one node in the second in which another ended all others stands at every node", async () => {
  const [one, two] = nodes;
  const tokens: string[] = [];
  while (tokens.length < 5) {
    const device = await newDevice(one);
    await device.announce({ revoke_others: true });
    const { body } = await call(two, "announceWithProof", { body: announcement(two, device) });
    tokens.push(body.access_token);
  }
  // Until every node has read what was ended.
  await sleep(1_100);
  for (const token of tokens) {
    for (const node of nodes) expect(await pollStatus(node, token)).toBe(200);
  }
});

test("an administrator who logs out at one node is out at all", async () => {
  const [one, two, three] = nodes;
  const { token } = await logIn(two, admin);
  const status = async (node: TestRelay) => (await call(node, "getConfig", { token })).status;
  for (const node of nodes) expect(await status(node)).toBe(200);
  expect((await call(three, "logoutAdmin", { token })).status).toBe(200);
  expect(await status(three)).toBe(401);
  for (const node of [one, two]) await expect.poll(() => status(node), soon).toBe(401);
});

test("a network address that one node bans for a wrong proof is banned at all at once", async () => {
  const [one, two, three] = nodes;
  const { token } = await logIn(one, admin);
  const iterationsAt = async (node: TestRelay) => (await challengeFor(node, newKeys(), newIp())).body.iterations;
  const before = await iterationsAt(two);
  const body = { registration: { require_proof_of_work: true, proof_of_work_difficulty: 100 } };
  expect((await call(one, "updateConfig", { token, body })).status).toBe(200);
  for (const node of nodes) await expect.poll(() => iterationsAt(node), soon).not.toBe(before);
  const [ip, keys] = [newIp(), newKeys()];
  const proof = await prove((await challengeFor(one, keys, ip)).body, keys);
  const wrong = { ...proof, output: randomHex(32) };
  expect((await register(two, keys, { vdf_proof: wrong }, { ip })).body.error).toBe("INVALID_PROOF");
  for (const node of [three, one, two]) {
    expect((await challengeFor(node, newKeys(), ip)).body.error).toBe("IP_BANNED");
    expect((await challengeFor(node, newKeys(), newIp())).status).toBe(200);
  }
});
