import { decodeMlsMessage, encodeMlsMessage, type KeyPackage } from "ts-mls";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSlotMember, type SlotMember } from "../../scripts/demo/slot-member.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import { claimKeyPackages } from "../../src/client/keys/key-package-claims.js";
import { uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import type { SlotRelay } from "../../src/client/slots/slot-receipts.js";
import { newClient } from "../client/harness.js";
import { barrier, createKiller, createSlotsOf, newEpochs, slotRelayOf, wasKilled } from "../slots/group-program.js";
import { createPeerFixture, type PeerFixture } from "../support/peers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type OpenMlsMember, startOpenMlsMember } from "./member.js";

// Two members by ts-mls and two by OpenMLS in one group. `npm run lab -- openmls`; it is no part of `npm test`, because it needs cargo.

const epochs = Number(process.env["COMMIT_EPOCHS"] ?? 50);
vi.setConfig({ testTimeout: 120_000 + epochs * 10_000, hookTimeout: 300_000 });

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

/** A member by either library. */
interface Player {
  commit(made: () => Promise<void>): Promise<void>;
  commitAndDie(made: () => Promise<void>): Promise<void>;
  follow(): Promise<void>;
  state(): Promise<{ epoch: bigint; authenticator: string }>;
}

type Killer = ReturnType<typeof createKiller>;

let fixture: PeerFixture;
let relay: TestRelay;
/** A second node of it. */
let node: TestRelay;
const started: OpenMlsMember[] = [];

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await startRelay(roomy);
  node = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
});
afterAll(async () => {
  for (const member of started) await member.stop();
  await node.stop();
  await relay.stop();
  await fixture.stop();
});

/** Uploads a package at the device's relay, and lets another device claim it there by the address. */
async function passOn(keyPackage: Uint8Array, owner: DeviceClient, claimer: DeviceClient): Promise<Uint8Array> {
  await uploadKeyPackages(owner, [keyPackage]);
  const [claimed] = await claimKeyPackages(claimer, [owner.session()?.addresses.at(-1) ?? ""]);
  if (claimed === undefined || "error" in claimed) throw new Error(`there is no package: ${claimed?.error}`);
  expect(claimed.keyPackage).toEqual(keyPackage);
  return claimed.keyPackage;
}

function readPackage(bytes: Uint8Array): KeyPackage {
  const message = decodeMlsMessage(bytes, 0)?.[0];
  if (message?.wireformat !== "mls_key_package") throw new Error("this is no key package");
  return message.keyPackage;
}

async function newOpenMlsMember(name: string, at: TestRelay, slots: SlotRelay) {
  const device = await newClient(at);
  const asks = device.connection.domain.toLowerCase() !== slots.domain;
  const token = device.session()?.accessToken ?? "";
  const member = await startOpenMlsMember({ name, url: at.url, token, asks, ...slots });
  started.push(member);
  return { device, member };
}

/** Two members by each library, spread over the two places. All of their slots are at the first one. */
async function assemble([here, there]: readonly [TestRelay, TestRelay], seen: ReturnType<typeof newEpochs>) {
  const killers = [createKiller(), createKiller()] as const;
  const [first, second] = await Promise.all(
    ([here, there] as const).map((at, index) =>
      newClient(at, {
        retries: { attempts: 1 },
        runtime: { fetch: (...call) => killers[index === 0 ? 0 : 1].fetch(...call) },
      }),
    ),
  );
  if (first === undefined || second === undefined) throw new Error("there are two devices");
  const slots = await slotRelayOf(first);
  const [ada, ben] = [await createSlotMember("ada"), await createSlotMember("ben")];
  const [cleo, dora] = [await newOpenMlsMember("cleo", there, slots), await newOpenMlsMember("dora", here, slots)];

  const ofBen = encodeMlsMessage({ version: "mls10", wireformat: "mls_key_package", keyPackage: ben.keyPackage });
  const packages = [
    await passOn(ofBen, second, first),
    await passOn(await cleo.member.keyPackage(), cleo.device, first),
    await passOn(await dora.member.keyPackage(), dora.device, first),
  ];
  await ada.found("the group");
  const invitation = await ada.addFirst(packages.map(readPackage));
  await ben.join(invitation);
  const welcome = encodeMlsMessage({ version: "mls10", wireformat: "mls_welcome", welcome: invitation.welcome });
  for (const { member } of [cleo, dora]) await member.join(welcome);

  const byTsMls = (member: SlotMember, device: DeviceClient, killer: Killer) =>
    playerByTsMls(member, { killer, commits: createSlotsOf(member, { device, relay: slots, epochs: seen }) });
  return [byTsMls(ada, first, killers[0]), cleo.member, byTsMls(ben, second, killers[1]), dora.member];
}

