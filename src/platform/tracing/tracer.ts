import { randomBytes } from "node:crypto";
import { createPeriodic } from "../concurrency/periodic.js";
import type { Logger } from "../logger.js";
import { softwareVersion } from "../software-version.js";
import type { TracingSettings } from "./config.js";

// Traces by OTLP over HTTP with JSON (https://opentelemetry.io/docs/specs/otlp). Hand-written because it is one kind of
// POST, while OpenTelemetry needs dozens of packages and a newer Node.js. A span contains what an operator may know:
// the operation, never the caller, the URL or the query. The trace context of a client is ignored, because it would
// connect requests of one client.

/** One traced request. */
interface ServerSpan {
  /** A UUID that is also the trace's id, so that the log lines and the trace of a request can be matched. */
  requestId: string;
  /** The operation of the contract and its path; null if the request matched no operation. */
  operation: string | null;
  route: string | null;
  method: string;
  status: number;
  error: string | null;
  milliseconds: number;
}

export interface Tracer {
  start(): void;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
  /** Records a request that has just ended. */
  record(span: ServerSpan): void;
}

const maxWaiting = 4_096;
const maxPerRequest = 512;
const [serverKind, statusUnset, statusError] = [2, 0, 2];
const firstServerError = 500;
const nanosPerMilli = 1_000_000n;

/** Does nothing unless an endpoint is configured. */
export function createTracer(deps: {
  config: TracingSettings;
  domain: string;
  nodeId: string;
  logger: Logger;
}): Tracer {
  const { config, logger } = deps;
  const { otelExporterOtlpEndpoint: endpoint, otelTracesSamplerArg: share } = config;
  if (endpoint === null) return { start() {}, stop: async () => {}, record() {} };
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const resource = { attributes: attributesOf(resourceOf(deps)) };
  let waiting: object[] = [];
  let dropped = 0;
  let posting = new AbortController();
  let stopped = false;

  const flush = async (): Promise<void> => {
    const spans = waiting.splice(0);
    if (dropped > 0) logger.warn({ spans: dropped }, "traces were dropped because too many were waiting");
    dropped = 0;
    for (let at = 0; at < spans.length; at += maxPerRequest) {
      const deadline = setTimeout(() => posting.abort(), config.traceTimeoutMillis);
      try {
        await post(url, resource, { spans: spans.slice(at, at + maxPerRequest), signal: posting.signal });
      } finally {
        clearTimeout(deadline);
        if (posting.signal.aborted && !stopped) posting = new AbortController();
      }
    }
  };
  const periodic = createPeriodic({
    everyMillis: config.traceFlushMillis,
    run: flush,
    failed: (error) => logger.warn({ err: error }, "traces could not be sent"),
  });
  return {
    start: periodic.start,
    async stop() {
      const deadline = setTimeout(() => {
        stopped = true;
        posting.abort();
      }, config.traceStopMillis);
      await periodic.stop();
      await periodic.run();
      clearTimeout(deadline);
      waiting = [];
    },
    record(span) {
      if (share < 1 && Math.random() >= share) return;
      if (waiting.length < maxWaiting) waiting.push(showSpan(span));
      else dropped += 1;
    },
  };
}

async function post(
  url: string,
  resource: object,
  { spans, signal }: { spans: readonly object[]; signal: AbortSignal },
): Promise<void> {
  const scope = { name: "mls-relay", version: softwareVersion };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }),
    redirect: "manual",
    signal,
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the collector answered ${response.status}`);
}

function resourceOf({ domain, nodeId }: { domain: string; nodeId: string }) {
  return {
    "service.name": "mls-relay",
    "service.namespace": domain,
    "service.instance.id": nodeId,
    "service.version": softwareVersion,
  };
}

function showSpan({ requestId, operation, route, method, status, error, milliseconds }: ServerSpan): object {
  const end = BigInt(Date.now()) * nanosPerMilli;
  const isFailure = status >= firstServerError;
  return {
    traceId: requestId.replaceAll("-", ""),
    spanId: randomBytes(8).toString("hex"),
    name: route === null ? method : `${method} ${route}`,
    kind: serverKind,
    startTimeUnixNano: String(end - BigInt(Math.round(milliseconds * Number(nanosPerMilli)))),
    endTimeUnixNano: String(end),
    attributes: attributesOf({
      "http.request.method": method,
      ...(route !== null && { "http.route": route }),
      "http.response.status_code": status,
      ...(operation !== null && { "mls_relay.operation": operation }),
      ...(error !== null && { "error.type": error }),
    }),
    status: { code: isFailure ? statusError : statusUnset },
  };
}

function attributesOf(values: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}
