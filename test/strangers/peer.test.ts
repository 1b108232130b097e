import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { isMissing } from "../support/programs.js";
import { runSteps, type StepResult } from "./run-steps.js";

// A relay in another language that knows nothing but the interface specification, in each of the readings that it leaves
// open. Every step is a first guess.

let fixture: PeerFixture;
let relay: PeerRelay;
let folder: string | undefined;
/** The groups run side by side, since most of their time is waiting. */
let results: Record<string, Promise<StepResult[]>>;

const groups = [
  ["is reached whatever its discovery document leaves out", "document"],
  ["is answered wherever it has its nonce", "challenge"],
  ["gets what it knows, and its answers are understood", "delivery"],
  ["authenticates, or is told how", "authentication"],
  ["delivers, and gets answers in its own spelling", "calls"],
] as const;

const room = { federationChallengesPerIpMinute: 10_000, federationAuthenticationsPerIpMinute: 10_000 };

beforeAll(async () => {
  if (isMissing("python3")) return;
  fixture = await createPeerFixture();
  relay = await fixture.relay({ ...room, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  const opened = await mkdtemp(path.join(tmpdir(), "mls-relay-stranger-"));
  folder = opened;
  const intermediate = await fixture.authority.intermediate();
  const { cert, key } = await intermediate.issue({ hosts: ["localhost"], key: "ed25519" });
  const write = async (name: string, text: string) => {
    const file = path.join(opened, name);
    await writeFile(file, text);
    return file;
  };
  const { token, address } = await newDevice(relay);
  const given = {
    ...{ domain: relay.domain, token, address },
    cert: await write("peer.pem", cert),
    key: await write("peer.key", key),
    ca: await write("ca.pem", fixture.authority.cert),
  };
  results = Object.fromEntries(groups.map(([, group]) => [group, runSteps("peer.py", group, given)]));
  await Promise.allSettled(Object.values(results));
});
afterAll(async () => {
  await fixture?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

describe.skipIf(isMissing("python3"))("a peer that was written from the specification alone", () => {
  it.each(groups)("%s", async (_, group) => {
    const steps = await results[group];
    expect(steps?.length).toBeGreaterThan(0);
    expect(steps?.filter(({ problem }) => problem !== null)).toEqual([]);
  });
});
