import { hold, refused, same, success } from "../harness/assertions.js";
import type { Rule } from "../harness/types.js";

export const adminMonitoringRules: readonly Rule[] = [
  {
    id: "monitoring.metrics",
    title: "metrics cover the requested period",
    source: "openapi: getMetrics",
    requires: ["admin"],
    async check(harness) {
      for (const period of ["1h", "24h", "7d", "30d"]) {
        same(success(await harness.admin("getMetrics", { query: { period } }), 200).period, period, "period");
      }
      same(success(await harness.admin("getMetrics"), 200).period, "24h", "the default period");
      refused(await harness.admin("getMetrics", { query: { period: "2h" } }), "INVALID_REQUEST");
    },
  },
  {
    id: "monitoring.timeseries",
    title: "the history of a metric has the requested intervals, oldest first",
    source: "openapi: getMetricsTimeseries",
    requires: ["admin"],
    async check(harness) {
      const query = { metric: "messages_sent", period: "1h", interval: "5m" };
      const { data_points } = success(await harness.admin("getMetricsTimeseries", { query }), 200);
      const times = data_points.map(({ timestamp }) => timestamp);
      hold(
        times.every((time, index) => index === 0 || time - (times[index - 1] ?? 0) === 300),
        "not every 5 minutes",
      );
      const unknown = { ...query, metric: "colours" };
      refused(await harness.admin("getMetricsTimeseries", { query: unknown }), "INVALID_REQUEST");
    },
  },
  {
    id: "monitoring.export",
    title: "metrics are exported for Prometheus, as JSON and as CSV",
    source: "openapi: exportMetrics",
    requires: ["admin"],
    async check(harness) {
      const names = [
        "svc_devices_total",
        "svc_messages_sent_total",
        "svc_spam_reports_24h",
        "svc_federation_peers_active",
      ];
      const types = { prometheus: "text/plain", json: "application/json", csv: "text/csv" };
      for (const [format, type] of Object.entries(types)) {
        const answer = await harness.admin("exportMetrics", { query: { format } });
        success(answer, 200);
        hold((answer.headers.get("content-type") ?? "").startsWith(type), `${format} came as another type`);
        for (const name of names) hold(answer.text.includes(name), `${format} lacks ${name}`);
      }
    },
  },
  {
    id: "monitoring.audit",
    title: "the audit log contains the actions of administrators, and is searched by action and target",
    source: "openapi: listAuditEntries",
    requires: ["admin"],
    async check(harness) {
      const { deviceId } = await harness.alice();
      const query = { action: "device_verified", target: deviceId };
      const page = success(await harness.admin("listAuditEntries", { query }), 200);
      const [entry] = page.entries;
      hold(entry?.id.startsWith("audit_") === true, "there is no entry of the verification");
      same([entry.action, entry.target], ["device_verified", deviceId], "the entry");
    },
  },
  {
    id: "monitoring.audit-pages",
    title: "the audit log is read page by page",
    source: "openapi: listAuditEntries, limit, offset",
    requires: ["admin"],
    async check(harness) {
      const until = await harness.now();
      const page = (offset: number) => harness.admin("listAuditEntries", { query: { until, limit: 1, offset } });
      const first = success(await page(0), 200);
      hold(first.total_count < 2 || first.has_more, "has_more is false though there is more");
      if (first.next_offset === null) return;
      const second = success(await page(first.next_offset), 200);
      hold(second.entries[0]?.id !== first.entries[0]?.id, "the second page is the first");
    },
  },
  {
    id: "monitoring.audit-export",
    title: "the audit log is exported as CSV and as JSON",
    source: "openapi: exportAuditEntries",
    requires: ["admin"],
    async check(harness) {
      const csv = await harness.admin("exportAuditEntries", { query: { format: "csv" } });
      success(csv, 200);
      same(csv.text.split(/\r?\n/)[0], "id,timestamp,action,admin,target,details,ip_address", "the first line");
      success(await harness.admin("exportAuditEntries", { query: { format: "json" } }), 200);
    },
  },
  {
    id: "monitoring.health",
    title: "health has a state for each part, and alerts are counted",
    source: "openapi: getHealth, listAlerts",
    requires: ["admin"],
    async check(harness) {
      const { components } = success(await harness.admin("getHealth"), 200);
      for (const name of ["database", "message_queue", "federation", "websocket"]) {
        hold(name in components, `there is no component ${name}`);
      }
      const alerts = success(await harness.admin("listAlerts"), 200);
      same(alerts.total_count, alerts.active_alerts.length, "total_count");
    },
  },
];
