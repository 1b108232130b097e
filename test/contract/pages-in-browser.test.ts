import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPatienceMillis, launchHeadlessShell } from "../support/browser.js";
import { build } from "../support/build.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const browser: Browser | undefined = await launchHeadlessShell();

describe.skipIf(browser === undefined)("the pages of the contract, in Chromium", () => {
  let relay: TestRelay;

  beforeAll(async () => {
    await build("pages");
    relay = await startRelay();
  });
  afterAll(async () => {
    await browser?.close();
    await relay?.stop();
  });

  async function newPage(): Promise<Page> {
    const page = await (browser as Browser).newPage();
    page.setDefaultTimeout(browserPatienceMillis);
    return page;
  }

  /** What the page shows once it has this text, and what went wrong on it. */
  async function read(path: string, text: string): Promise<{ shown: string; problems: string[] }> {
    const page = await newPage();
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
      await page.getByText(text).first().waitFor();
      return { shown: await page.locator("#document").innerText(), problems };
    } finally {
      await page.close();
    }
  }

  test("Swagger UI shows the operations, by the relay's own files alone", async () => {
    const { shown, problems } = await read("/docs/openapi", "/v1/messages/batch");
    expect(problems).toEqual([]);
    expect(shown).toContain("/v1/messages/ack");
  });

  test("Swagger UI finds an operation by any words, and calls this relay", async () => {
    const page = await newPage();
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
      await expect.poll(() => operations.count()).toBeLessThan(all);
      await page.getByLabel("Search the operations").fill("getDiscovery");
      await expect.poll(() => operations.count()).toBe(1);
      await operations.first().locator(".opblock-summary").click();
      const answered = page.waitForResponse((response) => response.url().startsWith(`${relay.url}/.well-known/`));
      await operations.first().getByRole("button", { name: "Execute" }).click();
      expect((await answered).status()).toBe(200);
      await page.locator(".live-responses-table", { hasText: relay.config.domain }).waitFor();
      await page.getByLabel("Search the operations").fill("a word that no operation has: xyzzy");
      await page.getByText(/^0 of \d+ operations$/).waitFor();
      await page.getByLabel("Search the operations").fill("");
      await expect.poll(() => operations.count()).toBe(all);
      expect(blocked).toEqual([]);
    } finally {
      await page.close();
    }
  });

  test("an address that does not exist shows a page that leads on", async () => {
    const page = await newPage();
    try {
      const answer = await page.goto(`${relay.url}/no/such/page`);
      expect(answer?.status()).toBe(404);
      await page.getByRole("link", { name: "Documentation of the interface" }).click();
      await page.getByRole("heading", { name: "mls-relay" }).waitFor();
    } finally {
      await page.close();
    }
  });

  test("the AsyncAPI component shows the frames, and needs no eval", async () => {
    const { shown, problems } = await read("/docs/asyncapi", "Life of a stream");
    expect(problems).toEqual([]);
    expect(shown).toContain("/v1/stream");
  });
});
