import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { closeContext, launchHeadlessShell } from "../support/browser.js";
import { demand, newDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import type { TestRelay } from "../support/relay.js";
import { buildConsole, expectAccessible, open, showPageOf, signInByPasting, type Visitor, visit } from "./harness.js";

const browser = await launchHeadlessShell();
// Nobody listens at this port, so what is sent there waits.
const unreachable = "localhost:1";
const views = [
  "Overview",
  "Devices",
  "Spam reports",
  "Federation",
  "Invites",
  "Configuration",
  "Audit log",
  "Backups",
  "Sessions",
];

let peers: PeerFixture;
let relay: TestRelay;
let admin: TestAdmin;
let visitor: Visitor | undefined;

beforeAll(async () => {
  await buildConsole();
  peers = await createPeerFixture();
  ({ relay, admin } = await startAdministered({ ...(await peers.membership(9)), outboxMaxBackoffSeconds: 3_600 }));
  const [one, other] = [await newDevice(relay), await newDevice(relay)];
  demand(await one.send(other.address));
  demand(await one.send(`${randomUUID()}@${unreachable}`));
  if (browser === undefined) return;
  visitor = await visit(browser, relay.url);
  await signInByPasting(visitor.page, admin);
});
afterEach(({ task }) => showPageOf(task, visitor));
afterAll(async () => {
  if (visitor !== undefined) await closeContext(visitor.context);
  await browser?.close();
  await relay.stop();
  await peers.stop();
  expect(visitor?.mishaps ?? []).toEqual([]);
});

describe.skipIf(browser === undefined)("every view", () => {
  for (const view of views) {
    test(`${view} meets WCAG AA in light and dark, and fits from 360 to 1920 pixels`, async () => {
      const { page } = visitor as Visitor;
      await page.setViewportSize({ width: 1280, height: 720 });
      await open(page, view);
      await page.waitForFunction(() => document.querySelector(".loading") === null);
      for (const colors of ["light", "dark"]) {
        await page.getByLabel("Colours").selectOption(colors);
        await expectAccessible(page, { onlyColours: colors === "dark" });
      }
      for (const width of [360, 768, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
      }
    });
  }
});
