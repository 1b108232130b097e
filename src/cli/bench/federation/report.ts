import type { FederationResult } from "./measure.js";

/** The result as a Markdown table. */
export function describeFederation({ floor, live, catchUp, latency }: FederationResult): string {
  const { local, remote } = latency;
  const added = (of: "p50" | "p99") => `${of} ${(remote[of] - local[of]).toFixed(1)} ms`;
  const rows = [
    ["bare PUT by TLS, 100 messages each", rate(floor.batch), "the floor"],
    ["bare PUT by TLS, one message each", rate(floor.single), ""],
    ["relay to relay, while clients send", rate(live), part(live, floor.batch)],
    [
      `catching up with ${catchUp.waiting.toLocaleString("en")} messages`,
      rate(catchUp.perSecond),
      part(catchUp.perSecond, floor.batch),
    ],
    ["processor time of both relays, a message", micros(catchUp), `bare PUT: ${micros(floor)}`],
    ["from the peer's return to the first message", `${catchUp.secondsToFirst.toFixed(2)} s`, ""],
    [`send to push here, at ${rate(latency.rate)}`, `p50 ${local.p50.toFixed(1)} ms`, `p99 ${local.p99.toFixed(1)} ms`],
    ["send to push at the other relay", `p50 ${remote.p50.toFixed(1)} ms`, `p99 ${remote.p99.toFixed(1)} ms`],
    ["added by federation", added("p50"), added("p99")],
  ];
  return ["| federation | value | beside |", "|---|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join(
    "\n",
  );
}

function micros({ cpuMicrosPerMessage }: { cpuMicrosPerMessage: number }): string {
  return `${Math.round(cpuMicrosPerMessage)} µs`;
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}

function part(perSecond: number, floor: number): string {
  return `${(perSecond / floor).toFixed(2)} of bare PUTs`;
}
