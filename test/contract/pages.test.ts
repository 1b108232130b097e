import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDocumentRoutes } from "../../src/http/docs.js";

const generated = (name: string): string => readFileSync(new URL(`../../generated/${name}`, import.meta.url), "utf8");

let server: Server;
let base: string;

beforeAll(async () => {
  const app = express();
  app.use(createDocumentRoutes());
  await new Promise<void>((resolve) => {
    server = app.listen(0, "127.0.0.1", () => resolve());
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

describe("a contract document", () => {
  const documents = [
    ["openapi.json", "application/json"],
    ["openapi-3.0.json", "application/json"],
    ["openapi.yaml", "application/yaml"],
    ["asyncapi.json", "application/json"],
    ["asyncapi.yaml", "application/yaml"],
  ] as const;

  for (const [name, type] of documents) {
    it(`${name} is served as it was generated, to any origin`, async () => {
      const answer = await fetch(`${base}/${name}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toContain(type);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(await answer.text()).toBe(generated(name));
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
      expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe-inline/);
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
