import { checkWebhookUrl } from "../config/checks.js";
import { constant, decimal, optionalText, type ValuesOf } from "../config/setting.js";

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
  traceFlushMillis: constant("Interval at which traces are sent", 5_000),
  traceTimeoutMillis: constant("Longest wait for the answer of the collector", 10_000),
  traceStopMillis: constant("Longest wait for the collector while the relay stops", 1_000),
};

export type TracingSettings = ValuesOf<typeof tracingSettings & typeof tracingConstants>;
