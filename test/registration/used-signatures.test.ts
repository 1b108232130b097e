import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AnyRow } from "../support/any-row.js";
import { startRelay as startNode, type TestRelay } from "../support/relay.js";
import { type StrictRelay, startRelay } from "./relay.js";
import {
  type Answer,
  announce,
  claimsOf,
  newKeys,
  newPrefix,
  newProof,
  prefixBody,
  register,
  registered,
  registrationBody,
  send,
} from "./wire.js";

let relay: StrictRelay;
let other: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ announcementsPerHour: 1000, newAddressesPerDay: 8 });
  other = await startNode(relay.config, { clock: relay.clock });
});
afterAll(async () => {
  await other.stop();
  await relay.stop();
});

const flows = {
  "/api/v1/announce": (keys: ReturnType<typeof newKeys>, extra: object = {}) =>
    registrationBody(relay, keys, { ...extra }),
  "/api/v1/device/announce": (keys: ReturnType<typeof newKeys>, extra: object = {}) =>
    prefixBody(relay, keys, [newPrefix()], { ...extra }),
};
const paths = Object.keys(flows) as (keyof typeof flows)[];

function expectRefused(answer: Answer): void {
  expect([answer.status, answer.body.error, answer.body.code]).toEqual([409, "CONFLICT", 4028]);
  expect(answer.body).not.toHaveProperty("access_token");
}

async function usedSignatures(): Promise<string[]> {
  const rows = await relay.db.rows<AnyRow>("select encode(hash, 'hex') as hash from used_signatures");
  return rows.map(({ hash }: { hash: string }) => hash);
}

describe.each(paths)("a signed announcement by %s", (path) => {
  it("gives one token, even if it is sent again to another node", async () => {
    const { keys } = await registered(relay);
    const body = flows[path](keys);
    expect((await send(relay, path, { body })).status).toBe(200);
    for (const node of [relay, other]) {
      expectRefused(await send(node, path, { body }));
      // What is not signed makes no other announcement of it.
      expectRefused(await send(node, path, { body: { ...body, revoke_others: true } }));
    }
    relay.clock.advance(250);
    expectRefused(await send(other, path, { body }));
    relay.clock.advance(60);
    expect((await send(other, path, { body })).body).toMatchObject({ code: 4000 });
  });

  it("gives one token when it is sent many times at once", async () => {
    const { keys } = await registered(relay);
    const body = flows[path](keys);
    const nodes = [relay, other, relay, other, relay, other];
    const answers = await Promise.all(nodes.map((node) => send(node, path, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it("registers a device once, and a lost response does not cost a new proof", async () => {
    const keys = newKeys();
    const body = flows[path](keys, { public_key: keys.publicKey, vdf_proof: await newProof(relay, keys) });
    expect((await send(relay, path, { body })).status).toBe(200);
    expectRefused(await send(relay, path, { body }));
    const again = await send(relay, path, { body: flows[path](keys) });
    expect(again.status).toBe(200);
    expect(claimsOf(again.body.access_token).sub).toBe(keys.deviceId);
  });

  it("can be sent again after it was refused", async () => {
    const { keys } = await registered(relay);
    const before = await usedSignatures();
    // As if every device had taken eight addresses more today.
    await relay.db.run("update rate_limits set count = count + 8");
    const body = flows[path](keys);
    expect((await send(relay, path, { body })).body.code).toBe(4004);
    // Expired ones may have been deleted meanwhile.
    expect(before).toEqual(expect.arrayContaining(await usedSignatures()));
    await relay.db.run("update rate_limits set count = count - 8");
    expect((await send(relay, path, { body })).status).toBe(200);
    expectRefused(await send(relay, path, { body }));
  });
});

it("a device announces itself twice in a second by different timestamps", async () => {
  const { keys } = await registered(relay);
  const timestamp = relay.clock.nowSeconds();
  expect((await register(relay, keys, { timestamp: timestamp + 20 })).status).toBe(200);
  expectRefused(await register(relay, keys, { timestamp: timestamp + 20 }));
  expect((await register(relay, keys, { timestamp: timestamp + 21 })).status).toBe(200);
  const prefixes = [newPrefix()];
  expect((await announce(relay, keys, prefixes, { timestamp: timestamp + 20 })).status).toBe(200);
});

it("the stored rows reveal nothing about the device", async () => {
  const { keys } = await registered(relay);
  await register(relay, keys);
  const rows = await relay.db.rows<AnyRow>("select row_to_json(u)::text as kept from used_signatures u");
  for (const { kept } of rows) {
    expect(Object.keys(JSON.parse(kept)).sort()).toEqual(["expires_at", "hash"]);
    for (const name of [keys.deviceId, keys.publicKey]) expect(kept).not.toContain(name);
  }
});
