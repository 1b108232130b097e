import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { DeviceClient } from "../../src/client/device/client.js";
import { commitSlotKey } from "../../src/client/slots/slot-names.js";
import { newClient } from "../client/harness.js";
import { call } from "../support/api.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import {
  assembleAt,
  type Committer,
  committersOf,
  expectNoFork,
  newEpochs,
  playRound,
  playRoundWithoutSlots,
} from "./group-program.js";

// `npm run lab -- commit-races` plays 1,000 epochs. Half of the epochs are played over two nodes, half over two relays.
const epochs = Number(process.env["COMMIT_EPOCHS"] ?? 50);
vi.setConfig({ testTimeout: 60_000 + epochs * 4_000 });

const roomy = {
  newTierSlotsPerHour: 100_000,
  newTierPeerSlotsPerHour: 100_000,
  newTierSlotBytesPerHour: 2 ** 30,
  newTierPeerSlotBytesPerHour: 2 ** 30,
  slotReadsPerIpHour: 10_000_000,
  peerSlotReadsPerMinute: 1_000_000,
  peerSlotReadsPerIpMinute: 1_000_000,
  federationSlotsPerMinute: 1_000_000,
  federationSlotReadsPerMinute: 1_000_000,
  federationSlotTimeoutSeconds: 60,
  federationConnectTimeoutSeconds: 60,
  federationRequestTimeoutSeconds: 60,
};

let fixture: PeerFixture;
let relay: TestRelay;
/** A second node of it. */
let node: TestRelay;

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await startRelay(roomy);
  node = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
});
afterAll(async () => {
  await node.stop();
  await relay.stop();
  await fixture.stop();
});

/** Plays rounds in which two to four members commit at once, and some of them end before they are answered. */
async function play(places: readonly TestRelay[], rounds: number): Promise<void> {
  const seen = newEpochs();
  const members = await assembleAt(places, seen);
  const first = members[0]?.member.epoch() ?? 0n;
  for (let round = 0; round < rounds; round++) {
    const committing = committersOf(members, round);
    const killed = committing.filter((_, index) => round % 2 === 1 && (index + round) % 3 === 0);
    await playRound(members, committing, killed);
    expect(new Set(members.map(({ member }) => member.authenticator())).size).toBe(1);
  }
  expectNoFork(seen, { after: first, rounds });
}

describe("four members who commit at once and are killed before they are answered", () => {
  test("end every epoch with one winner and in one state, over two nodes", async () => {
    await play([relay, node], Math.ceil(epochs / 2));
  });

  test("end every epoch with one winner and in one state, over two relays", async () => {
    const places = [await fixture.relay(roomy), await fixture.relay(roomy)];
    await play(places, Math.floor(epochs / 2));
  });
});

test("without slots, the group forks as soon as two members commit at once", async () => {
  let forks = 0;
  const rounds = Math.ceil(epochs / 10);
  for (let round = 0; round < rounds; round++) {
    const seen = newEpochs();
    const members = await assembleAt([relay, node], seen);
    const devices = await Promise.all(members.map((_, index) => newClient(index % 2 ? node : relay)));
    const committing = members.map(({ member }, index) => {
      const device = devices[index] as DeviceClient;
      const to = devices.filter((one) => one !== device).map((one) => one.session()?.addresses.at(-1) ?? "");
      return {
        member,
        send: async (ciphertext: Uint8Array) => void (await device.sendToGroup({ to, ciphertext, allOrNothing: true })),
        received: async () =>
          (await device.poll()).messages.map(({ mls_ciphertext: text }) => new Uint8Array(Buffer.from(text, "base64"))),
      };
    });
    await playRoundWithoutSlots(committing.slice(0, 2 + (round % 3)));
    forks += Number(new Set(members.slice(0, 2).map(({ member }) => member.authenticator())).size > 1);
  }
  console.info(`${forks} of ${rounds} groups have forked without slots`);
  expect(forks).toBe(rounds);
});

test("a phone that returns after its slot has expired must rejoin, and so must a member of a lost commit", async () => {
  const seen = newEpochs();
  const members = (await assembleAt([relay, node], seen)) as [Committer, Committer, Committer, Committer];
  const [ada, ben, cleo] = members;
  for (let round = 0; round < 3; round++) await ada.slots.commit(() => ada.member.makeCommit());
  expect(await ben.slots.follow()).toEqual({ kind: "current", applied: 3 });
  expect(ben.member.authenticator()).toBe(ada.member.authenticator());

  // Ada's commit wins, and her disk is lost with what she needs to apply it.
  ada.kill();
  await expect(ada.slots.commit(() => ada.member.makeCommit())).rejects.toThrow();
  ada.member.disk.pending = undefined;
  expect(await ben.slots.follow()).toEqual({ kind: "current", applied: 1 });
  expect(await ada.slots.commit(() => ada.member.makeCommit())).toEqual({ kind: "rejoin", reason: "unusable commit" });

  expect(seen.winners.size).toBe(3);

  const { slot } = await commitSlotKey({ domain: relay.config.domain }, { exporter: cleo.member.exporter, attempt: 0 });
  relay.clock.advance(31 * 24 * 3_600);
  const isExpired = async () => (await call(relay, "getSlot", { params: { slot } })).status === 410;
  await until(isExpired, "the slot has expired");
  expect(await cleo.slots.follow()).toEqual({ kind: "rejoin", reason: "slot expired" });
});
