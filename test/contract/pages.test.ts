import { readFileSync } from "node:fs";
import { get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createDocumentRoutes } from "../../src/http/pages/routes.js";
import { build } from "../support/build.js";

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into here and there.
type Draft = any;

const generated = (name: string): string => readFileSync(new URL(`../../generated/${name}`, import.meta.url), "utf8");

const relay = { domain: "chat.test", baseUrl: "http://localhost:8080/relay", application: null };

let server: Server;
let base: string;

beforeAll(async () => {
  await build("pages");
  const app = express();
  app.use(createDocumentRoutes(relay));
  await new Promise<void>((resolve) => {
    server = app.listen(0, "127.0.0.1", () => resolve());
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

describe("the manual", () => {
  it("is listed for language models, and each link of the list leads somewhere", async () => {
    const list = await fetch(`${base}/docs/llms.txt`);
    expect(list.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const links = [...(await list.text()).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string);
    expect(links).toContain("tutorial/groups.md");
    expect(links).toContain("../openapi.yaml");
    for (const link of links) {
      const answer = await fetch(new URL(link, `${base}/docs/llms.txt`));
      expect([link, answer.status]).toEqual([link, 200]);
      expect(answer.headers.get("content-type")).toMatch(/^(text\/markdown; charset=utf-8|application\/yaml)/);
      expect(await answer.text()).not.toBe("");
    }
  });

  it("is no way to other files", async () => {
    for (const path of ["none.md", "%2e%2e/README.md", "..%2fREADME.md", "../README.md", "tutorial%2fgroups.md%00"])
      expect([path, await statusOf(`/docs/${path}`)]).toEqual([path, 404]);
  });
});

/** Of a path that is sent as it is. */
function statusOf(path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    get({ hostname, port, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
}

describe("a contract document", () => {
  const documents = [
    ["openapi.json", "application/json"],
    ["openapi-3.0.json", "application/json"],
    ["openapi.yaml", "application/yaml"],
    ["asyncapi.json", "application/json"],
    ["asyncapi.yaml", "application/yaml"],
  ] as const;

  for (const [name, type] of documents) {
    it(`${name} is served to any origin, with this relay in the place of the one that is written there`, async () => {
      const answer = await fetch(`${base}/${name}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toContain(type);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      const text = await answer.text();
      expect(text).not.toContain("relay.example");
      const inOurWords = text
        .replaceAll(relay.baseUrl, "https://relay.example")
        .replaceAll("ws://localhost:8080/relay", "wss://relay.example")
        .replaceAll(relay.domain, "relay.example")
        .replace(/^( *)"?host"?: "?localhost:8080"?,?\n.*pathname.*\n.*protocol.*ws"?/m, "")
        .replace(/\s/g, "");
      const asWritten = generated(name).replace(/^( *)"?host"?: "?relay.example"?,?\n.*protocol.*wss"?/m, "");
      expect(inOurWords).toBe(asWritten.replace(/\s/g, ""));
    });
  }

  it("openapi.json names the relay's own address as its only server, and its own audience in examples", async () => {
    const document = (await (await fetch(`${base}/openapi.json`)).json()) as Draft;
    expect(document.servers.map(({ url }: Draft) => url)).toEqual([relay.baseUrl]);
    const media = document.paths["/api/v1/device/announce"].post.requestBody.content["application/json"];
    expect((Object.values(media.examples)[0] as Draft).value.audience).toBe(relay.domain);
  });

  for (const [name, parser] of [
    ["asyncapi.json", (text: string) => JSON.parse(text)],
    ["asyncapi.yaml", (text: string) => parse(text)],
  ] as const) {
    it(`${name} names the relay's own host, path and protocol`, async () => {
      const document = parser(await (await fetch(`${base}/${name}`)).text()) as Draft;
      expect(document.servers).toMatchObject({
        relay: { host: "localhost:8080", pathname: "/relay", protocol: "ws" },
      });
    });
  }

  it("is not sent again to a client that has it", async () => {
    const first = await fetch(`${base}/openapi.json`);
    const etag = first.headers.get("etag") ?? "";
    await first.text();
    // without a Cache-Control of the caller, fetch adds one that asks for the whole document
    const headers = { "If-None-Match": etag, "Cache-Control": "max-age=0" };
    const second = await fetch(`${base}/openapi.json`, { headers });
    expect(etag).not.toBe("");
    expect(second.status).toBe(304);
  });
});

describe("a page for people", () => {
  for (const path of ["/docs", "/docs/openapi", "/docs/asyncapi"]) {
    it(`${path} has no inline code, names no other host, and all that it refers to is there`, async () => {
      const answer = await fetch(base + path);
      const html = await answer.text();
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style|\son[a-z]+=|https?:\/\//);
      const links = [...html.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, link]) => link ?? "");
      expect(links.length).toBeGreaterThan(0);
      for (const link of links) {
        const linked = await fetch(base + link);
        await linked.arrayBuffer();
        expect(linked.status, link).toBe(200);
      }
    });

    it(`${path} may load from its own server alone`, async () => {
      const answer = await fetch(base + path);
      await answer.text();
      const policy = answer.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    });
  }

  it("gets the AsyncAPI document with every reference resolved and every frame named", async () => {
    const answer = await fetch(`${base}/docs/asyncapi-prepared.json`);
    const text = await answer.text();
    const prepared = JSON.parse(text) as { operations: object; components: { messages: Record<string, object> } };
    expect(text).not.toContain('"$ref"');
    expect(Object.keys(prepared.operations)).toContain("receiveClientFrame");
    expect(prepared.components.messages["auth"]).toMatchObject({ "x-parser-message-name": "auth" });
  });
});

describe("an address that a person may try", () => {
  it("leads to a contract's page where it is the name of its document", async () => {
    for (const name of ["openapi", "asyncapi"]) {
      const answer = await fetch(`${base}/${name}`);
      await answer.text();
      expect([answer.url, answer.status]).toEqual([`${base}/docs/${name}`, 200]);
    }
  });
});

/** The answer as it is on the wire: `fetch` would decompress it. */
function getRaw(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ answer: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = get(base + path, { headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve({ answer, body: Buffer.concat(chunks) }));
    });
    request.on("error", reject);
  });
}

async function assetsOf(path: string): Promise<string[]> {
  const { body } = await getRaw(path);
  return [...String(body).matchAll(/(?:href|src)="(\/docs\/assets\/[^"]*)"/g)].map(([, link = ""]) => link);
}

describe("what a page is made of", () => {
  it("is sent in the smallest form that the browser takes, the same in each", async () => {
    for (const path of ["/docs/asyncapi", ...(await assetsOf("/docs/asyncapi")), "/openapi.json"]) {
      const plain = await getRaw(path);
      const gzip = await getRaw(path, { "accept-encoding": "gzip" });
      expect(plain.answer.headers["content-encoding"], path).toBeUndefined();
      expect(gzip.answer.headers["content-encoding"], path).toBe("gzip");
      expect(gunzipSync(gzip.body).equals(plain.body), path).toBe(true);
      expect(gzip.answer.headers.vary, path).toContain("Accept-Encoding");
      if (!path.startsWith("/docs")) continue;
      const brotli = await getRaw(path, { "accept-encoding": "gzip, deflate, br" });
      expect(brotli.answer.headers["content-encoding"], path).toBe("br");
      expect(brotliDecompressSync(brotli.body).equals(plain.body), path).toBe(true);
      expect(brotli.body.length, path).toBeLessThan(gzip.body.length);
    }
  });

  it("is refused no form that a browser insists on", async () => {
    const { answer } = await getRaw("/docs", { "accept-encoding": "br;q=0, gzip;q=0" });
    expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, undefined]);
  });

  it("is named by its content and kept for good, while the page is asked for again by its ETag", async () => {
    const assets = (await Promise.all(["/docs", "/docs/openapi", "/docs/asyncapi"].map(assetsOf))).flat();
    expect(new Set(assets).size).toBe(5);
    for (const path of assets) {
      expect(path).toMatch(/-[A-Z0-9]{8}\.(js|css)$/);
      const { answer } = await getRaw(path);
      expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    }
    for (const encoding of ["identity", "gzip", "br"]) {
      const headers = { "accept-encoding": encoding };
      const first = (await getRaw("/docs/openapi", headers)).answer.headers;
      expect(first["cache-control"]).toBe("no-cache");
      const again = await getRaw("/docs/openapi", { ...headers, "if-none-match": first.etag ?? "" });
      expect([again.answer.statusCode, again.body.length]).toEqual([304, 0]);
    }
  });

  it("is nothing that is not there", async () => {
    for (const path of ["/docs/assets/missing.js", "/docs/assets/%2e%2e%2findex.html"]) {
      expect((await getRaw(path)).answer.statusCode).toBe(404);
    }
  });
});
