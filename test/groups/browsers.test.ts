import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bundleForBrowser } from "../client/browser/bundling.js";
import { otherBrowsers } from "../support/other-browsers.js";
import { isMissing } from "../support/programs.js";
import { shareOf } from "../support/shares.js";
import { until } from "../support/until.js";

interface Page {
  useKeys(rounds: number, done: (outcome: string) => void): void;
  outcome?: string | null;
}

// WebKitGTK's Web Crypto refuses one X25519 key in 256. A round makes three.
const parts = 10;
const roundsOfPart = 50;

for (const name of shareOf(["webkit", "firefox"] as const, 2))
  test.skipIf(isMissing(name) || (name === "webkit" && isMissing("xvfb")))(
    `in ${name}, every key is made, read and used`,
    async () => {
      const { code } = await bundleForBrowser({ file: "test/groups/browser/keys.ts" });
      const site = createServer((request, response) => {
        const isScript = request.url === "/page.js";
        response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
        response.end(
          isScript ? code : '<!doctype html><title>keys</title><script type="module" src="/page.js"></script>',
        );
      });
      await once(site.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => void site.close());
      const page = await otherBrowsers[name]();
      onTestFinished(() => page.close());
      await page.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      await until(
        () => page.run(() => typeof (globalThis as unknown as Page).useKeys === "function"),
        "the page is ready",
      );
      const use = new Function(`globalThis.outcome = null;
        globalThis.useKeys(${roundsOfPart}, (outcome) => { globalThis.outcome = outcome; });`) as () => void;
      const outcome = () => page.run(() => (globalThis as unknown as Page).outcome);
      for (let part = 0; part < parts; part++) {
        await page.run(use);
        await until(async () => (await outcome()) !== null, "the keys of a part are used");
        expect(await outcome()).toBe("used");
      }
    },
  );
