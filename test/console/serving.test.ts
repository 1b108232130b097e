import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build } from "../support/build.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { buildConsole } from "./harness.js";

/** Compressed, for all that the first load takes. */
const maxFirstLoadBytes = 250_000;

let relay: TestRelay;
beforeAll(async () => {
  await buildConsole();
  await build("pages");
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

/** `fetch` would set headers that only browsers may. */
function ask(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number | undefined; type: string | undefined; policy: unknown; body: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      const { "content-type": type, "content-security-policy": policy } = response.headers;
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode, type, policy, body }));
    }).on("error", reject);
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
  expect(bytes).toBeLessThan(maxFirstLoadBytes);
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

test("an unknown address is a page for a browser that opens it, and an error for everybody else", async () => {
  const path = `${relay.url}/no/such/page`;
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
  for (const headers of [{ "sec-fetch-mode": "navigate" }, { accept: browser }, { accept: "text/html" }]) {
    const answer = await ask(path, headers);
    expect([answer.status, answer.type], JSON.stringify(headers)).toEqual([404, "text/html; charset=utf-8"]);
    expect(answer.policy).toContain("default-src 'none'");
    const links = [...answer.body.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, link = ""]) => link);
    expect(links).toEqual(expect.arrayContaining(["/", "/docs", "/console/"]));
    for (const link of links) expect((await text(link)).answer.status, link).toBe(200);
  }
  const java = "text/html, image/gif, image/jpeg, */*; q=0.2";
  for (const headers of [{}, { accept: "*/*" }, { accept: java }, { "sec-fetch-mode": "cors", accept: browser }]) {
    const answer = await ask(path, headers);
    expect([answer.status, answer.type]).toEqual([404, "application/json; charset=utf-8"]);
    expect(JSON.parse(answer.body)).toMatchObject({ error: "NOT_FOUND" });
  }
});

test("all pages have the same icon", async () => {
  for (const path of ["/", "/console/", "/docs", "/docs/openapi", "/docs/asyncapi"]) {
    const { answer, body } = await text(path);
    const [, href = ""] = /<link rel="icon" href="([^"]+)"/.exec(body) ?? [];
    const icon = await fetch(new URL(href, answer.url));
    expect(icon.headers.get("content-type"), path).toBe("image/svg+xml");
    expect(icon.url).toBe(`${relay.url}/favicon.svg`);
    await icon.text();
  }
});

test("the page at / names the relay and leads to documentation, contract and console, without figures", async () => {
  const { body } = await text("/");
  expect(body).toContain("<h1>relay.test</h1>");
  const links = [...body.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link);
  for (const link of links) expect((await text(link)).answer.status, link).toBe(200);
  expect(links).toEqual(expect.arrayContaining(["/docs", "/openapi.json", "/console/"]));
});
