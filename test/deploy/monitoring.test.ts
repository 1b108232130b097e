import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { alertKinds } from "../../src/health/types.js";
import { catalogue } from "../../src/metrics/catalogue.js";
import { isMissing, programs } from "../support/programs.js";

const run = promisify(execFile);
const project = new URL("../../", import.meta.url);
const pathOf = (file: string): string => fileURLToPath(new URL(file, project));
const rulesFile = "deploy/prometheus/mls-relay.rules.yml";

interface Rule {
  alert: string;
  expr: string;
  labels?: Record<string, string>;
  annotations: Record<string, string>;
}
const rules: Rule[] = parse(await readFile(pathOf(rulesFile), "utf8")).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
const dashboard = JSON.parse(await readFile(pathOf("deploy/grafana/mls-relay.json"), "utf8"));
const panels: { title: string; targets: { expr: string }[] }[] = dashboard.panels;
const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** The names of the relay's metrics in an expression. */
function metricsIn(expression: string): string[] {
  return [...expression.matchAll(/\bsvc_[a-z0-9_]+/g)].map(([name]) => name);
}

const exported = new Set(
  catalogue.flatMap(({ name, type }) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((ending) => name + ending) : [name],
  ),
);

describe("the alert rules", () => {
  test("name only metrics that are exported", () => {
    const named = rules.flatMap(({ expr }) => metricsIn(expr));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !exported.has(name))).toEqual([]);
  });

  test("have a severity, a summary and a page that says what to do", () => {
    for (const { alert, expr, labels, annotations } of rules) {
      expect(labels?.["severity"] ?? expr, alert).toMatch(/critical|warning|by \(alert, severity\)/);
      expect(annotations["summary"], alert).toBeDefined();
      const [, kind] = /^docs\/how-to\/\w+\.md(?:#(.+))?$/.exec(annotations["runbook"] ?? "") ?? [null];
      expect(kind, alert).not.toBeNull();
      if (annotations["runbook"]?.includes("alerts.md")) {
        expect([...Object.keys(alertKinds), "{{ $labels.alert }}"]).toContain(kind);
      }
    }
  });

  test("leave out no alert of the relay", () => {
    const general = rules.find(({ alert }) => alert === "RelayAlert");
    const [, leftOut = ""] = /alert!~"([^"]+)"/.exec(general?.expr ?? "") ?? [];
    const runbooks = rules.map(({ annotations }) => annotations["runbook"]);
    for (const kind of leftOut.split("|")) expect(runbooks).toContain(`docs/how-to/alerts.md#${kind}`);
  });

  test.skipIf(isMissing("promtool"))("fire when they should, and not otherwise", async () => {
    const promtool = programs.promtool.find() ?? "";
    const { stdout } = await run(promtool, ["test", "rules", pathOf("test/deploy/alert-rules.yml")]);
    expect(stdout).toContain("SUCCESS");
    await run(promtool, ["check", "config", "--syntax-only", pathOf("deploy/prometheus/prometheus.yml")]);
    await run(promtool, ["check", "rules", pathOf(rulesFile)]);
  });

  test("are all tried in test/deploy/alert-rules.yml", async () => {
    const tried = await readFile(pathOf("test/deploy/alert-rules.yml"), "utf8");
    for (const { alert } of rules) expect(tried, alert).toContain(alert);
  });
});

describe("the dashboard", () => {
  test("shows only metrics that are exported", () => {
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.flatMap(metricsIn).filter((name) => !exported.has(name))).toEqual([]);
  });

  test("shows health, alerts, the outbox, the certificate, the disk and backups", () => {
    const named = new Set(shown.flatMap(metricsIn));
    for (const name of ["component_health", "alert_active", "outbox_oldest_seconds", "disk_free_bytes"]) {
      expect(named).toContain(`svc_${name}`);
    }
    expect(named).toContain("svc_certificate_expiry_timestamp_seconds");
    expect(named).toContain("svc_backup_age_seconds");
  });

  test.skipIf(isMissing("promtool"))("asks only what Prometheus understands", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
    try {
      const file = join(folder, "rules.yml");
      const asRules = shown.map((expr, i) => ({ record: `panel:${i}`, expr }));
      await writeFile(file, JSON.stringify({ groups: [{ name: "dashboard", rules: asRules }] }));
      await run(programs.promtool.find() ?? "", ["check", "rules", "--lint=none", file]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("numbers its panels without a gap or an overlap", () => {
    expect(panels.map((panel) => (panel as unknown as { id: number }).id)).toEqual(panels.map((_, i) => i + 1));
  });
});
