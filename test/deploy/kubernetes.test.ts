import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { loadConfig, variableNames } from "../../src/composition/config.js";
import { argumentsOf, dockerStages, environmentOf } from "./dockerfile.js";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const { kinds, definitions } = JSON.parse(read("test/deploy/kubernetes.schema.json"));
// biome-ignore lint/suspicious/noExplicitAny: the schema has checked what is read here
const documents: any[] = parseAllDocuments(read("deploy/kubernetes/relay.yaml")).map((each) => each.toJS());
const set = documents.find(({ kind }) => kind === "StatefulSet");
const pod = set.spec.template.spec;
const [container] = pod.containers;
const image = environmentOf(dockerStages().at(-1) ?? []);

describe("the manifests for Kubernetes", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false });

  test.each(
    documents.map((document) => [document.kind, document]),
  )("are what Kubernetes allows: %s", (kind, document) => {
    const isValid = ajv.compile({ definitions, $ref: `#/definitions/${kinds[kind]}` });
    isValid(document);
    expect(isValid.errors).toBeNull();
    expect(isValid({ ...document, speck: {} })).toBe(false);
  });

  test("set only variables that the relay knows, and do not start with the example's secret", () => {
    const given = Object.fromEntries(container.env.map(({ name, value }: Record<string, string>) => [name, value]));
    const { stringData: secret } = documents.find(({ kind }) => kind === "Secret");
    for (const name of [...Object.keys(given), ...Object.keys(secret)]) expect(variableNames()).toContain(name);
    const all = { ...image, ...given, ...secret };
    expect(() => loadConfig(all)).toThrow("MASTER_KEY");
    const config = loadConfig({ ...all, MASTER_KEY: "ab".repeat(32) });
    expect(config.domain).toBe("relay.example");
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    expect(ports).toEqual({ http: config.port, metrics: config.metricsPort });
    const preStop = container.lifecycle.preStop.sleep.seconds;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(preStop + config.shutdownGraceSeconds);
  });

  test("run the image as its account, with a root that it cannot write to, and its data on a volume", () => {
    expect(pod.securityContext).toMatchObject({ runAsUser: 1000, runAsNonRoot: true, fsGroup: 1000 });
    expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
    const [volume] = argumentsOf(dockerStages().at(-1) ?? [], "VOLUME");
    const mounted = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    expect(mounted).toEqual([volume, "/tmp"]);
    expect(set.spec.volumeClaimTemplates[0].metadata.name).toBe(container.volumeMounts[0].name);
  });

  test("ask for life where a database that is away does not matter, and for readiness where it does", () => {
    const paths = ["startupProbe", "livenessProbe", "readinessProbe"].map((probe) => container[probe].httpGet.path);
    expect(paths).toEqual(["/healthz", "/healthz", "/readyz"]);
  });
});
