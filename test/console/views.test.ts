import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAuditService } from "../../src/audit/service.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { download, newBytes, upload } from "../blobs/uploading.js";
import { type AdminKeys, adminKeys, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { closeContext, launchHeadlessShell } from "../support/browser.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";
import {
  answerDialog,
  buildConsole,
  expectAccessible,
  expectText,
  open,
  showPageOf,
  signInByPasting,
  type Visitor,
  visit,
} from "./harness.js";

const browser: Browser | undefined = await launchHeadlessShell();
// Nobody listens at this port, so what is sent there waits.
const unreachable = "localhost:1";
const deviceCount = 4;

let peers: PeerFixture;
let relay: TestRelay;
let admin: TestAdmin;
/** May verify devices, and nothing else. */
let moderator: AdminKeys;
let db: Database;
let visitor: Visitor;
const devices: TestDevice[] = [];

beforeAll(async () => {
  await buildConsole();
  peers = await createPeerFixture();
  moderator = adminKeys("verify_devices");
  const patient = {
    ...(await peers.membership(9)),
    outboxMaxBackoffSeconds: 3_600,
    adminList: moderator.seed,
  };
  ({ relay, admin } = await startAdministered(patient));
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  for (let i = 0; i < deviceCount; i++) devices.push(await newDevice(relay));
  demand(await deviceAt(0).send(deviceAt(1).address));
  demand(await deviceAt(0).send(`${randomUUID()}@${unreachable}`));
});
beforeEach(async () => {
  if (browser === undefined) return;
  visitor = await visit(browser, relay.url);
  await signInByPasting(visitor.page, admin);
});
afterEach(async ({ task }) => {
  const { mishaps, context } = visitor ?? {};
  await showPageOf(task, visitor);
  if (context !== undefined) await closeContext(context);
  expect(mishaps ?? []).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await db.close();
  await relay.stop();
  await peers.stop();
});

const deviceAt = (index: number): TestDevice => devices[index] as TestDevice;
const getDevice = async ({ deviceId }: TestDevice) =>
  demand(await call(relay, "getDevice", { token: admin.token, params: { device_id: deviceId } })).body;
const getConfig = async () => demand(await call(relay, "getConfig", { token: admin.token })).body;

describe.skipIf(browser === undefined)("the overview", () => {
  test("leads from a figure to its time series, and keeps the choice in the address bar", async () => {
    const { page } = visitor;
    await page.getByRole("link", { name: /Queued messages/ }).click();
    await page.getByLabel("Period").selectOption("1h");
    await page.getByLabel("Resolution").selectOption("5m");
    await page.waitForURL(/metric=queued_messages.*period=1h.*interval=5m/);
    await page.reload();
    await page.locator("figcaption", { hasText: "Queued messages average" }).waitFor();
    expect(await page.locator("figcaption").count()).toBe(1);
  });
});

describe.skipIf(browser === undefined)("a notice of what was done", () => {
  test("goes with the view if nothing can be undone, and soon by itself", async () => {
    const { page } = visitor;
    await page.clock.install();
    await page.reload();
    await open(page, "Sessions");
    const row = page.getByRole("row").filter({ has: page.getByText("This one") });
    const rename = async (name: string) => {
      await row.getByRole("button", { name: "Name" }).click();
      await answerDialog(page, "Name", { Name: name });
    };
    await rename("Ada");
    await page.getByRole("button", { name: "Undo" }).click();
    // The way back of the way back is the list itself.
    const notice = page.getByText("no longer has a name.");
    await notice.waitFor();
    await open(page, "Overview");
    await notice.waitFor({ state: "detached" });
    await open(page, "Sessions");
    await rename("Ada");
    await page.getByRole("button", { name: "Undo" }).click();
    await notice.waitFor();
    await page.mouse.move(0, 0);
    await page.clock.runFor("00:16");
    await notice.waitFor({ state: "detached" });
  });
});

describe.skipIf(browser === undefined)("a list on a phone", () => {
  test("is sorted by a choice, because its headings are not shown, and says how much it has", async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, "Audit log");
    const table = page.getByRole("region", { name: "Entries" });
    await table.getByText(/^\d+ in total$/).waitFor();
    expect(await table.getByRole("button", { name: "Time" }).count()).toBe(0);
    await table.getByLabel("Sort by").selectOption("Action, descending");
    await page.waitForURL(/audit\.sort=-action/);
    const actions = () => table.locator("tbody td[data-label=Action]").allInnerTexts();
    const expected = (await actions()).toSorted().toReversed();
    await expect.poll(actions).toEqual(expected);
    await expectAccessible(page);
    await table.getByLabel("Filter").fill("no such text");
    await table.getByText(/^0 of \d+$/).waitFor();
  });

  test("lets all of its rows be selected at once", async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${relay.url}/console/#/devices?min_messages=0`);
    const table = page.getByRole("region", { name: "Candidates for verification" });
    await table.getByRole("checkbox", { name: "Select all on this page" }).check();
    await table.getByRole("button", { name: /^Verify \d+ devices$/ }).waitFor();
  });
});

