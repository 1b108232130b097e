import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelay, type TestRelay } from "../support/relay.js";
import { bundleForBrowser } from "./browser/bundling.js";
import type { Report, Trial } from "./browser/page.js";

const executables = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const executablePath = executables.find((path) => path !== undefined && existsSync(path));

/** Paths of the site: a page as anybody would write it, and one that allows no workers. */
const policies: Readonly<Record<string, string>> = {
  "/": "script-src 'self' 'wasm-unsafe-eval'; worker-src blob:",
  "/strict": "script-src 'self'; worker-src 'none'",
};

let relay: TestRelay;
let site: Server;
let browser: Browser | undefined;

beforeAll(async () => {
  if (executablePath === undefined) return;
  relay = await startRelay({
    seeds: {
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true",
      SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "1000000",
    },
  });
  site = await serveSite((await bundleForBrowser({ file: "test/sdk/browser/page.ts" })).code);
  browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => (site === undefined ? resolve(undefined) : site.close(resolve)));
  await relay?.stop();
});

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

async function play(path: string, transport: Trial["transport"]): Promise<Report> {
  const page = (await browser?.newPage()) as Page;
  try {
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`);
    const given: Trial = { url: relay.url, domain: relay.config.domain, transport };
    return await page.evaluate(
      (trial) => (globalThis as unknown as { trial(given: Trial): Promise<Report> }).trial(trial),
      given,
    );
  } finally {
    await page.close();
  }
}

const patience = 60_000;

test("a page of another origin registers, sends, and receives by the stream", {
  timeout: patience,
}, async (context) => {
  if (browser === undefined) return context.skip("there is no Chromium here");
  const report = await play("/", "stream");
  expect(report.address).toMatch(/@relay\.test$/);
  expect(report.received).toEqual(["from a page", "to itself", "and once more"]);
  expect(report).toMatchObject({ signaturesHold: true, structuresWork: true, iterations: 1_000_000 });
  expect(report.states).toContain("streaming");
  expect(report.progress.at(-1)).toBe(1_000_000);
  expect(report.turns).toBeGreaterThan(5);
});

test("a page receives by polling", { timeout: patience }, async (context) => {
  if (browser === undefined) return context.skip("there is no Chromium here");
  const report = await play("/", "poll");
  expect(report.received).toEqual(["from a page", "to itself"]);
  expect(report.states).not.toContain("streaming");
});

test("a page that may have neither workers nor WebAssembly computes its proof all the same", {
  timeout: patience,
}, async (context) => {
  if (browser === undefined) return context.skip("there is no Chromium here");
  const report = await play("/strict", "stream");
  expect(report.received).toHaveLength(3);
  expect(report.turns).toBeGreaterThan(1);
});
