import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startWatched, type Watched } from "../health/fixture.js";
import { launchBrowser } from "../support/browser.js";
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

const browser: Browser | undefined = await launchBrowser();
let watched: Watched;
let visitor: Visitor | undefined;

beforeAll(async () => {
  await buildConsole();
  watched = await startWatched();
});
afterEach(async ({ task }) => {
  const mishaps = visitor?.mishaps;
  await showPageOf(task, visitor);
  await visitor?.context.close();
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
});
