import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { memoryStore } from "../../src/groups/index.js";
import { bundleForBrowser } from "../client/browser/bundling.js";
import { browserPatienceMillis, launchHeadlessShell } from "../support/browser.js";
import { isMissing, programs } from "../support/programs.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, openPerson, roomy, textsOf, untilHas } from "./people.js";
import { expectedOfStore, tryStore } from "./try-store.js";

test("a store in memory lists, locks and forgets", async () => {
  const store = memoryStore();
  expect(await tryStore(store, store)).toEqual(expectedOfStore);
});

test.skipIf(isMissing("node-24"))(
  "a store in SQLite lists, locks and forgets, and keeps what was written",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "mls-relay-groups-"));
    const program = ["--import", "tsx", "test/groups/try-sqlite-store.ts", join(folder, "store.db")];
    const { stdout } = await promisify(execFile)(programs["node-24"].find() ?? "", program);
    expect(JSON.parse(stdout)).toEqual(expectedOfStore);
    await rm(folder, { recursive: true });
  },
);

test.skipIf(isMissing("node-24"))(
  "a store over op-sqlite or expo-sqlite does the same, keeps empty values, and writes all or nothing",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "mls-relay-groups-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = ["--import", "tsx", "test/groups/try-phone-stores.ts", folder];
    const { stdout } = await promisify(execFile)(programs["node-24"].find() ?? "", program);
    const expected = { tried: expectedOfStore, meanwhile: true, values: [[], [7, 7, 7]], failed: "refused" };
    const each = { ...expected, left: ["c/1", "c/2"] };
    expect(JSON.parse(stdout)).toEqual({ op: each, expo: each });
  },
);

test.skipIf(isMissing("node-24"))(
  "a store in SQLite says that the disk is full, writes all or nothing, and goes on once there is room",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "mls-relay-groups-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const program = ["--import", "tsx", "test/groups/fill-sqlite-store.ts", join(folder, "store.db")];
    const { stdout } = await promisify(execFile)(programs["node-24"].find() ?? "", program);
    const { problems, found } = JSON.parse(stdout);
    expect(problems).toEqual([expect.stringContaining("full")]);
    expect(found[0]).toEqual(found[1]);
    expect(found[0]).toEqual(expect.arrayContaining(["0", "9"]));
    expect(found[0].length).toBeLessThan(10);
  },
);

test.skipIf(isMissing("node-24"))(
  "one program at a time has a store in SQLite, and another one takes over what a killed one has written",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "mls-relay-groups-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const start = (wait: "wait" | "refuse") => {
      const program = [
        "--expose-gc",
        "--import",
        "tsx",
        "test/groups/hold-sqlite-store.ts",
        join(folder, "store.db"),
        wait,
      ];
      const child = spawn(programs["node-24"].find() ?? "", program, { stdio: ["ignore", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      const said = once(child.stdout, "data").then(([data]) => String(data).trim());
      return { child, said };
    };
    const first = start("wait");
    expect(await first.said).toBe("held after 0");
    const waiting = start("wait");
    expect(await start("refuse").said).toBe("refused");
    first.child.kill("SIGKILL");
    expect(await waiting.said).toBe("held after 1");
  },
);

const browser: Browser | undefined = await launchHeadlessShell();

describe.skipIf(browser === undefined)("in Chromium", () => {
  let relay: TestRelay;
  let site: Server;
  beforeAll(async () => {
    relay = await startRelay(roomy);
    const { code } = await bundleForBrowser({ file: "test/groups/browser/page.ts" });
    site = createServer((request, response) => {
      if (request.url === "/page.js") response.setHeader("content-type", "text/javascript").end(code);
      else response.setHeader("content-type", "text/html").end('<script type="module" src="/page.js"></script>');
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => site.close(resolve));
    await relay.stop();
  });

  const openPage = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    page.setDefaultTimeout(browserPatienceMillis);
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    await page.waitForFunction("'open' in globalThis && 'texts' in globalThis");
    return page;
  };
  const call = <T>(page: Page, name: string, ...given: unknown[]): Promise<T> =>
    page.evaluate(`${name}(...${JSON.stringify(given)})`) as Promise<T>;

  test("IndexedDB lists and locks", async () => {
    const page = await openPage(await (browser as Browser).newContext());
    expect(await call(page, "tryStore")).toEqual(expectedOfStore);
  });

  test("IndexedDB goes on after its connection was lost, and writes nothing once the browser has deleted it", async () => {
    const page = await openPage(await (browser as Browser).newContext());
    expect(await call(page, "loseStore")).toEqual({
      lost: [1, 2],
      deleted: Array(2).fill("Error: the store is lost"),
      left: 0,
    });
  });

  test("a page has a group, another tab goes on when the page is closed, and nothing is lost", async () => {
    const ben = await openPerson(relay, "Ben");
    const context = await (browser as Browser).newContext();
    const given = { relay: relay.url, domain: relay.config.domain, name: "Ada" };
    const first = await openPage(context);
    const address = await call(first, "open", given);
    await call(first, "create", "Tabs", [ben.address]);
    const group = await groupOf(ben, "Tabs");
    await call(first, "send", "from the first tab");
    await untilHas(group, "from the first tab");
    const second = await openPage(context);
    await expect(call(second, "open", { ...given, whenLocked: "refuse" })).rejects.toThrow("uses this store");
    const opened = call(second, "open", given);
    await first.close();
    expect(await opened).toBe(address);
    await group.send({ text: "from Ben" });
    const texts = () => call<string[]>(second, "texts");
    await until(async () => (await texts()).length === 2, "the second tab has both texts");
    expect(await texts()).toEqual(["from the first tab", "from Ben"]);
    await call(second, "send", "from the second tab");
    await untilHas(group, "from the second tab");
    expect(await textsOf(group)).toEqual(["from the first tab", "from Ben", "from the second tab"]);
  });
});
