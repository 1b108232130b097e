import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../support/build.js";
import { isMissing, programs } from "../support/programs.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const patienceMillis = 60_000;

describe.skipIf(isMissing("chromium"))("the pages of the contract, in Chromium", () => {
  let relay: TestRelay;
  let browser: Browser;

  beforeAll(async () => {
    await build("pages");
    relay = await startRelay();
    browser = await chromium.launch({
      executablePath: programs.chromium.find() ?? "",
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await relay?.stop();
  });

  /** What the page shows once it has this text, and what went wrong on it. */
  async function read(path: string, text: string): Promise<{ shown: string; problems: string[] }> {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(relay.url) && !request.url().startsWith("data:")) problems.push(request.url());
    });
    try {
      await page.goto(relay.url + path);
      await page.getByText(text).first().waitFor({ timeout: patienceMillis });
      return { shown: await page.locator("#document").innerText(), problems };
    } finally {
      await page.close();
    }
  }

  test("Swagger UI shows the operations, by the relay's own files alone", { timeout: 180_000 }, async () => {
    const { shown, problems } = await read("/docs/openapi", "/v1/messages/batch");
    expect(problems).toEqual([]);
    expect(shown).toContain("/v1/messages/ack");
  });

  test("Swagger UI finds an operation by any words, and calls this relay", { timeout: 180_000 }, async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(patienceMillis);
    const blocked: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") blocked.push(message.text());
    });
    try {
      await page.goto(`${relay.url}/docs/openapi`);
      const operations = page.locator("#document .opblock");
      await operations.first().waitFor();
      const all = await operations.count();
      await page.getByLabel("Search the operations").fill("discovery well-known");
      await page.getByText(/^\d+ of \d+ operations$/).waitFor();
      await expect.poll(() => operations.count(), { timeout: patienceMillis }).toBeLessThan(all);
      await page.getByLabel("Search the operations").fill("getDiscovery");
      await expect.poll(() => operations.count(), { timeout: patienceMillis }).toBe(1);
      await operations.first().locator(".opblock-summary").click();
      const answered = page.waitForResponse((response) => response.url().startsWith(`${relay.url}/.well-known/`));
      await operations.first().getByRole("button", { name: "Execute" }).click();
      expect((await answered).status()).toBe(200);
      await page.locator(".live-responses-table", { hasText: relay.config.domain }).waitFor();
      await page.getByLabel("Search the operations").fill("no such operation");
      await page.getByText(/^0 of \d+ operations$/).waitFor();
      await page.getByLabel("Search the operations").fill("");
      await expect.poll(() => operations.count(), { timeout: patienceMillis }).toBe(all);
      expect(blocked).toEqual([]);
    } finally {
      await page.close();
    }
  });

  test("an address that does not exist shows a page that leads on", async () => {
    const page = await browser.newPage();
    try {
      const answer = await page.goto(`${relay.url}/no/such/page`);
      expect(answer?.status()).toBe(404);
      await page.getByRole("link", { name: "Documentation of the interface" }).click();
      await page.getByRole("heading", { name: "mls-relay" }).waitFor();
    } finally {
      await page.close();
    }
  });

  test("the AsyncAPI component shows the frames, and needs no eval", { timeout: 180_000 }, async () => {
    const { shown, problems } = await read("/docs/asyncapi", "Life of a stream");
    expect(problems).toEqual([]);
    expect(shown).toContain("/v1/stream");
  });
});
