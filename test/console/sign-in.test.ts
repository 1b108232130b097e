import { generateKeyPairSync } from "node:crypto";
import type { Browser, Request, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createConsoleLinks } from "../../src/admin/service.js";
import { createAuditService } from "../../src/audit/service.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { adminKeys } from "../support/admin.js";
import { closeContext, launchHeadlessShell } from "../support/browser.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
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
const listed = adminKeys("all");
const viewer = adminKeys("view_metrics");
const fromFile = generateKeyPairSync("ed25519");
const filePublicKey = fromFile.publicKey.export({ format: "jwk" }).x ?? "";
const fileSeed = `${Buffer.from(filePublicKey, "base64url").toString("hex")}=all`;
const tokenSeconds = 3_600;

let relay: TestRelay;
let proxy: TcpProxy;
let visitor: Visitor | undefined;
let origin: string;

beforeAll(async () => {
  await buildConsole();
  relay = await startRelay({ adminList: [listed.seed, viewer.seed, fileSeed].join(",") });
  proxy = await startTcpProxy(Number(new URL(relay.url).port));
  origin = `http://127.0.0.1:${proxy.port}`;
});
afterEach(async ({ task }) => {
  const mishaps = visitor?.mishaps;
  await showPageOf(task, visitor);
  if (visitor !== undefined) await closeContext(visitor.context);
  visitor = undefined;
  expect(mishaps ?? []).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await proxy.stop();
  await relay.stop();
});

/** What `mls-relay console` does, at the relay's own time. */
async function makeLink(): Promise<{ url: string }> {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const [{ clock, config }, random] = [relay, createSystemRandom()];
  try {
    return await createConsoleLinks({ db, clock, random, audit: createAuditService({ clock, random }), config }).make(
      listed.deviceId,
    );
  } finally {
    await db.close();
  }
}

async function arrive(): Promise<Visitor> {
  visitor = await visit(browser as Browser, origin);
  return visitor;
}