describe.skipIf(browser === undefined)("the view of devices", () => {
  test("shows no device beside the failure to find another one", async () => {
    const { page } = visitor;
    await page.goto(`${relay.url}/console/#/devices?id=${deviceAt(1).deviceId}`);
    const device = page.getByRole("region", { name: "Device", exact: true });
    await device.getByText(deviceAt(1).deviceId).waitFor();
    const field = page.getByLabel("Device id, public key or address");
    await field.fill("nonsense");
    await field.press("Enter");
    await expectText(page, "This is neither an address nor a device id");
    await device.waitFor({ state: "detached" });
    await page.getByTitle(deviceAt(2).deviceId).first().click();
    await device.getByText(deviceAt(2).deviceId).waitFor();
    expect(await page.getByText("This is neither an address nor a device id").count()).toBe(0);
  });

  test("verifies a device, takes it back, and verifies again", async () => {
    const { page } = visitor;
    await open(page, "Devices");
    await page.getByLabel("Device id, public key or address").fill(deviceAt(0).publicKey);
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await expectAccessible(page);
    await answerDialog(page, "Verify", { Reason: "known in person" });
    await expectText(page, /is verified\./);
    expect(await getDevice(deviceAt(0))).toMatchObject({ admin_verified: true });
    await page.getByRole("button", { name: "Undo" }).click();
    await expectText(page, /is revoked\./);
    expect(await getDevice(deviceAt(0))).toMatchObject({ admin_verified: false });
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await answerDialog(page, "Verify", { Reason: "after all" });
    await page.getByRole("button", { name: "Revoke verification" }).click();
    await answerDialog(page, "Revoke verification", { Reason: "a mistake" });
    await expectText(page, /is revoked\./);
  });

  test("sets a sending limit with an end, and tries its pushes", async () => {
    const { page } = visitor;
    await page.goto(`${relay.url}/console/#/devices?id=${deviceAt(1).deviceId}`);
    await page.getByRole("button", { name: "Set sending limit" }).click();
    const tomorrow = new Date(relay.clock.nowMillis() + 86_400_000).toISOString().slice(0, 16);
    await answerDialog(page, "Set sending limit", { "Messages per window": "7", Until: tomorrow, Reason: "noisy" });
    await expectText(page, /may send 7 messages/);
    const { rate_limiting } = await getDevice(deviceAt(1));
    expect(rate_limiting).toMatchObject({ custom_limit: 7, custom_limit_expires_at: expect.any(Number) });
    // The same device has asked for no pushes.
    await page.getByRole("button", { name: "Test push" }).click();
    await answerDialog(page, "Test push", {});
    await expectText(page, "The device has no push subscription.");
  });

  test("finds a device by its address and blocks it for good, naming the command that lifts the block", async () => {
    const { page } = visitor;
    await open(page, "Devices");
    await page.getByLabel("Device id, public key or address").fill(deviceAt(3).address);
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(new RegExp(`id=${deviceAt(3).deviceId}`));
    await page.getByRole("button", { name: "Block", exact: true }).click();
    // Said before it is done, because the console cannot take it back.
    await expectText(page, new RegExp(`cannot undo this.*mls-relay devices unblock ${deviceAt(3).deviceId}`));
    const answers = { Reason: "floods strangers", "To confirm, type": deviceAt(3).deviceId.slice(0, 8) };
    await answerDialog(page, "Block", answers);
    await expectText(page, /is blocked\./);
    await expectText(page, `mls-relay devices unblock ${deviceAt(3).deviceId}`);
    expect(await getDevice(deviceAt(3))).toMatchObject({ trust_tier: "blocked" });
    expect(await page.getByRole("button", { name: /Undo|Unblock/ }).count()).toBe(0);
  });

  test("finds a device by the first digits of its id, and lists those that begin alike", async () => {
    const { page } = visitor;
    await open(page, "Devices");
    const field = page.getByLabel("Device id, public key or address");
    await field.fill(deviceAt(1).deviceId.slice(0, 20).toUpperCase());
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(new RegExp(`id=${deviceAt(1).deviceId}`));
    const known = "0123456789".repeat(2);
    await field.fill(known);
    await page.getByRole("button", { name: "Show" }).click();
    await expectText(page, "No device id begins with these digits.");
    const alike = Array.from({ length: 2 }, (_, index) => `${known}${String(index).repeat(44)}`);
    for (const device_id of alike) {
      const row = { device_id, public_key: Buffer.alloc(32, device_id), registered_at: 0, last_active: 4e9 };
      await tableOf(db, "devices").insert(row);
    }
    await page.getByRole("button", { name: "Show" }).click();
    await expectText(page, "Several device ids begin with these digits.");
    const table = page.getByRole("region", { name: "All devices" });
    for (const id of alike) await table.getByTitle(id).waitFor();
    await tableOf(db, "devices").whereIn("device_id", alike).delete();
  });

  test("closes an open dialog when the address changes", async () => {
    const { page } = visitor;
    await open(page, "Devices");
    await page.goto(`${relay.url}/console/#/devices?id=${deviceAt(1).deviceId}`);
    await page.getByRole("button", { name: "Set sending limit" }).click();
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.waitForURL(/devices$/);
  });

  test("deletes a device once the beginning of its id is typed", async () => {
    const { page } = visitor;
    const { deviceId } = deviceAt(3);
    await page.goto(`${relay.url}/console/#/devices?id=${deviceId}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await answerDialog(page, "Delete", { "To confirm, type": "00" });
    expect(await page.getByRole("dialog").isVisible()).toBe(true);
    await answerDialog(page, "Delete", { "To confirm, type": deviceId.slice(0, 8) });
    await expectText(page, /and everything about it were deleted\./);
    const params = { device_id: deviceId };
    expect((await call(relay, "getDevice", { token: admin.token, params })).status).toBe(404);
  });

  test("says what is wrong with an address that no device holds, and with what is no address", async () => {
    const { page } = visitor;
    await open(page, "Devices");
    const field = page.getByLabel("Device id, public key or address");
    await field.fill(`${"0".repeat(32)}@${relay.config.domain}`);
    await field.press("Enter");
    await expectText(page, "No device of this relay has this address.");
    await field.fill("nonsense");
    await field.press("Enter");
    await expectText(page, "This is neither an address nor a device id");
  });

  test("shows the catalogue's message and a request id where a device is unknown", async () => {
    const { page } = visitor;
    await page.goto(`${relay.url}/console/#/devices?id=${"0".repeat(64)}`);
    await expectText(page, "The device is not registered here.");
    await expectText(page, /Request id:/);
  });

  test("verifies candidates together once their number is typed", async () => {
    const { page } = visitor;
    await open(page, "Devices");
    await page.getByLabel("Minimum messages sent").fill("0");
    await page.getByLabel("Minimum messages sent").blur();
    await page.getByLabel(`Select ${deviceAt(1).deviceId}`).check();
    await page.getByLabel(`Select ${deviceAt(2).deviceId}`).check();
    await page.getByRole("button", { name: "Verify 2 devices" }).click();
    await answerDialog(page, "Verify", { Reason: "the team", "To confirm, type": "2" });
    await expectText(page, "2 devices are verified.");
    expect(await getDevice(deviceAt(2))).toMatchObject({ admin_verified: true });
  });
});

describe.skipIf(browser === undefined)("the view of federation", () => {
  test("blocks a server and unblocks it once its name is typed", async () => {
    const { page } = visitor;
    await open(page, "Federation");
    await page.getByRole("region", { name: "Blocked servers" }).getByRole("button", { name: "Block a server" }).click();
    await answerDialog(page, "Block a server", { Domain: "spam.example", Reason: "spam waves" });
    await expectText(page, "spam.example is blocked.");
    await page.getByRole("button", { name: "Unblock", exact: true }).click();
    await answerDialog(page, "Unblock", { "To confirm, type": "wrong.example" });
    expect(await page.getByRole("dialog").isVisible()).toBe(true);
    await answerDialog(page, "Unblock", { "To confirm, type": "spam.example" });
    await expectText(page, "spam.example is no longer blocked.");
    const { body } = demand(await call(relay, "listBlockedServers", { token: admin.token }));
    expect(body.blocked_servers).toEqual([]);
  });

  test("retries and purges what waits for a server", async () => {
    const { page } = visitor;
    await open(page, "Federation");
    const outbox = page.getByRole("region", { name: "Outbox" });
    await outbox.getByRole("link", { name: unreachable }).waitFor();
    await outbox.getByText(/^(No connection|Its name does not resolve)/).waitFor();
    await outbox.getByRole("button", { name: "Retry now" }).click();
    await expectText(page, /Trying to reach .* again|nothing to retry/);
    await outbox.getByRole("button", { name: "Purge" }).click();
    await answerDialog(page, "Purge", { "To confirm, type": unreachable });
    await expectText(page, /1 messages for localhost:1 were purged/);
  });

  test("changes the policy and its allowlist, and takes it back", async () => {
    const { page } = visitor;
    await open(page, "Federation");
    await page.getByRole("button", { name: "Change policy" }).click();
    const domain = relay.config.domain;
    await answerDialog(page, "Change policy", {
      "Allowlist, one domain per line": "one.example\ntwo.example",
      "To confirm, type": domain,
    });
    await expectText(page, "one.example, two.example");
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("one.example, two.example").waitFor({ state: "detached" });
  });
});

describe.skipIf(browser === undefined)("the view of invites", () => {
  test("creates an invite, shows its link once with a QR code, and revokes it", async () => {
    const { page } = visitor;
    await open(page, "Invites");
    await expectText(page, "There are no invites.");
    await page.getByRole("button", { name: "Create an invite" }).click();
    await answerDialog(page, "Create an invite", { "How many devices can use it": "3" });
    await page.getByAltText("The link as a QR code").waitFor();
    await expectAccessible(page);
    const link = (await page.getByRole("link", { name: /#invite=/ }).getAttribute("href")) ?? "";
    const handle = link.slice(link.indexOf("=") + 1);
    expect(handle).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){4}$/);
    await page.getByText(handle, { exact: true }).waitFor();
    const guest = await visitor.context.newPage();
    await guest.goto(link);
    await expectText(guest, "You are invited");
    await guest.getByText(handle, { exact: true }).waitFor();
    await expectAccessible(guest);
    await guest.close();
    await page.reload();
    await expectText(page, "0 / 3");
    expect(await page.getByAltText("The link as a QR code").count()).toBe(0);
    const { invites } = demand(await call(relay, "listInvites", { token: admin.token })).body;
    await page.getByRole("button", { name: "Revoke", exact: true }).click();
    await answerDialog(page, "Revoke", { "To confirm, type": invites[0]?.invite_id.slice(0, 8) ?? "" });
    await expectText(page, /Invite .* is revoked\./);
  });
});

describe.skipIf(browser === undefined)("the view of spam reports", () => {
  test("deletes a reported file by its URL, and lists who deleted it", async () => {
    const { page } = visitor;
    const { blob_id } = await upload(relay, deviceAt(0), newBytes(300));
    const isThere = async () => (await download(relay, { blob_id })).status;
    await open(page, "Spam reports");
    const panel = page.getByRole("region", { name: "A reported file" });
    const field = panel.getByLabel("The file's id or URL");
    const submit = panel.getByRole("button", { name: "Delete the file" });
    await field.fill(`https://elsewhere.example/v1/blobs/${blob_id.slice(1)}`);
    await submit.click();
    await panel.getByText("This is neither a file id").waitFor();
    await field.fill(`${relay.url}/v1/blobs/${blob_id}`);
    await submit.click();
    await expectAccessible(page);
    await answerDialog(page, "Delete the file", { "To confirm, type": "0000" });
    expect(await isThere()).toBe(200);
    await answerDialog(page, "Delete the file", { "To confirm, type": blob_id.slice(0, 8) });
    await expectText(page, `The file ${blob_id.slice(0, 8)}… was deleted.`);
    expect(await isThere()).toBe(404);
    const deleted = page.getByRole("region", { name: "Deleted files" }).getByRole("row");
    await deleted
      .filter({ hasText: blob_id.slice(0, 8) })
      .getByTitle(admin.deviceId)
      .waitFor();
    await field.fill(blob_id);
    await submit.click();
    await answerDialog(page, "Delete the file", { "To confirm, type": blob_id.slice(0, 8) });
    await page
      .getByRole("dialog")
      .getByText(/^Not found/)
      .waitFor();
  });

  test("lets an administrator delete files who may not read the audit log, and shows no entries", async () => {
    await closeContext(visitor.context);
    visitor = await visit(browser as Browser, relay.url);
    await signInByPasting(visitor.page, moderator);
    await open(visitor.page, "Spam reports");
    await visitor.page.getByRole("region", { name: "A reported file" }).waitFor();
    expect(await visitor.page.getByRole("region", { name: "Deleted files" }).count()).toBe(0);
  });
});

describe.skipIf(browser === undefined)("the view of the configuration", () => {
  test("shows what will change, changes it once the relay's name is typed, and takes it back", async () => {
    const { page } = visitor;
    const before = (await getConfig()).storage.message_queue_limit;
    await open(page, "Configuration");
    await page.getByLabel("Message queue limit", { exact: true }).fill("4321");
    await expectText(page, /Storage, message queue limit: .* → 4,321/);
    await page.getByRole("button", { name: "Apply 1 change" }).click();
    await answerDialog(page, "Change the configuration", { "To confirm, type": relay.config.domain });
    await expectText(page, /^Changed: Storage/);
    expect((await getConfig()).storage.message_queue_limit).toBe(4321);
    await page.getByRole("button", { name: "Undo" }).click();
    await expectText(page, /^Changed: Storage, message queue limit: 4,321/);
    expect((await getConfig()).storage.message_queue_limit).toBe(before);
    await expectText(page, /Last changed at/);
  });

  test("offers to apply changes only if there are some, and shows the settings that differ from their defaults", async () => {
    const { page } = visitor;
    await open(page, "Configuration");
    const setting = (name: string) => page.getByLabel(name, { exact: true });
    await setting("Message queue limit").waitFor();
    const buttons = page.getByRole("button", { name: /^(Apply|Discard)/ });
    expect(await buttons.count()).toBe(0);
    await setting("Message queue limit").fill("4321");
    await page.getByRole("button", { name: "Apply 1 change" }).waitFor();
    await page.getByLabel("Only settings that differ from the default").check();
    await setting("Message queue bytes limit").waitFor({ state: "detached" });
    // It is being changed.
    expect(await setting("Message queue limit").count()).toBe(1);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Discard" }).click();
    await buttons.first().waitFor({ state: "detached" });
    await setting("Message queue limit").waitFor({ state: "detached" });
  });

  test("says sizes and times in the units that people use, beside the exact values", async () => {
    const { page } = visitor;
    await open(page, "Configuration");
    const field = page.getByLabel("Message queue bytes limit", { exact: true });
    const setting = page.locator(".setting", { has: field });
    await setting.getByText("From 1 MiB to 1 TiB. Default: 256 MiB.").waitFor();
    await field.fill("1073741824");
    await setting.getByText("Now 1 GiB.").waitFor();
    const changes = page.getByRole("list", { name: "Changes to apply" });
    await changes.getByText(/: 268,435,456 \(256 MiB\) → 1,073,741,824 \(1 GiB\)$/).waitFor();
    await page.getByLabel("Window seconds", { exact: true }).fill("0");
    await changes.getByText("must be from 1 (1 s) to 86,400 (1 d)").waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
  });

  test("lists no value that the contract refuses among the changes", async () => {
    const { page } = visitor;
    await open(page, "Configuration");
    const field = page.getByLabel("Message queue limit", { exact: true });
    const changes = page.getByRole("list", { name: "Changes to apply" });
    const apply = page.getByRole("button", { name: /^Apply/ });
    for (const [value, problem] of [
      ["1000001", "must be from 1 to 1,000,000"],
      ["1.5", "must be a whole number"],
      ["", "needs a value"],
    ] as const) {
      await field.fill(value);
      await changes.getByText(`Storage, message queue limit ${problem}`).waitFor();
      await page.locator(".setting").getByText(`Message queue limit ${problem}`).waitFor();
      expect(await apply.isDisabled()).toBe(true);
      expect(await changes.getByText("→").count()).toBe(0);
    }
    await expectAccessible(page);
    await field.fill("3000");
    await changes.getByText(/→ 3,000/).waitFor();
    expect(await apply.isEnabled()).toBe(true);
  });

  test("keeps what is not applied while another view is open, and the browser asks before it is lost", async () => {
    const { page } = visitor;
    await open(page, "Configuration");
    await page.getByLabel("Message queue limit", { exact: true }).fill("2999");
    const tab = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Configuration" });
    await tab.getByText("(unsaved changes)").waitFor();
    await open(page, "Sessions");
    await tab.click();
    await expectText(page, /Storage, message queue limit: .* → 2,999/);
    const [dialog] = await Promise.all([page.waitForEvent("dialog"), page.close({ runBeforeUnload: true })]);
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await page.getByRole("button", { name: "Discard" }).click();
    await tab.getByText("(unsaved changes)").waitFor({ state: "detached" });
  });

  test("is not covered by what was just done, which goes after a while", async () => {
    const { page } = visitor;
    await page.clock.install();
    await page.reload();
    await page.goto(`${relay.url}/console/#/devices?id=${deviceAt(0).deviceId}`);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await answerDialog(page, "Verify", { Reason: "known" });
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await open(page, "Configuration");
    await page.getByLabel("Message queue limit", { exact: true }).fill("2998");
    for (const size of [
      { width: 360, height: 640 },
      { width: 1280, height: 720 },
    ]) {
      await page.setViewportSize(size);
      // Playwright presses only what nothing covers.
      await page.getByRole("button", { name: "Apply 1 change" }).click({ trial: true });
      await page.getByRole("button", { name: "Undo" }).click({ trial: true });
    }
    await page.mouse.move(0, 0);
    await page.clock.runFor("01:01");
    await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    const [device_id, body] = [deviceAt(0).deviceId, { device_id: deviceAt(0).deviceId, reason: "over" }];
    demand(await call(relay, "revokeVerification", { token: admin.token, body }));
    expect((await getDevice(deviceAt(0))).device_id).toBe(device_id);
  });

  test("shows who changed a setting last, and puts it back", async () => {
    const { page } = visitor;
    const body = { storage: { message_queue_limit: 777 } };
    const before = (await getConfig()).storage.message_queue_limit;
    demand(await call(relay, "updateConfig", { token: admin.token, body }));
    await open(page, "Configuration");
    const setting = page.locator(".setting", { has: page.getByLabel("Message queue limit", { exact: true }) });
    await setting.getByRole("link", { name: admin.deviceId.slice(0, 12) }).waitFor();
    await setting.getByRole("button", { name: /Reset message queue limit/ }).click();
    await page.getByRole("button", { name: "Apply 1 change" }).click();
    await answerDialog(page, "Change the configuration", { "To confirm, type": relay.config.domain });
    await expectText(page, /^Changed: Storage/);
    expect((await getConfig()).storage.message_queue_limit).toBe(before);
  });
});

describe.skipIf(browser === undefined)("the audit log", () => {
  test("filters, keeps the filter in the address bar, sorts, and exports", async () => {
    const { page } = visitor;
    await open(page, "Audit log");
    await page.getByRole("combobox", { name: /^Action/ }).selectOption("admin_login");
    await page.waitForURL(/action=admin_login/);
    await page.getByRole("button", { name: "Time" }).click();
    await page.waitForURL(/audit.sort=time/);
    expect(await page.getByRole("columnheader", { name: "Time" }).getAttribute("aria-sort")).toBe("ascending");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export as CSV" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("audit.csv");
    await page.getByLabel("Filter").fill("no such text");
    await expectText(page, "Nothing matches the filter.");
  });
});

describe.skipIf(browser === undefined)("the audit log", () => {
  test("is filtered by the first digits of ids, and names no administrator for what a device did", async () => {
    const { page } = visitor;
    const { deviceId } = deviceAt(2);
    const audit = createAuditService({ clock: relay.clock, random: createSystemRandom() });
    const byDevice = { admin: null, ipAddress: null, userAgent: null };
    await audit.record(db, { ...byDevice, action: "spam_reported", target: deviceId, details: { reason: "spam" } });
    await open(page, "Audit log");
    await page.getByRole("textbox", { name: "Target" }).fill(deviceId.slice(0, 10));
    await page.getByRole("textbox", { name: "Target" }).press("Enter");
    const row = page.getByRole("row").filter({ hasText: "Spam reported" });
    await row.getByText("A device", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Target" }).fill("");
    await page.getByRole("textbox", { name: "Administrator" }).fill(admin.deviceId.slice(0, 10));
    await page.getByRole("textbox", { name: "Administrator" }).press("Enter");
    await row.waitFor({ state: "detached" });
    await page.getByRole("row").filter({ hasText: "Admin login" }).first().waitFor();
  });
});

describe.skipIf(browser === undefined)("the tabs of views", () => {
  test("name the view in the browser's tab, and stay in sight on a phone", async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 360, height: 740 });
    for (const view of ["Sessions", "Overview", "Audit log"]) {
      await open(page, view);
      await expect.poll(() => page.title()).toBe(`${view}, ${relay.config.domain}`);
      const tab = page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view });
      await expect.poll(async () => isWithin(await tab.boundingBox(), 360)).toBe(true);
    }
  });

  const isWithin = (box: { x: number; width: number } | null, width: number) =>
    box !== null && box.x >= 0 && box.x + box.width <= width;
});

