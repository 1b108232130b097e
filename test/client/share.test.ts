import { afterAll, beforeAll, expect, test } from "vitest";
import { readCompactInfoQr, readInfoLink } from "../../src/client/infopackages/compact-info-qr.js";
import type { GroupInviteInfoPackage, IdentityInfoPackage } from "../../src/client/infopackages/info-packages.js";
import {
  fetchShared,
  share,
  shareAnonymously,
  unshare,
  unshareAnonymously,
} from "../../src/client/infopackages/share.js";
import { MalformedError } from "../../src/client/runtime/json-shape.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { losingFetch, newClient } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ baseUrl: "https://relay.test" });
});
afterAll(() => relay.stop());

const identity: IdentityInfoPackage = {
  user_id: "user-1",
  user_public_key: "a".repeat(64),
  default_persona: "work",
  personas: { work: { display_name: "Ada" } },
  devices: [],
  created_at: 1_767_225_600,
};
const invite: GroupInviteInfoPackage = {
  group_id: "g",
  group_name: "Lighthouse",
  welcome_message: "AAAA",
  invited_by: "user-1",
  invited_by_name: "Ada",
  created_at: 1_767_225_600,
};

/** The public name of the test's relay leads to where it listens. */
const resolving = {
  fetch: (url: string, init: RequestInit) => globalThis.fetch(url.replace("https://relay.test", relay.url), init),
};

test("a device shares an identity by link and by QR code, and takes it back", async () => {
  const ada = await newClient(relay);
  const shared = await share(ada, identity, { displayName: "Ada", ttlSeconds: 600 });
  expect(await fetchShared({ ...readInfoLink(shared.link), packageType: "identity" })).toEqual(identity);
  const scanned = readCompactInfoQr(shared.qr);
  expect(scanned).toMatchObject({ displayName: "Ada", packageType: "identity" });
  expect(await fetchShared(scanned)).toEqual(identity);
  await unshare(ada, shared);
  await expect(fetchShared(scanned)).rejects.toMatchObject({ error: "NOT_FOUND" });
});

test("a package is gone when its uses are", async () => {
  const ada = await newClient(relay);
  const { info } = await share(ada, invite, { displayName: "Lighthouse", ttlSeconds: 600, maxUses: 1 });
  expect(info).toMatchObject({ packageType: "group_invite", groupId: "g" });
  expect(await fetchShared(info)).toEqual(invite);
  await expect(fetchShared(info)).rejects.toMatchObject({ error: "INFOPACKAGE_EXHAUSTED" });
});

test("a package is shared without telling who does, and revoked by its token", async () => {
  const { connection } = await newClient(relay, { announced: false });
  const shared = await shareAnonymously(connection, identity, { displayName: "Ada", ttlSeconds: 600 });
  expect(await fetchShared(shared.info, resolving)).toEqual(identity);
  await unshareAnonymously(connection, shared);
  await expect(fetchShared(shared.info, resolving)).rejects.toMatchObject({ error: "NOT_FOUND" });
});

test("a package that the server encrypted is read in the same way", async () => {
  const ada = await newClient(relay);
  const body = { package_type: "identity" as const, content: { ...identity }, ttl_seconds: 600 };
  const answer = await ada.call("uploadPlainInfoPackage", { body });
  const scanned = readCompactInfoQr(answer.qr_data);
  expect(scanned).toMatchObject({ displayName: "Ada", packageType: "identity" });
  expect(await fetchShared(scanned, resolving)).toEqual(identity);
});

test("an address of something else is not asked", async () => {
  const key = new Uint8Array(32);
  for (const url of [
    "https://relay.test/v1/messages",
    "https://relay.test/v1/infopackages/a/b",
    "https://relay.test/",
  ]) {
    await expect(fetchShared({ url, key, packageType: "identity" })).rejects.toThrow(MalformedError);
  }
});

test("a wrong guess does not spend the only use, and a link says of which type it is", async () => {
  const ada = await newClient(relay);
  const shared = await share(ada, invite, { displayName: "Lighthouse", ttlSeconds: 600, maxUses: 1 });
  const link = readInfoLink(shared.link);
  expect(link.packageType).toBe("group_invite");
  await expect(fetchShared({ ...link, packageType: "identity" })).rejects.toThrow(MalformedError);
  await expect(fetchShared({ ...link, key: new Uint8Array(32) })).rejects.toThrow(MalformedError);
  expect(await fetchShared({ url: link.url, key: link.key })).toEqual(invite);
  await expect(fetchShared(link)).rejects.toMatchObject({ error: "INFOPACKAGE_EXHAUSTED" });
});

test("an answer that was lost does not spend the only use, whoever repeats the download", async () => {
  const shared = await share(await newClient(relay), invite, { displayName: "G", ttlSeconds: 600, maxUses: 1 });
  const first = losingFetch(({ path }) => path.includes("infopackages"));
  expect(await fetchShared(shared.info, { fetch: first.fetch })).toMatchObject({ group_id: invite.group_id });
  expect(first.lost).toHaveLength(1);

  const other = await share(await newClient(relay), invite, { displayName: "G", ttlSeconds: 600, maxUses: 1 });
  const offline = async (url: string, init: RequestInit) => {
    await resolving.fetch(url, init);
    throw new TypeError("no network");
  };
  await expect(fetchShared(other.info, { fetch: offline, sleep: async () => undefined })).rejects.toThrow("no network");
  expect(await fetchShared(other.info)).toMatchObject({ group_id: invite.group_id });
  await expect(fetchShared(other.info)).rejects.toMatchObject({ error: "INFOPACKAGE_EXHAUSTED" });
});
