import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelay, type TestRelay } from "../support/relay.js";
import { buildConsole } from "./harness.js";

/** Compressed, for all that the first load takes. */
const mostFirstLoadBytes = 250_000;

let relay: TestRelay;
beforeAll(async () => {
  await buildConsole();
  relay = await startRelay();
});
afterAll(() => relay.stop());

/** The bytes on the wire: `fetch` would decompress them. */
function bytesOf(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(relay.url + path, { headers: { "accept-encoding": "gzip" }, agent: false }, (response) => {
      let bytes = 0;
      expect(response.headers["content-encoding"]).toBe("gzip");
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("end", () => resolve(bytes));
    });
    request.on("error", reject);
  });
}

async function text(path: string): Promise<{ answer: Response; body: string }> {
  const answer = await fetch(relay.url + path);
  return { answer, body: await answer.text() };
}

test("the console's first load takes fewer than 250,000 bytes, all from the relay itself", async () => {
  const { body } = await text("/console/");
  const files = [...body.matchAll(/(?:href|src)="\.\/([^"]+)"/g)].map(([, file = ""]) => `/console/${file}`);
  expect(files.length).toBeGreaterThan(1);
  expect(body).not.toMatch(/https?:\/\//);
  let bytes = 0;
  for (const path of ["/console/", ...files]) bytes += await bytesOf(path);
  expect(bytes).toBeLessThan(mostFirstLoadBytes);
});

test("the pages allow neither inline code nor other hosts, and set no cookies", async () => {
  for (const path of ["/", "/console/"]) {
    const { answer, body } = await text(path);
    expect(answer.status).toBe(200);
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(answer.headers.get("set-cookie")).toBeNull();
    expect(body).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son[a-z]+=/);
  }
});

test("assets may be kept for good, the page is asked for again", async () => {
  const { answer, body } = await text("/console/");
  expect(answer.headers.get("cache-control")).toBe("no-cache");
  const [, script = ""] = /src="\.\/([^"]+)"/.exec(body) ?? [];
  expect(script).toMatch(/-[\w-]{8}\.js$/);
  expect((await text(`/console/${script}`)).answer.headers.get("cache-control")).toContain("immutable");
  expect((await text("/console/assets/missing.js")).answer.status).toBe(404);
});

test("/console leads to the console, below a proxy's path too", async () => {
  const answer = await fetch(`${relay.url}/console`, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([308, "console/"]);
});

test("the page at / names the relay and leads to documentation, contract and console, without figures", async () => {
  const { body } = await text("/");
  expect(body).toContain("<h1>relay.test</h1>");
  const links = [...body.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link);
  for (const link of links) expect((await text(link)).answer.status, link).toBe(200);
  expect(links).toEqual(expect.arrayContaining(["/docs", "/openapi.json", "/console/"]));
});
