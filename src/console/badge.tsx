import { formatName } from "./format.js";

type Tone = "good" | "bad" | "warn" | "plain";

const tones: Readonly<Record<string, Tone>> = {
  healthy: "good",
  verified: "good",
  verify: "good",
  active: "good",
  trusted: "good",
  degraded: "warn",
  warning: "warn",
  limited: "warn",
  monitor: "warn",
  medium: "warn",
  high: "bad",
  critical: "bad",
  unhealthy: "bad",
  blocked: "bad",
  failed: "bad",
  made: "good",
  block: "bad",
  revoked: "bad",
};

/** A state in a word; the colour only repeats it. */
export function Badge({ state, text = formatName(state) }: { state: string; text?: string }) {
  return <span class={`badge ${tones[state] ?? "plain"}`}>{text}</span>;
}
