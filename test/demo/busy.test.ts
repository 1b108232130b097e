import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../support/api.js";
import { demoProgram, startCommand } from "../support/command.js";
import { demand } from "../support/device.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "busy-demo-test-"));
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("a relay as after a busy day has figures that agree with its lists of devices and reports, and removes its data", async () => {
  const demo = startCommand(["--busy"], { TMPDIR: folder }, demoProgram);
  const [, url = "", code = ""] = await demo.printed(/(http:\S+)\/console\/#\/link\?code=([\w-]{43})/);
  try {
    const login = demand(await call({ url }, "loginWithLink", { body: { code } }));
    expect((await call({ url }, "loginWithLink", { body: { code } })).status).toBe(410);
    demo.type("\n");
    const [, next = ""] = await demo.printed(new RegExp(`${code}[^]*code=([\\w-]{43})`));
    expect((await call({ url }, "loginWithLink", { body: { code: next } })).status).toBe(200);
    const token = login.body.admin_token;
    const query = { metric: "messages_sent", period: "24h", interval: "1h" };
    const series = demand(await call({ url }, "getMetricsTimeseries", { token, query })).body.data_points;
    expect(series.filter(({ value }) => value > 0).length).toBeGreaterThan(20);
    const { devices, has_more } = demand(await call({ url }, "listDevices", { token, query: { limit: 400 } })).body;
    expect([devices.length, has_more]).toEqual([400, true]);
    const seriesOf = async (metric: "devices" | "devices_registered" | "spam_reports") =>
      demand(
        await call({ url }, "getMetricsTimeseries", { token, query: { metric, period: "24h", interval: "1h" } }),
      ).body.data_points.map(({ value }) => value);
    const figures = demand(await call({ url }, "getMetrics", { token })).body;
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    expect(total(await seriesOf("devices_registered"))).toBe(figures.devices.new_last_24h);
    const counts = await seriesOf("devices");
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBeLessThanOrEqual(figures.devices.total);
    expect(figures.devices.total).toBe(410);
    const streams = async () =>
      demand(await call({ url }, "getMetrics", { token })).body.performance.websocket_connections;
    await expect.poll(streams).toBe(3);
    const { peers } = demand(await call({ url }, "listPeers", { token })).body;
    expect(peers.length).toBeGreaterThan(3);
    const { destinations } = demand(await call({ url }, "listOutboxBacklogs", { token })).body;
    expect(destinations.map(({ server_domain }) => server_domain)).toContain("away.invalid");
    const reports = { query: { action: "spam_reported" }, token };
    const reported = demand(await call({ url }, "listAuditEntries", reports)).body.total_count;
    expect(reported).toBeGreaterThan(4);
    expect(figures.spam.reports_last_24h).toBe(reported);
    expect(total(await seriesOf("spam_reports"))).toBe(reported);
  } finally {
    demo.kill("SIGINT");
  }
  expect(await demo.ended).toMatchObject({ code: 0 });
  expect(await readdir(folder)).toEqual([]);
});
