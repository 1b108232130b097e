import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/api.js";
import { newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

interface Span {
  traceId: string;
  spanId: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  status: { code: number };
}

const bodies: string[] = [];
let collector: Server;
let relay: TestRelay;

beforeAll(async () => {
  collector = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (more: string) => {
      body += more;
    });
    request.on("end", () => {
      if (request.url === "/otel/v1/traces" && request.headers["content-type"] === "application/json")
        bodies.push(body);
      response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
    });
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/otel/`;
  relay = await startRelay({ otelExporterOtlpEndpoint: endpoint, traceFlushMillis: 50 });
});
afterAll(async () => {
  await relay.stop();
  collector.closeAllConnections();
  collector.close();
});

const exports = () => bodies.map((body) => JSON.parse(body).resourceSpans[0]);
const spans = (): Span[] => exports().flatMap(({ scopeSpans }) => scopeSpans[0].spans);
const attribute = (span: Span, key: string) => {
  const value = span.attributes.find((each) => each.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

describe("a relay with a collector of traces", () => {
  it("sends a span for each request, which says the operation and nothing of the caller", async () => {
    const device = await newDevice(relay);
    const response = await fetch(`${relay.url}/v1/messages?limit=3`, {
      headers: { Authorization: `Bearer ${device.token}`, traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01` },
    });
    expect(response.status).toBe(200);
    const traceId = response.headers.get("x-request-id")?.replaceAll("-", "");
    await expect.poll(() => spans().some((span) => span.traceId === traceId)).toBe(true);
    const span = spans().find((each) => each.traceId === traceId) as Span;
    expect(span).toMatchObject({ name: "GET /v1/messages", kind: 2, status: { code: 0 } });
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect(attribute(span, "http.response.status_code")).toBe("200");
    expect(attribute(span, "mls_relay.operation")).toBe("pollMessages");
    const text = bodies.join();
    for (const secret of [device.token, device.deviceId, device.address, "limit=3", "127.0.0.1", "abababab"]) {
      expect(text).not.toContain(secret);
    }
  });

  it("names the error of a refusal, and the server and node that answered", async () => {
    expect((await call(relay, "pollMessages")).status).toBe(401);
    const refused = () => spans().find((span) => attribute(span, "http.response.status_code") === "401");
    await expect.poll(refused).toBeDefined();
    expect(attribute(refused() as Span, "error.type")).toBeDefined();
    const resource = JSON.stringify(exports()[0].resource);
    for (const part of ["service.name", "mls-relay", "relay.test", "service.instance.id"]) {
      expect(resource).toContain(part);
    }
  });
});

it("a collector that never answers does not hold up the stop of the relay", async () => {
  const waiting = createServer(() => undefined);
  waiting.listen(0, "127.0.0.1");
  await once(waiting, "listening");
  const endpoint = `http://127.0.0.1:${(waiting.address() as AddressInfo).port}`;
  const traced = await startRelay({
    otelExporterOtlpEndpoint: endpoint,
    traceFlushMillis: 10,
    traceTimeoutMillis: 3_600_000,
    traceStopMillis: 10,
  });
  const asked = once(waiting, "request");
  expect((await call(traced, "getHealthz")).status).toBe(200);
  await asked;
  await traced.stop();
  waiting.closeAllConnections();
  waiting.close();
});
