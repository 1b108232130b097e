import { gzipSync } from "node:zlib";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { build } from "../support/build.js";
import { startRelay } from "../support/relay.js";

const maxFirstLoadBytes = 200_000;

beforeAll(() => build("app"));

test("the messenger is there only if the operator wants it, small, under a strict policy", async () => {
  const without = await startRelay();
  onTestFinished(() => without.stop());
  expect((await fetch(`${without.url}/app/`)).status).toBe(404);
  const { url, stop } = await startRelay({ app: "on" });
  onTestFinished(stop);
  const page = await fetch(`${url}/app/`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toMatch(/unsafe|\*/);
  const body = await page.text();
  const files = [...body.matchAll(/(?:href|src)="\.\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(1);
  let bytes = gzipSync(body).length;
  for (const file of files)
    bytes += gzipSync(Buffer.from(await (await fetch(`${url}/app/${file}`)).arrayBuffer())).length;
  expect(bytes).toBeLessThan(maxFirstLoadBytes);
});