describe.skipIf(browser === undefined)("signing in", () => {
  test("is possible with a pasted key, lasts over a reload, and ends by signing out", async () => {
    const { page, context } = await arrive();
    await expectText(page, "relay.test");
    await expectAccessible(page);
    await signInByPasting(page, listed);
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expectText(page, "You are signed out.");
    await page.reload();
    await page.getByRole("button", { name: "Create a key" }).waitFor();
    expect(await context.cookies()).toEqual([]);
  });

  test("is possible with a link of the operator, once, and leaves no code in the address bar", async () => {
    const { url } = await makeLink();
    const { page } = await arrive();
    const link = url.replace("http://relay.test", origin);
    await page.goto(link);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(page.url()).not.toContain("code");
    await open(page, "Sessions");
    await expectText(page, "A link");
    await page.getByRole("button", { name: "Sign out" }).click();
    await expectText(page, "You are signed out.");
    await page.goto(link);
    await expectText(page, "This link was already used or is older than five minutes.");
    await expectAccessible(page);
  });

  test("is possible with a link opened while the page still asks other tabs for a session", async () => {
    const { url } = await makeLink();
    const { page, context } = await arrive();
    // The wait for an answer of other tabs takes as long as the test wants; timers of rendering are shorter.
    await context.addInitScript(() => {
      const [begin, held] = [globalThis.setTimeout, [] as (() => void)[]];
      const hold = (run: () => void, millis = 0) => (millis < 200 ? begin(run, millis) : held.push(run));
      Object.assign(globalThis, {
        setTimeout: hold,
        letTimersGo() {
          globalThis.setTimeout = begin;
          for (const run of held.splice(0)) run();
        },
      });
    });
    await page.reload();
    await page.goto(url.replace("http://relay.test", origin));
    await page.waitForFunction(() => location.hash === "#/");
    await page.waitForLoadState("networkidle");
    await page.evaluate("letTimersGo()");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await open(page, "Sessions");
  });

  test("is possible with a key file", async () => {
    const { page } = await arrive();
    const buffer = Buffer.from(fromFile.privateKey.export({ format: "pem", type: "pkcs8" }));
    await page.getByLabel("Key file").setInputFiles({ name: "admin.pem", mimeType: "text/plain", buffer });
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
  });

  test("says what is wrong with something that is no key", async () => {
    const { page } = await arrive();
    await page.getByLabel("Or paste the private key").fill("abc");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expectText(page, "This is not an Ed25519 private key");
  });

  test("with a key made in the browser shows the command that adds it, and the key cannot be read", async () => {
    const { page } = await arrive();
    await page.getByRole("button", { name: "Create a key" }).click();
    await expectText(page, /mls-relay admin add [0-9a-f]{64}/);
    await page.getByRole("button", { name: "Sign in with this key" }).click();
    await expectText(page, "This key is not on the relay's list of administrators");
    await expectText(page, /Request id:/);
    const extractable = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const opening = indexedDB.open("mls-relay-console");
          opening.onsuccess = () => {
            const found = opening.result.transaction("keys").objectStore("keys").get("admin");
            found.onsuccess = () => {
              opening.result.close();
              resolve(found.result.privateKey.extractable);
            };
          };
        }),
    );
    expect(extractable).toBe(false);
    await expectAccessible(page);
  });

  test("a key that the browser keeps renews an expired session unseen", async () => {
    const { page } = await arrive();
    await page.clock.install();
    await page.reload();
    await page.getByLabel("Keep the key in this browser").check();
    await signInByPasting(page, listed);
    // Away from the console, so that nothing is asked while only one of the clocks has moved.
    await page.goto("about:blank");
    relay.clock.advance(2 * tokenSeconds);
    await page.clock.fastForward(2 * tokenSeconds * 1000);
    await page.goto(`${origin}/console/`);
    await open(page, "Configuration");
    await page.getByLabel("Mode", { exact: true }).waitFor();
  });

  test("an expired session without a key leads back to signing in", async () => {
    const { page } = await arrive();
    await signInByPasting(page, listed);
    relay.clock.advance(2 * tokenSeconds);
    await page.reload();
    await expectText(page, "Your session has ended. Sign in again.");
    await signInByPasting(page, listed);
  });
});

