import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { writeDevices, writePastDay, writePeers } from "../../scripts/demo/past-day.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { hourSeconds } from "../../src/protocol/units.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { closeContext, launchHeadlessShell } from "../support/browser.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { buildConsole, expectAccessible, expectText, open, signInByPasting, type Visitor, visit } from "./harness.js";

const browser: Browser | undefined = await launchHeadlessShell();
const deviceCount = 10_000;
const pageRows = 50;

let relay: TestRelay;
let admin: TestAdmin;
let visitor: Visitor;

beforeAll(async () => {
  await buildConsole();
  ({ relay, admin } = await startAdministered());
  // Half past an hour: the day that a plot shows then begins and ends within an hour, however long the tests take.
  relay.clock.advance((1.5 * hourSeconds - (relay.clock.nowSeconds() % hourSeconds)) % hourSeconds);
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  const now = relay.clock.nowSeconds();
  await writeDevices(db, { count: deviceCount, now });
  await writePeers(db, now);
  await writePastDay(db, now);
  await db.close();
});
beforeEach(async () => {
  if (browser === undefined) return;
  visitor = await visit(browser, relay.url);
});
afterEach(async () => {
  const { mishaps, context } = visitor ?? {};
  if (context !== undefined) await closeContext(context);
  expect(mishaps ?? []).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await relay.stop();
});

