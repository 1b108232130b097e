import { randomBytes } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { onTestFinished } from "vitest";
import {
  claimKeyPackages,
  encodeSystemOperation,
  epochKeysOf,
  newSecretKey,
  sealEnvelope,
  sealMessages,
  sealWelcome,
} from "../../../src/client/index.js";
import { encodeContent } from "../../../src/groups/encoding/content.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { type Groups, memoryStore, type Store, tsMls } from "../../../src/groups/index.js";
import type { Proof } from "../../../src/groups/membership/continuity.js";
import { readWelcomes, writeJoinerWelcome } from "../../../src/groups/membership/welcomes.js";
import {
  encodeGroupContext,
  groupContextType,
  readGroupContext,
  requiredCapabilities,
  requiredCapabilitiesType,
} from "../../../src/groups/mls/group-context.js";
import { encodeIdentity } from "../../../src/groups/mls/members.js";
import { foundPermissions, permissionsType } from "../../../src/groups/mls/permissions.js";
import { encodeHex } from "../../../src/protocol/encodings.js";
import type { TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { mlsWith, openDevice, openPerson } from "../people.js";

/** What a device has stored of a group: all that its owner needs to act without the library. */
export class Mallory {
  readonly mls = tsMls();
  readonly carrier: Groups;
  state: unknown;
  /** The commits that she has made. */
  readonly commits: Uint8Array[] = [];
  secrets = { userSecret: newSecretKey(), deviceSecret: newSecretKey() };

  private constructor(carrier: Groups) {
    this.carrier = carrier;
  }

  /** Takes over what is in the store of a device, which is closed. Another device carries what she sends. */
  static async from(relay: TestRelay, store: Store, group: string): Promise<Mallory> {
    const mallory = new Mallory(await openPerson(relay, "Carrier"));
    mallory.state = await mallory.mls.load((await store.get(`state/${group}`)) as Uint8Array);
    const { userSecret, deviceSecret } = decodeRecord<{ userSecret: Uint8Array; deviceSecret: Uint8Array }>(
      (await store.get("account")) as Uint8Array,
    );
    mallory.secrets = { userSecret, deviceSecret };
    return mallory;
  }

  /** Founds another group with the id and the context of the real one, some epochs further. */
  async found(epochs = 12): Promise<void> {
    const { groupId, extension } = this.mls.view(this.state);
    const signer = await this.mls.newSigner();
    const signatureKey = await this.mls.publicKeyOf(signer);
    const about = { name: "Mallory", address: this.carrier.address };
    const identity = encodeIdentity(about, { ...this.secrets, signatureKey });
    const context = readGroupContext(extension(groupContextType));
    if (context === undefined) throw new Error("the group has no context");
    const extensions = new Map([
      [requiredCapabilitiesType, requiredCapabilities([permissionsType, groupContextType])],
      [groupContextType, encodeGroupContext(context)],
      [permissionsType, foundPermissions(randomBytes(32).toString("hex"), { nowMillis: Date.now() })],
    ]);
    this.state = await this.mls.found({ groupId, identity, signer, extensions });
    for (let at = 0; at < epochs; at++) this.state = (await this.mls.commit(this.state, {})).state;
  }

  /** What she shows for a commit of hers: the winner's receipt, with another content. */
  async proofWith(commit: Uint8Array, { epoch, receipt }: { epoch: number; receipt: unknown }): Promise<Proof> {
    const keys = await epochKeysOf(this.mls.exporterOf(this.state));
    const first = { content: sealEnvelope(keys, commit), receipt: receipt as Proof["first"]["receipt"], attempt: 0 };
    return { epoch, first, commits: [commit] };
  }

  /** Has the devices at these addresses added to her group, and sends them Welcomes. */
  async lure(
    addresses: readonly string[],
    { remove = [], prove }: { remove?: number[]; prove?: (commit: Uint8Array) => Promise<Proof> } = {},
  ): Promise<void> {
    const claimed = await claimKeyPackages(this.carrier.device, addresses);
    const packages = claimed.map((one) => {
      if ("error" in one) throw new Error(one.error);
      return one.keyPackage;
    });
    const made = await this.mls.commit(this.state, { add: packages, remove });
    const proof = await prove?.(made.commit);
    this.state = made.state;
    const welcomes = readWelcomes(made.welcome as Uint8Array);
    for (const [at, to] of addresses.entries()) {
      const { initKey } = await this.mls.readKeyPackage(packages[at] as Uint8Array);
      const welcome = writeJoinerWelcome(welcomes, welcomes.secrets[at] as Uint8Array, { proof });
      const ciphertext = await sealWelcome({ cipherSuite: 1, initKey }, welcome);
      await this.carrier.device.send({ to, ciphertext });
    }
  }
}

/** A device whose owner will act without the library. The test closes it. */
export async function openToBecome(relay: TestRelay, name: string): Promise<{ groups: Groups; store: Store }> {
  const store = memoryStore();
  const groups = await openDevice(relay, name, { store, mls: tsMls() });
  onTestFinished(() => groups.close());
  return { groups, store };
}

/** A library that takes no commit any more once it is deaf: its device stays in the epoch in which it is. */
export function deafening() {
  let isDeaf = false;
  const mls = mlsWith(
    "process",
    (real) =>
      (...asked) =>
        isDeaf ? Promise.resolve({ kind: "void" as const }) : real.process(...asked),
  );
  return { mls, deafen: () => (isDeaf = true) };
}

/** Has a device that was removed say in its last epoch that its user leaves. */
export async function sayLeaving({ mls, carrier, state }: Mallory, to: Groups, store: Store): Promise<void> {
  const { message } = await mls.encrypt(state, encodeSystemOperation({ operation: "leave" }));
  const content = encodeContent({ kind: "mls", message });
  const keys = await epochKeysOf(mls.exporterOf(state));
  const [copy] = await sealMessages({ to: [to.address], content, keys }, carrier.device.connection);
  const ciphertext = copy?.ciphertext as Uint8Array;
  await carrier.device.send({ to: to.address, ciphertext });
  const seen = `seen/${encodeHex(sha256(ciphertext))}`;
  await until(async () => (await store.get(seen)) !== undefined, `${to.name} has got it`);
}
