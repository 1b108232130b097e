import { setTimeout as sleep } from "node:timers/promises";
import { createLoadClients } from "../load-clients.js";
import { openStreams } from "../streams.js";
import { type Day, type DayResult, playDay } from "./day.js";
import { serveRelay } from "./served.js";

/** Memory in bytes; null where the system does not say. */
export interface MemoryResult {
  presets: { preset: string | null; fresh: number | null; perStream: number | null; streams: number }[];
  day: Day & DayResult;
}

export interface MemoryProfile {
  streams: number;
  day: Day;
}

const day = { people: 50, devicesEach: 2, textsEach: 50, groupDevices: 30 };
export const fullProfile: MemoryProfile = { streams: 1_000, day: { ...day, seconds: 120 } };
export const quickProfile: MemoryProfile = { streams: 500, day: { ...day, textsEach: 15, seconds: 40 } };

const settleMillis = 3_000;

/** Measures whole relays from outside: the default and the preset `small`, and the latter over a day of traffic. */
export async function measureMemory(profile: MemoryProfile, say: (line: string) => void): Promise<MemoryResult> {
  const presets: MemoryResult["presets"] = [];
  for (const preset of [null, "small"]) {
    say(`memory of a relay, ${preset ?? "default"}`);
    presets.push(await measurePreset(preset, profile.streams));
  }
  say(`a day of ${profile.day.people} people in ${profile.day.seconds} s`);
  const relay = await serveRelay(["--preset", "small"]);
  try {
    return { presets, day: { ...profile.day, ...(await playDay(relay, profile.day)) } };
  } finally {
    await relay.stop();
  }
}

async function measurePreset(preset: string | null, streams: number): Promise<MemoryResult["presets"][number]> {
  const relay = await serveRelay(preset === null ? [] : ["--preset", preset]);
  try {
    await sleep(1_000);
    const fresh = await relay.memory();
    const devices = await createLoadClients(relay.port, streams);
    await sleep(settleMillis);
    const before = await relay.memory();
    const opened = await openStreams({ port: relay.port }, devices);
    await sleep(settleMillis);
    const after = await relay.memory();
    for (const stream of opened) stream.close();
    const perStream = before === null || after === null ? null : (after - before) / streams;
    return { preset, fresh, perStream, streams };
  } finally {
    await relay.stop();
  }
}

/** The result as Markdown. */
export function describeMemory({ presets, day: played }: MemoryResult): string {
  const { people, devicesEach, textsEach, groupDevices, seconds, messages, received, returns, memory } = played;
  const peak = memory.length === 0 ? null : Math.max(...memory);
  return [
    "Proportional set size of all processes, the relay's and its PostgreSQL's, as the system counts it.",
    "",
    "| relay | a second after its start | an idle stream |",
    "|---|---|---|",
    ...presets.map(
      ({ preset, fresh, perStream, streams }) =>
        `| ${preset ?? "default"} | ${megabytes(fresh)} | ${perStream === null ? "unknown" : `${(perStream / 1000).toFixed(1)} kB, of ${streams}`} |`,
    ),
    "",
    `A day of ${people} people with ${devicesEach} devices each, who write ${textsEach} texts each to groups of ${groupDevices}`,
    `devices, played in ${seconds} s on a relay with the preset small: ${messages} messages accepted, ${received} received,`,
    `${returns} returns of a device; at most ${megabytes(peak)}, at the end ${megabytes(memory.at(-1) ?? null)}.`,
  ].join("\n");
}

function megabytes(bytes: number | null): string {
  return bytes === null ? "unknown" : `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