describe.skipIf(browser === undefined)("an open view", () => {
  const view = "/admin/v1/sessions";
  const isForView = (asked: { url(): string }) => new URL(asked.url()).pathname === view;
  /** A Chromium without windows never hides a page, so the state and its event are made by the debugger's protocol. */
  const setVisibility = async (state: "hidden" | "visible") => {
    const debug = await visitor.context.newCDPSession(visitor.page);
    const expression = `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`;
    await debug.send("Runtime.evaluate", { expression });
    await debug.detach();
  };

  test("asks again with the tag of what it has, stops while the page is hidden, and goes on at once", async () => {
    const { page } = visitor;
    await page.clock.install();
    await page.reload();
    await signInByPasting(page, admin);
    await open(page, "Sessions");
    await expectText(page, "This one");
    // From here on the page's time passes only when it is told to, however long the browser takes for each step.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000));
    await expectText(page, "This one");

    const again = page.waitForResponse(isForView);
    await page.clock.runFor("00:30");
    const response = await again;
    expect(await response.request().headerValue("if-none-match")).toMatch(/^"/);
    expect(response.status()).toBe(304);
    await expectText(page, "This one");

    await setVisibility("hidden");
    // What the page asks is counted within the page: the browser may tell of earlier requests only now.
    const asked = await page.evaluateHandle(() => {
      const urls: string[] = [];
      const { fetch } = globalThis;
      globalThis.fetch = (...request) => {
        urls.push(String(request[0]));
        return fetch(...request);
      };
      return urls;
    });
    await page.clock.runFor("05:00");
    expect(await asked.jsonValue()).toEqual([]);
    await setVisibility("visible");
    await expect.poll(async () => (await asked.jsonValue()).filter((url) => url.endsWith(view))).toHaveLength(1);
  });
});

describe.skipIf(browser === undefined)("ten thousand devices", () => {
  test("come in pages that the relay sorts and filters, with the state in the address bar", async () => {
    const { page } = visitor;
    await signInByPasting(page, admin);
    await open(page, "Devices");
    const table = page.getByRole("region", { name: "All devices" });
    const ids = table.locator("tbody tr a.id");
    await expect.poll(() => ids.count()).toBe(pageRows);
    await table.getByText("1 to 50, and there are more").waitFor();
    const first = await ids.first().getAttribute("title");
    await table.getByRole("button", { name: "Next" }).click();
    await page.waitForURL(/devices\.page=2/);
    await expect.poll(() => ids.first().getAttribute("title")).not.toBe(first);
    await table.getByRole("button", { name: "Registered" }).click();
    await page.waitForURL(/devices\.sort=registered_at/);
    expect(page.url()).not.toContain("devices.page");
    await expectText(page, "Page 1");
    await table.getByLabel("The id begins with").fill(first?.slice(0, 16) ?? "");
    await expect.poll(() => ids.count()).toBe(1);
    await table.getByText("1 to 1 of 1").waitFor();
    await page.reload();
    await expect.poll(() => ids.first().getAttribute("title")).toBe(first);
    await expectAccessible(page);
  });
});

describe.skipIf(browser === undefined)("a device low in the list", () => {
  test("is opened in sight, and closing it leads back to its line", async () => {
    const { page } = visitor;
    await signInByPasting(page, admin);
    await page.goto(`${relay.url}/console/#/devices?devices.page=2`);
    const link = page
      .getByRole("region", { name: "All devices" })
      .locator("tbody tr a.id")
      .nth(pageRows - 2);
    const id = await link.getAttribute("title");
    await link.click();
    const device = page.getByRole("region", { name: "Device", exact: true });
    await device.getByText(id ?? "", { exact: true }).waitFor();
    const isInSight = () =>
      device.getByRole("heading").evaluate((heading) => {
        const { top, bottom } = heading.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    await expect.poll(isInSight).toBe(true);
    expect(page.url()).toContain("devices.page=2");
    await device.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("title"))).toBe(id);
  });
});

describe.skipIf(browser === undefined)("a day of traffic", () => {
  test("shows plots of the day, with a table for who cannot see them", async () => {
    const { page } = visitor;
    await signInByPasting(page, admin);
    await page.getByRole("img", { name: /^Messages sent: between/ }).waitFor();
    await page.getByText("As a table").first().click();
    const cells = page.getByRole("region", { name: "Messages sent" }).getByRole("cell");
    await cells.first().waitFor();
    // The period cuts the first hour off, and the last one is under way.
    await cells.filter({ hasText: "(incomplete)" }).nth(1).waitFor();
    const reading = page.locator("figure", { hasText: "Messages sent" }).locator(".reading");
    await reading.getByText(/^\d{1,2} \w+, \d{2}:00 to \d{1,2} \w+, \d{2}:00: \d+$/).waitFor();
    const plot = page.getByRole("img", { name: /^Messages sent: between/ });
    const box = await plot.boundingBox();
    const before = await reading.textContent();
    await plot.hover({ position: { x: (box?.width ?? 0) / 2, y: 60 } });
    await expect.poll(() => reading.textContent()).not.toBe(before);
    await expectAccessible(page);
  });

  test("shows the part of it that is drawn across a plot, or that two fields name, in all plots", async () => {
    const { page } = visitor;
    await signInByPasting(page, admin);
    const plot = page.getByRole("img", { name: /^Messages sent: between/ });
    const times = async (metric: string): Promise<number[]> => {
      const figure = page.locator("figure", { hasText: metric });
      const cells = await figure.locator("tbody tr td:first-child").allTextContents();
      return cells.map((text) => Date.parse(text) / 1000);
    };
    await expect.poll(() => times("Messages sent")).toHaveLength(25);
    const chosenRange = /from=\d+.*until=\d+/;
    const draw = async () => {
      await plot.scrollIntoViewIfNeeded();
      const box = await plot.boundingBox();
      const at = (share: number) => (box?.x ?? 0) + share * (box?.width ?? 0);
      const y = (box?.y ?? 0) + 60;
      await page.mouse.move(at(0.4), y);
      await page.mouse.down();
      await page.mouse.move(at(0.5), y, { steps: 4 });
      await page.mouse.move(at(0.7), y, { steps: 4 });
      await page.mouse.up();
      return page.waitForURL(chosenRange, { timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    };
    // What loads above the plot moves it, and new values replace it: a person would then draw the range once more.
    await until(draw, "a range is chosen");
    const chosen = new URLSearchParams(page.url().split("?")[1]);
    const [from, to] = [Number(chosen.get("from")), Number(chosen.get("until"))];
    expect(to - from).toBeGreaterThan(3 * hourSeconds);
    expect(to - from).toBeLessThan(12 * hourSeconds);
    // Twelve hours or less have a value for each five minutes.
    expect(chosen.get("interval")).toBe("5m");
    await page.getByLabel("Resolution").selectOption("1h");
    for (const metric of ["Messages sent", "Messages received"]) {
      await expect.poll(async () => (await times(metric)).length).toBeLessThan(14);
      for (const time of await times(metric)) {
        expect(time).toBeGreaterThan(from - hourSeconds);
        expect(time).toBeLessThan(to + hourSeconds);
      }
    }
    await expectAccessible(page);
    await page.reload();
    const start = await page.getByLabel("From", { exact: true }).inputValue();
    await page.getByLabel("Until", { exact: true }).fill(start);
    await page.getByLabel("Until", { exact: true }).blur();
    await expectText(page, "The start must be before the end.");
    const [day = ""] = start.split("T");
    await page.getByLabel("From", { exact: true }).fill(`${day}T00:00`);
    await page.getByLabel("From", { exact: true }).blur();
    await page.getByText("The start must be before the end.").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Back to the last 24 hours" }).click();
    await expect.poll(() => times("Messages sent")).toHaveLength(25);
    expect(page.url()).not.toContain("from=");
    await page.getByLabel("Period").selectOption("Custom time range");
    await page.getByLabel("From", { exact: true }).waitFor();
    await page.getByLabel("Period").selectOption("1 hour");
    await page.getByLabel("From", { exact: true }).waitFor({ state: "detached" });
  });

  test("shows the peers with score and why, their block lists, and blocks one of them", async () => {
    const { page } = visitor;
    await signInByPasting(page, admin);
    await open(page, "Federation");
    const peers = page.getByRole("region", { name: "Peers", exact: true });
    const noisy = peers.getByRole("row", { name: /noisy\.example/ });
    await noisy.getByText(/rejected messages −0\.29, block lists −0\.05/).waitFor();
    await noisy.getByRole("button", { name: "Block" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").first().fill("mostly rejected");
    await dialog.getByRole("button", { name: "Block a server" }).click();
    await noisy.getByRole("button", { name: "Unblock" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expectText(page, "noisy.example is no longer blocked.");
    const lists = page.getByRole("region", { name: "Block lists of peers" });
    await lists.getByRole("button", { name: "Show" }).click();
    await lists.getByRole("cell", { name: "waves-of-spam.example" }).waitFor();
    await expectAccessible(page);
  });
});
