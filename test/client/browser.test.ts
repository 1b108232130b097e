import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPatienceMillis, launchHeadlessShell } from "../support/browser.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { bundleForBrowser } from "./browser/bundling.js";
import type { Report, Trial } from "./browser/page.js";

/** Paths of the site: a page with an ordinary policy, one that forbids WebAssembly, and one that allows no workers either. */
const policies: Readonly<Record<string, string>> = {
  "/": "script-src 'self' 'wasm-unsafe-eval'; worker-src blob:",
  "/no-webassembly": "script-src 'self'; worker-src blob:",
  "/strict": "script-src 'self'; worker-src 'none'",
};

let relay: TestRelay;
let site: Server;

const browser: Browser | undefined = await launchHeadlessShell();

function serveSite(script: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (path === "/page.js") return response.setHeader("content-type", "text/javascript").end(script);
    const policy = policies[path];
    if (policy === undefined) return response.writeHead(404).end();
    response.setHeader("content-type", "text/html; charset=utf-8").setHeader("content-security-policy", policy);
    response.end('<!doctype html><title>trial</title><script type="module" src="/page.js"></script>');
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function runTrial(path: string, transport: Trial["transport"]): Promise<Report & { workers: number }> {
  const page = await (browser as Browser).newPage();
  page.setDefaultTimeout(browserPatienceMillis);
  let workers = 0;
  page.on("worker", () => workers++);
  try {
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`);
    const given: Trial = { url: relay.url, domain: relay.config.domain, transport };
    const report = await page.evaluate(
      (trial) => (globalThis as unknown as { trial(given: Trial): Promise<Report> }).trial(trial),
      given,
    );
    return { ...report, workers };
  } finally {
    await page.close();
  }
}

describe.skipIf(browser === undefined)("in Chromium", () => {
  beforeAll(async () => {
    relay = await startRelay({
      seeds: {
        SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true",
        SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "1000000",
      },
    });
    site = await serveSite((await bundleForBrowser({ file: "test/client/browser/page.ts" })).code);
  });

  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => (site === undefined ? resolve(undefined) : site.close(resolve)));
    await relay?.stop();
  });

  test("a page of another origin registers, sends, and receives by the stream", async () => {
    const report = await runTrial("/", "stream");
    expect(report.address).toMatch(/@relay\.test$/);
    expect(report.received).toEqual(["from a page", "to itself", "and once more"]);
    expect(report).toMatchObject({ signaturesHold: true, structuresWork: true, iterations: 1_000_000 });
    expect(report.states).toContain("streaming");
    expect(report.progress.at(-1)).toBe(1_000_000);
    expect(report.turns).toBeGreaterThan(5);
  });

  test.each(["online", "visibilitychange"] as const)("a page opens its stream again at the event %s", async (event) => {
    const page = await (browser as Browser).newPage();
    page.setDefaultTimeout(browserPatienceMillis);
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const call = `resumes(${JSON.stringify({ url: relay.url, domain: relay.config.domain })}, "${event}")`;
    expect(await page.evaluate(call)).toBe(true);
    await page.close();
  });

  test("a page receives by polling", async () => {
    const report = await runTrial("/", "poll");
    expect(report.received).toEqual(["from a page", "to itself"]);
    expect(report.states).not.toContain("streaming");
  });

  test("a page that may not use WebAssembly computes its proof in a worker nonetheless", async () => {
    const report = await runTrial("/no-webassembly", "poll");
    expect(report).toMatchObject({ workers: 1, iterations: 1_000_000 });
    expect(report.progress.at(-1)).toBe(1_000_000);
    expect(report.turns).toBeGreaterThan(5);
  });

  test("a page that may use neither workers nor WebAssembly still computes its proof", async () => {
    const report = await runTrial("/strict", "stream");
    expect(report).toMatchObject({ workers: 0 });
    expect(report.received).toHaveLength(3);
    expect(report.turns).toBeGreaterThan(1);
  });

  test("a page in the background, whose timers hardly run, computes its proof", async () => {
    const page = await (browser as Browser).newPage();
    page.setDefaultTimeout(browserPatienceMillis);
    await page.addInitScript(() => {
      globalThis.setTimeout = (() => 0) as unknown as typeof setTimeout;
    });
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/strict`);
    const call = `registers(${JSON.stringify({ url: relay.url, domain: relay.config.domain })})`;
    expect(await page.evaluate(call)).toBe(1);
    await page.close();
  });
});
