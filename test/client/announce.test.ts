import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConnectionError } from "../../src/client/connection/failures.js";
import type { Session } from "../../src/client/connection/session.js";
import { SessionNotStoredError, type SessionStore } from "../../src/client/connection/session-store.js";
import { deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient, type DeviceOptions } from "../../src/client/device/client.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { keysOf, listen, losingFetch, newClient, sendText } from "./harness.js";

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

test("a device registers by a delay proof and tells how far it is", async () => {
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

describe("several clients of one device", () => {
  const prefix = () => randomBytes(16).toString("hex");
  const uuidOf = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

  async function tabsOf(count: number, options: Partial<DeviceOptions> = {}) {
    const first = await newClient(relay, { announced: false });
    await first.register();
    return { keys: keysOf(first), tabs: await othersOf(first, count, { ...options, session: first.session() }) };
  }

  /** More clients of a device. Each has keys of its own, as in a tab of its own. */
  function othersOf(first: DeviceClient, count: number, options: Partial<DeviceOptions>, of = relay) {
    const tab = () => newClient(of, { ...options, keys: { ...keysOf(first) }, announced: false });
    return Promise.all(Array.from({ length: count }, tab));
  }

  function storeInMemory() {
    let saved: Session | undefined;
    const sessionStore: SessionStore = {
      load: async () => saved,
      async save(session) {
        saved = session;
      },
    };
    return { sessionStore, saved: () => saved };
  }

  test("renew their addresses at once", async () => {
    const { tabs } = await tabsOf(5);
    const renewed = await Promise.allSettled(tabs.map((tab) => tab.renewAddresses()));
    expect(renewed.map(({ status }) => status)).toEqual(Array(5).fill("fulfilled"));
  });

  describe("at a relay that takes three announcements an hour", () => {
    let strict: TestRelay;
    beforeAll(async () => {
      strict = await startRelay({ announcementsPerHour: 3 });
    });
    afterAll(() => strict?.stop());

    test("announce once, and all of them know it", async () => {
      const first = await newClient(strict);
      const tabs = await othersOf(first, 5, { session: first.session() }, strict);
      strict.clock.advance(60);
      await Promise.all(tabs.map((tab) => tab.renewAddresses()));
      const [{ announced_at: announcedAt = 0 } = {}] = await first.addresses();
      for (const tab of tabs) expect(tab.session()?.announcedAt).toBeGreaterThanOrEqual(announcedAt);
      // One announcement of the hour is left.
      await tabs[0]?.register({ admission: { by: "nothing" } });
    });

    test("renew what the relay refuses to renew so soon again", async () => {
      const client = await newClient(strict);
      for (let i = 0; i < 4; i++) await client.renewAddresses();
      strict.clock.advance(3_700);
      const { announcedAt } = await client.renewAddresses();
      expect(announcedAt).toBeGreaterThan(strict.clock.nowSeconds() - 60);
    });

    test("share the session that one of them begins when theirs is over", async () => {
      const { sessionStore, saved } = storeInMemory();
      const first = await newClient(strict, { sessionStore });
      const tabs = await othersOf(first, 5, { sessionStore }, strict);
      strict.clock.advance(100_000);
      await Promise.all(tabs.map((tab) => tab.limits()));
      expect(new Set(tabs.map((tab) => tab.session()?.accessToken)).size).toBe(1);
      expect(saved()?.accessToken).toBe(tabs[0]?.session()?.accessToken);
    });
  });

  test("know the addresses that the others have added", async () => {
    const { tabs } = await tabsOf(2);
    for (const tab of tabs) await tab.register({ admission: { by: "nothing" } });
    expect(tabs[1]?.session()?.addresses).toHaveLength(3);
    await tabs[0]?.renewAddresses();
    expect(tabs[0]?.session()?.addresses.toSorted()).toEqual(tabs[1]?.session()?.addresses.toSorted());
  });

  test("lose no address in a session store that they share", async () => {
    const { sessionStore, saved } = storeInMemory();
    const { keys, tabs } = await tabsOf(2, { sessionStore });
    await Promise.all(tabs.map((tab) => tab.register({ admission: { by: "nothing" } })));
    const later = await newClient(relay, { keys, announced: false, sessionStore });
    expect(later.session()?.addresses).toHaveLength(3);
    const [address = ""] = later.session()?.addresses ?? [];
    await later.endAddress(address);
    expect(saved()?.addresses).toHaveLength(2);
  });

  test("count a prefix once, in whatever spelling", async () => {
    const client = await newClient(relay, { announced: false });
    const hex = prefix();
    await client.announce([hex, uuidOf(hex)]);
    await client.announce([uuidOf(hex).toUpperCase()]);
    expect(client.session()?.addresses).toHaveLength(1);
    expect((await client.renewAddresses()).addresses).toHaveLength(1);
    expect(await client.addresses()).toHaveLength(1);
  });
});

test("a registration whose answer was lost leaves an address that the next one finds", async () => {
  const { fetch, lost } = losingFetch(({ path }) => path.endsWith("/announce"));
  const client = await newClient(relay, { announced: false, runtime: { fetch } });
  const admission = { by: "waiting", seconds: 2.2 } as const;
  await expect(client.register({ admission })).rejects.toThrow(ConnectionError);
  expect(lost).toHaveLength(1);
  const session = await client.register({ admission: { by: "nothing" } });
  expect(session.addresses).toHaveLength(2);
  expect((await client.addresses()).map((one) => one.full_address).toSorted()).toEqual(session.addresses.toSorted());
  await client.endAddress(session.addresses[0] ?? "");
  expect(client.session()?.addresses).toEqual(session.addresses.slice(1));
});

test.each([
  [
    "throws",
    () => {
      throw new Error("the storage is full");
    },
  ],
  [
    "rejects",
    async () => {
      throw new Error("the storage is full");
    },
  ],
])("a device whose session cannot be stored is told that it is registered (%s)", async (_, onSession) => {
  const client = await newClient(relay, { announced: false, onSession });
  const failure: unknown = await client.register().catch((reason: unknown) => reason);
  if (!(failure instanceof SessionNotStoredError)) throw new Error("the failure must be told");
  expect(failure.session).toEqual(client.session());
  expect(failure.cause).toEqual(new Error("the storage is full"));
  expect(await client.addresses()).toHaveLength(1);
});

test("a registration ends once the session is stored", async () => {
  let isStored = false;
  const onSession = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    isStored = true;
  };
  await (await newClient(relay, { announced: false, onSession })).register();
  expect(isStored).toBe(true);
});
