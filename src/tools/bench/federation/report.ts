import type { FederationResult } from "./measure.js";

/** The result as a Markdown table. */
export function describeFederation({ floor, live, catchUp, latency }: FederationResult): string {
  const { local, remote } = latency;
  const added = (of: "p50" | "p99") => `${of} ${(remote[of] - local[of]).toFixed(1)} ms`;
  const rows = [
    ["bare PUT by TLS, 100 messages each", rate(floor.batch), "the floor"],
    ["bare PUT by TLS, one message each", rate(floor.single), ""],
    ["the same, 100 messages each, which are stored", rate(floor.stored.perSecond), "the floor of what is kept"],
    ["relay to relay, while clients send", rate(live), parts(live, floor)],
    [
      `catching up with ${catchUp.waiting.toLocaleString("en")} messages`,
      rate(catchUp.perSecond),
      parts(catchUp.perSecond, floor),
    ],
    [
      "processor time of both relays, a message",
      micros(catchUp.cpuMicrosPerMessage),
      `bare PUT: ${micros(floor.cpuMicrosPerMessage)}, stored: ${micros(floor.stored.cpuMicrosPerMessage)}`,
    ],
    [
      "processor time of PostgreSQL, a message",
      micros(catchUp.databaseMicrosPerMessage),
      `bare PUT, stored: ${micros(floor.stored.databaseMicrosPerMessage)}`,
    ],
    ["from the peer's return to the first message", `${catchUp.secondsToFirst.toFixed(2)} s`, ""],
    [`send to push here, at ${rate(latency.rate)}`, `p50 ${local.p50.toFixed(1)} ms`, `p99 ${local.p99.toFixed(1)} ms`],
    ["send to push at the other relay", `p50 ${remote.p50.toFixed(1)} ms`, `p99 ${remote.p99.toFixed(1)} ms`],
    ["added by federation", added("p50"), added("p99")],
  ];
  return ["| federation | value | beside |", "|---|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`)].join(
    "\n",
  );
}

function micros(value: number): string {
  return `${Math.round(value)} µs`;
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}

function parts(perSecond: number, floor: FederationResult["floor"]): string {
  const [bare, stored] = [perSecond / floor.batch, perSecond / floor.stored.perSecond];
  return `${bare.toFixed(2)} of bare PUTs, ${stored.toFixed(2)} of those that are stored`;
}
