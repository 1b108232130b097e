import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectRaw } from "../http/raw.js";
import { logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand, newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newSlot, takingOf } from "../support/slots.js";

const slotBytes = 300;

let relay: TestRelay;
let admin: TestAdmin;

beforeAll(async () => {
  ({ relay, admin } = await startAdministered({ metricsPort: 0, adminMetricsPerHour: 12 }));
  const device = await newDevice(relay);
  for (let i = 0; i < 3; i++) demand(await device.send(device.address));
  demand(await device.poll());
  const { slots } = demand(await call(relay, "getDiscovery")).body;
  const content = Buffer.alloc(slotBytes, 7).toString("base64");
  const slot = newSlot();
  const body = takingOf(slot, { content, slot_key: slots?.key ?? "" }, relay.config.domain);
  demand(await call(relay, "takeSlot", { token: device.token, params: { slot }, body }));
});
afterAll(() => relay.stop());

async function text(format?: "prometheus" | "csv"): Promise<{ type: string; text: string }> {
  const query = format === undefined ? {} : { format };
  const answer = demand(await call(relay, "exportMetrics", { token: admin.token, query }));
  return { type: answer.headers.get("content-type") ?? "", text: (answer.body as unknown as { text: string }).text };
}

/** Every sample of the text format by its name with labels; throws on a line that the format does not allow. */
function parse(exposition: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of exposition.split("\n")) {
    if (line === "" || /^# (HELP|TYPE) svc_[a-z0-9_]+ .+$/.test(line)) continue;
    const [, name, value] = /^(svc_[a-z0-9_]+(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})?) (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`no line of the format: ${line}`);
    samples.set(name, Number(value));
  }
  return samples;
}

describe("the export", () => {
  it("is in the format of Prometheus unless told otherwise", async () => {
    const exported = await text();
    expect(exported.type).toBe("text/plain; charset=utf-8");
    const samples = parse(exported.text);
    expect(samples.get("svc_devices_total")).toBe(1);
    expect(samples.get("svc_devices_active_24h")).toBe(1);
    expect(samples.get('svc_devices_by_tier{tier="new"}')).toBe(1);
    expect(samples.get("svc_messages_sent_total")).toBe(3);
    expect(samples.get("svc_messages_queued")).toBe(3);
    expect(samples.get("svc_slots_bytes")).toBe(slotBytes);
    expect(samples.get("svc_spam_reports_24h")).toBe(0);
    expect(samples.get("svc_federation_peers_active")).toBe(0);
    expect(samples.get("svc_delivery_latency_seconds_count")).toBe(3);
    expect(samples.get('svc_delivery_latency_seconds_bucket{le="+Inf"}')).toBe(3);
    expect(samples.get("svc_nodes")).toBe(1);
    expect(exported.text).toMatch(/^# TYPE svc_messages_sent_total counter$/m);
    expect(exported.text).toMatch(/^# TYPE svc_devices_total gauge$/m);
    expect(exported.text).toMatch(/^# TYPE svc_delivery_latency_seconds histogram$/m);
  });

  it("has cumulative buckets in rising order", async () => {
    const found = [...parse((await text()).text)].filter(([name]) => name.startsWith("svc_delivery_latency_seconds_b"));
    const counts = found.map(([, value]) => value);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    const bounds = found.slice(0, -1).map(([name]) => Number(/le="([^"]+)"/.exec(name)?.[1]));
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
    expect(bounds[0]).toBe(0.001);
  });

  it("says the same in JSON and in CSV", async () => {
    const json = demand(await call(relay, "exportMetrics", { token: admin.token, query: { format: "json" } })).body;
    const metrics = json.metrics as { name: string; type: string; samples: { name: string; value: number }[] }[];
    expect(metrics.find(({ name }) => name === "svc_messages_sent_total")).toMatchObject({
      type: "counter",
      samples: [{ name: "svc_messages_sent_total", labels: {}, value: 3 }],
    });
    const csv = await text("csv");
    expect(csv.type).toBe("text/csv; charset=utf-8");
    const lines = csv.text.trimEnd().split("\r\n");
    expect(lines[0]).toBe("name,type,labels,value");
    expect(lines).toContain("svc_messages_sent_total,counter,,3");
    expect(lines).toContain("svc_devices_by_tier,gauge,tier=new,1");
    expect(lines.length - 1).toBe(metrics.reduce((sum, { samples }) => sum + samples.length, 0));
  });

  it("has every name in docs/reference/metrics.md, and no name is there that is not exported", async () => {
    const docs = await readFile(new URL("../../docs/reference/metrics.md", import.meta.url), "utf8");
    const documented = [...docs.matchAll(/^- `(svc_[a-z0-9_]+)`/gm)].map(([, name]) => name);
    const exported = [...(await text()).text.matchAll(/^# TYPE (svc_[a-z0-9_]+)/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(exported.toSorted());
  });
});

describe("the listener for Prometheus", () => {
  it("serves GET /metrics without a token, and nothing else", async () => {
    const url = relay.metricsUrl as string;
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(parse(await response.text()).get("svc_messages_sent_total")).toBe(3);
    expect((await fetch(new URL("/", url))).status).toBe(404);
    expect((await fetch(new URL("/readyz", url))).status).toBe(404);
    expect((await fetch(url, { method: "POST", body: "x" })).status).toBe(405);
  });

  it("closes connections that send no request, or no more, so that others are served", async () => {
    const impatient = await startRelay({ metricsPort: 0, headersTimeoutSeconds: 1, answerStallSeconds: 1 });
    try {
      const url = new URL(impatient.metricsUrl as string);
      const idle = Array.from({ length: 60 }, () => connectRaw(Number(url.port)));
      for (const [i, { write }] of idle.entries()) {
        if (i % 3 === 1) write("GET /metrics HTTP/1.1\r\nHost: x\r\n");
        if (i % 3 === 2) write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
      }
      await Promise.all(idle.map(({ closed }) => closed));
      // On a busy machine, an answer may take longer than the time allowed here.
      const statusOf = async (): Promise<number> => {
        const { status, body } = await fetch(url);
        // An answer that is not read keeps its connection open.
        await body?.cancel();
        return status;
      };
      await expect.poll(statusOf).toBe(200);
    } finally {
      await impatient.stop();
    }
  });

  it("is not on the relay's own port", async () => {
    expect((await fetch(`${relay.url}/metrics`)).status).toBe(404);
  });
});

describe("an administrator", () => {
  it("may ask for metrics so many times an hour, over all ways of asking", async () => {
    for (let i = 0; ; i++) {
      const answer = await call(relay, "getMetrics", { token: admin.token });
      if (answer.status === 200 && i < 12) continue;
      expect([answer.status, answer.body.error]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
      expect(answer.body["limit"]).toBe(12);
      break;
    }
    const query = { metric: "messages_sent" };
    expect((await call(relay, "getMetricsTimeseries", { token: admin.token, query })).status).toBe(429);
    expect((await call(relay, "exportMetrics", { token: admin.token })).status).toBe(429);
    relay.clock.advance(3601);
    admin = await logIn(relay, admin);
    expect((await call(relay, "getMetrics", { token: admin.token })).status).toBe(200);
  });
});