describe.skipIf(browser === undefined)("the view of sessions", () => {
  test("gives an administrator a name, which every view shows and only this browser has", async () => {
    const { page } = visitor;
    await open(page, "Sessions");
    const rows = page.getByRole("row").filter({ has: page.getByText("This one") });
    await rows.getByRole("button", { name: "Name" }).click();
    await answerDialog(page, "Name", { Name: "Ada" });
    await rows.getByRole("link", { name: "Ada" }).waitFor();
    await open(page, "Audit log");
    await page.getByRole("link", { name: "Ada" }).first().waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Ada" }).first().waitFor();
    const other = await visit(browser as Browser, relay.url);
    await signInByPasting(other.page, admin);
    await open(other.page, "Audit log");
    await other.page
      .getByRole("link", { name: admin.deviceId.slice(0, 12) })
      .first()
      .waitFor();
    expect(await other.page.getByText("Ada", { exact: true }).count()).toBe(0);
    await closeContext(other.context);
    await open(page, "Sessions");
    await rows.getByRole("button", { name: "Name" }).click();
    await answerDialog(page, "Name", { Name: "" });
    await rows.getByRole("link", { name: admin.deviceId.slice(0, 12) }).waitFor();
  });

  test("lists who is signed in, and ends the session of another browser", async () => {
    const { page } = visitor;
    const other = await visit(browser as Browser, relay.url);
    await signInByPasting(other.page, admin);
    await open(page, "Sessions");
    const rows = page.getByRole("row").filter({ has: page.getByRole("button", { name: "End" }) });
    await rows.first().waitFor();
    expect(await page.getByText("This one").count()).toBe(1);
    // The latest comes first, and it is not this one.
    await rows.first().getByRole("button", { name: "End" }).click();
    await answerDialog(page, "End", { "To confirm, type": admin.deviceId.slice(0, 8) });
    await expectText(page, /The session of .* has ended\./);
    // Its overview asks again before long.
    await expectText(other.page, "Your session has ended. Sign in again.");
    await closeContext(other.context);
  });
});

describe.skipIf(browser === undefined)("the view of backups", () => {
  test("says what to do where the relay has no folder for them", async () => {
    const { page } = visitor;
    await open(page, "Backups");
    await expectText(page, "This relay makes no backups, because BACKUP_DIR is not set");
    expect(await page.getByRole("button", { name: "Start a backup" }).isDisabled()).toBe(true);
  });
});
