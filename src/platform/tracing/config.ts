import { checkWebhookUrl } from "../config/checks.js";
import { decimal, integer, optionalText, type ValuesOf } from "../config/setting.js";

/** Tracing. */
export const tracingSettings = {
  otelExporterOtlpEndpoint: optionalText(
    "Collector that traces are sent to by OTLP over HTTP",
    "http(s) URL",
    checkWebhookUrl,
  ),
  otelTracesSamplerArg: decimal("Share of the requests that are traced", { default: 1, min: 0, max: 1 }),
};

export const tracingConstants = {
  traceFlushMillis: integer("Interval at which traces are sent", { default: 5_000, min: 10, max: 60_000 }),
  traceTimeoutMillis: integer("Longest wait for the answer of the collector", {
    default: 10_000,
    min: 10,
    max: 3_600_000,
  }),
  traceStopMillis: integer("Longest wait for the collector while the relay stops", {
    default: 1_000,
    min: 10,
    max: 60_000,
  }),
};

export type TracingSettings = ValuesOf<typeof tracingSettings & typeof tracingConstants>;