describe.skipIf(browser === undefined)("an open console", () => {
  test("says that the relay is away, and goes on when it is back", async () => {
    const { page } = await arrive();
    await signInByPasting(page, listed);
    await expectText(page, /running for/);
    proxy.open = false;
    proxy.cut();
    await open(page, "Configuration");
    await expectText(page, "The relay does not answer. This page may be out of date");
    proxy.open = true;
    await page.getByLabel("Mode", { exact: true }).waitFor();
    await page.getByText("This page may be out of date").waitFor({ state: "detached" });
  });

  test("shows the view whose address comes while the page is being built", async () => {
    const { page } = await arrive();
    await signInByPasting(page, listed);
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (document.querySelector("nav") === null) return;
        observer.disconnect();
        location.hash = "#/configuration";
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await page.getByRole("heading", { name: "Configuration", level: 1 }).waitFor();
  });

  test("that is loaded while the relay is away goes on with its session once the relay is back", async () => {
    const { page } = await arrive();
    await signInByPasting(page, listed);
    await page.route("**/.well-known/svc", (route) => route.abort());
    await page.reload();
    await expectText(page, "The relay does not answer. The console keeps trying.");
    await page.unroute("**/.well-known/svc");
    await open(page, "Configuration");
  });

  test("does not say for ever that the relay is away because of a request that only an earlier view made", async () => {
    const { page } = await arrive();
    const held: Route[] = [];
    await page.route("**/admin/v1/alerts*", (route) => void held.push(route));
    await signInByPasting(page, listed);
    // The view asks when it is first shown.
    await expect.poll(() => held.length).toBeGreaterThan(0);
    const underWay = new Set<Request>();
    page.on("request", (request) => underWay.add(request));
    page.on("requestfinished", (request) => underWay.delete(request));
    page.on("requestfailed", (request) => underWay.delete(request));
    await open(page, "Configuration");
    await page.getByLabel("Mode", { exact: true }).waitFor();
    // An answer to the view that is shown would end the outage before it is seen.
    const others: Route[] = [];
    await page.route(/\/admin\/v1\/(?!alerts)/, (route) => void others.push(route));
    await expect.poll(() => underWay.size - others.length).toBe(0);
    const away = page.getByText("This page may be out of date");
    while ((await away.count()) === 0) {
      for (const route of held.splice(0)) await route.abort();
      await page.waitForTimeout(50);
    }
    await page.unroute(/\/admin\/v1\/(?!alerts)/);
    for (const route of others) await route.continue();
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await away.waitFor({ state: "detached" });
  });

  test("shows a viewer what the permissions include, and no more", async () => {
    const { page } = await arrive();
    await signInByPasting(page, viewer);
    await expectText(page, "Viewer");
    const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
    expect(await links.allTextContents()).toEqual(["Overview", "Devices", "Configuration", "Sessions"]);
    await open(page, "Configuration");
    await expectText(page, "Your permissions let you read the configuration, not change it.");
    expect(await page.getByRole("button", { name: /Apply/ }).count()).toBe(0);
    await page.goto(`${origin}/console/#/audit`);
    await expectText(page, "This view does not exist, or your permissions do not include it.");
  });

  test("says of figures that stay when the relay is away of when they are, and calls nothing healthy", async () => {
    const { page } = await arrive();
    await page.clock.install();
    await page.reload();
    await signInByPasting(page, listed);
    const health = page.getByRole("region", { name: "Health" });
    await health.getByText("Healthy", { exact: true }).first().waitFor();
    proxy.open = false;
    proxy.cut();
    await page.clock.runFor("00:30");
    await health.getByText("Unknown", { exact: true }).first().waitFor();
    expect(await health.getByText("Healthy", { exact: true }).count()).toBe(0);
    await health
      .getByText(/^As of \d{1,2} \w+ \d{4}, \d{2}:\d{2}:\d{2}/)
      .first()
      .waitFor();
    proxy.open = true;
    await page.clock.runFor("00:30");
    await health.getByText("Healthy", { exact: true }).first().waitFor();
  });

  test("lets a second tab in without asking, and both out by one sign-out", async () => {
    const { page, context } = await arrive();
    await signInByPasting(page, listed);
    const second = await context.newPage();
    await second.goto(`${origin}/console/#/configuration`);
    await second.getByRole("heading", { name: "Configuration", level: 1 }).waitFor();
    // The second tab has the session, not the key, and goes on with it after the first one is closed.
    await page.close();
    await second.reload();
    await open(second, "Sessions");
    await expectText(second, "This one");
    const third = await context.newPage();
    await third.goto(`${origin}/console/`);
    await third.getByRole("heading", { name: "Overview" }).waitFor();
    // Nothing that outlives the browser has the token.
    expect(JSON.stringify(await context.storageState())).not.toContain("accessToken");
    await second.getByRole("button", { name: "Sign out" }).click();
    await expectText(second, "You are signed out.");
    await expectText(third, "Your session has ended. Sign in again.");
  });

  test("lets a tab in that was already asking, once another one signs in, and leaves other browsers out", async () => {
    const { page, context } = await arrive();
    const second = await context.newPage();
    await second.goto(`${origin}/console/`);
    await second.getByRole("button", { name: "Create a key" }).waitFor();
    const stranger = await visit(browser as Browser, origin);
    await signInByPasting(page, listed);
    await second.getByRole("heading", { name: "Overview" }).waitFor();
    await stranger.page.reload();
    await stranger.page.getByRole("button", { name: "Create a key" }).waitFor();
    await closeContext(stranger.context);
  });
});
