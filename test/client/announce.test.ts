import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectDevice } from "../../src/client/client.js";
import { deviceKeysOf, newSecretKey } from "../../src/client/keys.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { listen, newClient, sendText } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({
    announcementsPerHour: 100,
    seeds: {
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true",
      SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "300000",
      SEED_REGISTRATION_ALLOW_TIME_DELAY: "true",
      SEED_REGISTRATION_TIME_DELAY_SECONDS: "2",
    },
  });
});
afterAll(() => relay.stop());

test("a device registers by a proof of delay and tells how far it is", async () => {
  const progress: string[] = [];
  const client = await newClient(relay, { announced: false });
  const session = await client.register({
    admission: { by: "proof", onProgress: (done, iterations) => progress.push(`${done}/${iterations}`) },
  });
  expect(progress.at(-1)).toBe("300000/300000");
  expect(session.addresses).toEqual([expect.stringMatching(/^[0-9a-f-]{36}@relay\.test$/)]);
  expect(session.expiresAt).toBeGreaterThan(relay.clock.nowSeconds() + 80_000);
  expect((await client.poll()).messages).toEqual([]);
});

test("a device registers by waiting, where the relay allows it", async () => {
  const client = await newClient(relay, { announced: false });
  const session = await client.register({ admission: { by: "waiting", seconds: 2.2 } });
  expect(session.addresses).toHaveLength(1);
});

test("without anything to show a new device is refused", async () => {
  const client = await newClient(relay, { announced: false });
  await expect(client.register({ admission: { by: "nothing" } })).rejects.toMatchObject({
    name: "AnswerError",
    operation: "announceWithProof",
    status: 403,
    error: "INVALID_PROOF",
    code: 4019,
  });
  await expect(client.poll()).rejects.toThrow("no session");
});

test("prefixes of its own choosing are taken, renewed and written to", async () => {
  const [ada, ben] = [await newClient(relay, { announced: false }), await newClient(relay, { announced: false })];
  const prefixes = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
  await ben.announce(prefixes, { storagePreferences: { hide_presence: true } });
  expect(ben.session()?.addresses).toEqual(prefixes.map((prefix) => `${prefix}@relay.test`));
  await ada.register();
  relay.clock.advance(86_400 - 60);
  await ben.renewAddresses();
  relay.clock.advance(3_600);
  await ada.renewAddresses();
  await sendText(ada, ben, "to an address that was renewed");
  expect((await ben.poll()).messages).toHaveLength(1);
});

test("addresses are renewed while the device listens", async () => {
  const ben = await newClient(relay, { announced: false });
  const first = await ben.register();
  const listener = listen(ben, { pingSeconds: 0.2, renewAddressesAfterSeconds: 1 });
  await listener.until(() => ben.session()?.announcedAt !== first.announcedAt);
  expect(ben.session()?.addresses).toEqual(first.addresses);
  expect(listener.problems).toEqual([]);
});

test("a device whose clock is wrong learns the time from the relay", async () => {
  const client = await newClient(relay, {
    announced: false,
    runtime: { nowMillis: () => relay.clock.nowMillis() - 7_200_000 },
  });
  await client.register();
  // As exact as the answer was fast that told the time.
  expect(Math.abs(client.connection.clock.nowSeconds() - relay.clock.nowSeconds())).toBeLessThan(300);
});

test("a domain that only the relay claims is not signed for", async () => {
  const keys = deviceKeysOf(newSecretKey());
  await expect(connectDevice({ url: relay.url, keys })).rejects.toThrow("calls itself relay.test");
});

test("addresses are listed, and one that is ended is dropped from the session and not renewed", async () => {
  const sessions: (readonly string[])[] = [];
  const [ada, ben] = [
    await newClient(relay, { announced: false }),
    await newClient(relay, { announced: false, onSession: ({ addresses }) => sessions.push(addresses) }),
  ];
  await ada.register();
  const prefixes = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
  await ben.announce(prefixes);
  const [leaked = "", kept = ""] = prefixes.map((prefix) => `${prefix}@relay.test`);
  expect((await ben.addresses()).map((one) => one.full_address).toSorted()).toEqual([leaked, kept].toSorted());
  await ben.endAddress(leaked);
  expect(ben.session()?.addresses).toEqual([kept]);
  expect(sessions.at(-1)).toEqual([kept]);
  await ben.endAddress(leaked);
  await ben.renewAddresses();
  expect((await ben.addresses()).map((one) => one.full_address)).toEqual([kept]);
  await expect(ada.send({ to: leaked, ciphertext: new Uint8Array(8) })).rejects.toMatchObject({
    error: "ADDRESS_NOT_FOUND",
  });
  await ben.announce(prefixes.slice(0, 1));
  expect((await ben.addresses()).map((one) => one.full_address)).toContain(leaked);
});

test("a renewal that is on its way when an address is ended does not bring it back", async () => {
  const ben = await newClient(relay, { announced: false });
  const prefix = randomBytes(16).toString("hex");
  await ben.register();
  await ben.announce([prefix]);
  const renewal = ben.renewAddresses();
  await ben.endAddress(`${prefix}@relay.test`);
  await renewal;
  expect(ben.session()?.addresses).not.toContain(`${prefix}@relay.test`);
  expect((await ben.addresses()).map((one) => one.prefix)).not.toContain(prefix);
});
