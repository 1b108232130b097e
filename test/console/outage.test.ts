import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startWatched, type Watched } from "../health/fixture.js";
import { closeContext, launchHeadlessShell } from "../support/browser.js";
import {
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
let watched: Watched;
let visitor: Visitor | undefined;

beforeAll(async () => {
  await buildConsole();
  watched = await startWatched();
});
afterEach(async ({ task }) => {
  const mishaps = visitor?.mishaps;
  await showPageOf(task, visitor);
  if (visitor !== undefined) await closeContext(visitor.context);
  expect(mishaps ?? []).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await watched.stop();
});

describe.skipIf(browser === undefined)("without its database, the relay", () => {
  test("is not called healthy, and the console says when to try again and of when its figures are", async () => {
    visitor = await visit(browser as Browser, watched.relay.url);
    const { page } = visitor;
    await signInByPasting(page, watched.admin());
    const health = page.getByRole("region", { name: "Health" });
    await health.getByText("Healthy", { exact: true }).first().waitFor();
    await health.getByText(/As of \d{1,2} \w+ \d{4}, \d{2}:\d{2}:\d{2}/).waitFor();
    watched.proxy.open = false;
    watched.proxy.cut();

    await health.getByText("Unhealthy", { exact: true }).first().waitFor();
    const figures = page.getByRole("region", { name: "Figures" });
    await open(page, "Devices");
    await expectText(page, "The relay cannot reach its database.");
    await expectText(page, /The database does not answer\. Try again in \d+ s\./);
    await open(page, "Overview");
    await figures.getByText(/Try again in \d+ s\./).waitFor();
    expect(await page.getByText("Retry-After").count()).toBe(0);
    await expectAccessible(page);

    watched.proxy.open = true;
    await health.getByText("Unhealthy", { exact: true }).first().waitFor({ state: "detached" });
    await page.getByText("The relay cannot reach its database.").waitFor({ state: "detached" });
  });

  test("is said to be neither healthy nor without anything to do while nothing reaches it", async () => {
    visitor = await visit(browser as Browser, watched.relay.url);
    const { page, context } = visitor;
    await signInByPasting(page, watched.admin());
    const health = page.getByRole("region", { name: "Health" });
    await health.getByText("Healthy", { exact: true }).first().waitFor();
    await context.setOffline(true);
    await page.getByRole("button", { name: "Refresh" }).click();
    await expectText(page, "The relay does not answer. This page may be out of date");
    await health.getByText("Healthy", { exact: true }).first().waitFor({ state: "detached" });
    expect(await page.getByText("Nothing to do").count()).toBe(0);
    await context.setOffline(false);
    await page.getByRole("button", { name: "Refresh" }).click();
    await health.getByText("Healthy", { exact: true }).first().waitFor();
  });

  test("is not shown as away for a request of a view that was left", async () => {
    visitor = await visit(browser as Browser, watched.relay.url);
    const { page } = visitor;
    await signInByPasting(page, watched.admin());
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route(/\/admin\/v1\/devices\?/, async (route) => {
      const response = await route.fetch();
      arrive();
      await released;
      await route.fulfill({ response });
    });
    watched.proxy.open = false;
    watched.proxy.cut();
    await open(page, "Devices");
    await arrived;
    watched.proxy.open = true;
    await expect.poll(async () => (await watched.health()).status).toBe("healthy");
    await open(page, "Sessions");
    await page.waitForFunction(() => document.querySelector(".loading") === null);
    const late = page.waitForResponse(/\/admin\/v1\/devices\?/);
    release();
    expect((await late).status()).toBe(503);
    await (await late).finished();
    // What the page makes of the answer takes no time that could be waited for.
    await page.waitForTimeout(500);
    expect(await page.getByText("The relay cannot reach its database.").count()).toBe(0);
  });
});