function playerByTsMls(
  member: SlotMember,
  { commits, killer }: { commits: ReturnType<typeof createSlotsOf>; killer: Killer },
): Player {
  const commit = async (made: () => Promise<void>) => {
    await commits.commit(async () => {
      const own = await member.makeCommit();
      await made();
      return own;
    });
  };
  return {
    commit,
    async commitAndDie(made) {
      killer.arm();
      await commit(made).catch((failure: unknown) => {
        if (!(failure instanceof Error) || !wasKilled(failure)) throw failure;
      });
      member.crash();
    },
    async follow() {
      const followed = await commits.follow();
      if (followed.kind === "rejoin") throw new Error(`a member must rejoin: ${followed.reason}`);
    },
    state: async () => ({ epoch: member.epoch(), authenticator: member.authenticator() }),
  };
}

/** Two to four members commit in the same epoch; in every other round some are killed before they are answered. */
async function playRound(players: readonly Player[], round: number): Promise<void> {
  const committing = players.map((_, index) => players[(index + round) % 4] as Player).slice(0, 2 + (round % 3));
  const ready = barrier(committing.length);
  await Promise.all(
    committing.map((player, index) => {
      const dies = round % 2 === 1 && (index + round) % 3 === 0;
      return dies ? player.commitAndDie(ready.arrive) : player.commit(ready.arrive);
    }),
  );
  for (const player of players) await player.follow();
}

async function play(places: readonly [TestRelay, TestRelay], rounds: number): Promise<void> {
  const players = await assemble(places, newEpochs());
  const states = async () => Promise.all(players.map((player) => player.state()));
  const [before] = await states();
  for (let round = 0; round < rounds; round++) {
    await playRound(players, round);
    const after = await states();
    // All commits of a round were made in one epoch, so the next one was entered by one of them.
    expect(after.map(({ epoch }) => epoch)).toEqual(Array(4).fill((before?.epoch ?? 0n) + BigInt(round) + 1n));
    expect(new Set(after.map(({ authenticator }) => authenticator)).size).toBe(1);
  }
  console.info(`${rounds} epochs, each with one winner and in one state`);
}

test("members by ts-mls and OpenMLS who commit at once end every epoch in one state, over two nodes", async () => {
  await play([relay, node], Math.ceil(epochs / 2));
});

test("members by ts-mls and OpenMLS who commit at once end every epoch in one state, over two relays", async () => {
  await play([await fixture.relay(roomy), await fixture.relay(roomy)], Math.floor(epochs / 2));
});

test("packages of OpenMLS and mls-rs pass upload and claim unchanged, at one relay and across two", async () => {
  const [near, far] = [await fixture.relay(roomy), await fixture.relay(roomy)];
  const claimer = await newClient(near);
  const slots = await slotRelayOf(claimer);
  for (const at of [near, far]) {
    const { device, member } = await newOpenMlsMember("eve", at, slots);
    for (const made of [await member.keyPackage(), await member.keyPackageOfMlsRs()]) {
      await passOn(made, device, claimer);
      expect(readPackage(made).leafNode.credential).toMatchObject({ credentialType: "basic" });
    }
  }
});
