// The members of `spec/model/disputes.qnt` as devices with the library. A device is on for its turns only, so that it hears and does what the model says. Mal,
// and Eve if she is hostile, act without the library.

import type { ClientState } from "ts-mls";
import { type Step, textOf } from "../../../scripts/model/itf.js";
import { epochKeysOf, sealEnvelope, sealMessages } from "../../../src/client/index.js";
import { runtimeWith } from "../../../src/client/runtime/runtime.js";
import { readAttempts } from "../../../src/client/slots/attempts.js";
import { encodeContent } from "../../../src/groups/encoding/content.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, memoryStore, type Store, tsMls } from "../../../src/groups/index.js";
import { encodeSent, hashOf } from "../../../src/groups/membership/known-disputes.js";
import { withBanned } from "../../../src/groups/mls/bans.js";
import type { Change } from "../../../src/groups/mls/changes.js";
import { takersOf, writeReplacement } from "../../../src/groups/mls/commit-replacement.js";
import { type Statement, signClaim } from "../../../src/groups/mls/dispute-statements.js";
import { encodeGroupContext, groupContextType } from "../../../src/groups/mls/group-context.js";
import { readIdentity } from "../../../src/groups/mls/members.js";
import { permissionsType, withMembers } from "../../../src/groups/mls/permissions.js";
import { fastSuite } from "../../../src/groups/mls/ts-mls-hpke.js";
import { disputeKey } from "../../../src/groups/store/record-keys.js";
import type { Dispute } from "../../../src/groups/store/records.js";
import type { TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { type Attacker, contextOf, take, takeNext } from "../hostile/attempts.js";
import { forgeCommit } from "../hostile/forging.js";
import { Life } from "../life.js";
import { groupOf, openDevice, untilHas, untilSame } from "../people.js";

/** What the model knows of a run. */
export interface ModelState {
  commit: { openers: string[]; tag: boolean; hostile: string[] };
  slots: { kind: string; by: string[]; taker: string }[];
  sent: { statements: string[]; repairs: [by: string, to: string][] };
  members: Record<string, { place: "old" | "new" | "next"; heard: string[] }>;
}

interface Person {
  groups: Groups;
  store: Store;
  life: Life;
}

/** In the order of their leaves. */
const names = ["ada", "mal", "ben", "cleo", "eve"] as const;
const leafOf = (name: string) => names.indexOf(name as (typeof names)[number]);
/** For whom Mal's path has ciphertexts, node by node. */
const sealedFor = [["ada"], ["ben", "cleo"], ["eve"]];
/** Waits of the library pass so many times as fast. */
const haste = 20;
const mls = tsMls();
const suite = await fastSuite();

export class DisputeWorld {
  readonly #relay: TestRelay;
  readonly #carrier: Groups;
  readonly #people: Map<string, Person>;
  readonly #name: string;
  #attackers = new Map<string, Attacker>();
  #claim = { commit: "", committer: leafOf("mal"), isUsable: false };
  #group = "";
  #epoch = 0;
  /** Of those who cannot use the commit, by their leaves. */
  readonly #statements = new Map<number, Statement>();

  private constructor(relay: TestRelay, parts: { carrier: Groups; people: Map<string, Person>; name: string }) {
    this.#relay = relay;
    this.#carrier = parts.carrier;
    this.#people = parts.people;
    this.#name = parts.name;
  }

  /** `carrier` sends what the hostile members make. */
  static async create(relay: TestRelay, carrier: Groups, name: string): Promise<DisputeWorld> {
    const opened = names.map(async (one): Promise<[string, Person]> => {
      const [store, life] = [memoryStore(), new Life()];
      const sleep = (millis: number, signal?: AbortSignal) => runtimeWith().sleep(millis / haste, signal);
      const groups = await openDevice(relay, one, { store, runtime: { ...life.runtime(relay), sleep } });
      return [one, { groups, store, life }];
    });
    return new DisputeWorld(relay, { carrier, people: new Map(await Promise.all(opened)), name });
  }

  #person(name: string): Person {
    return this.#people.get(name) as Person;
  }

  #groupOf(name: string): Group {
    return this.#person(name).groups.group(this.#group) as Group;
  }

  #attacker(name: string): Attacker {
    return this.#attackers.get(name) as Attacker;
  }

  /** Founds the group. All devices are off then, and Mal has taken the slot with this commit. */
  async begin({ openers, tag, hostile }: ModelState["commit"]): Promise<void> {
    const founded = await this.#person("ada").groups.create({ name: this.#name, everyone: ["send"] });
    this.#group = founded.id;
    await founded.add(names.slice(1).map((name) => this.#person(name).groups.address));
    await untilSame(await Promise.all(names.map((name) => groupOf(this.#person(name).groups, this.#name))));
    this.#epoch = Number(founded.epoch);
    for (const name of hostile) {
      const { store } = this.#person(name);
      const state = await mls.load((await store.get(`state/${founded.id}`)) as Uint8Array);
      const secrets = decodeRecord<Attacker["secrets"]>((await store.get("account")) as Uint8Array);
      this.#attackers.set(name, { carrier: this.#carrier, state, secrets });
    }
    for (const { life } of this.#people.values()) life.cut();
    const { state, carrier } = this.#attacker("mal");
    const bytes = await forgeCommit(state as ClientState, suite, {
      path: (path) => ({
        ...path,
        nodes: path.nodes.map((node, at) => ({
          ...node,
          encryptedPathSecret: node.encryptedPathSecret.map((one, index) => {
            const isSpoiled = !openers.includes(sealedFor[at]?.[index] ?? "");
            return isSpoiled ? { ...one, ciphertext: new Uint8Array(48).fill(7) } : one;
          }),
        })),
      }),
      ...(!tag && { tag: (right) => new Uint8Array(right.length) }),
    });
    await take(carrier, { state, bytes, attempt: 0 });
    const { value } = await this.#attempts(0).next();
    this.#claim.commit = hashOf((value as { content: Uint8Array }).content);
  }

  /** Does what a step of the model does, and waits until it has come to the same. */
  async take({ chosen, before, after }: Step<ModelState>): Promise<void> {
    const [liar, taken] = [textOf({ chosen }, "liar"), after.slots[before.slots.length]];
    if (taken !== undefined && after.commit.hostile.includes(taken.taker)) {
      await takeNext(this.#attacker(taken.taker), await this.#contentOf(taken));
    } else if (chosen["luck"] === 3 && liar !== "mal") {
      await this.#lie(liar);
    } else if (JSON.stringify(before) !== JSON.stringify(after)) {
      await this.#turn(textOf({ chosen }, "member"), after);
    }
  }

  async #turn(name: string, after: ModelState): Promise<void> {
    const { life, store } = this.#person(name);
    life.heal();
    let what: string[] = [];
    const isDone = async () => {
      this.#relay.clock.advance(1);
      what = await this.#differences(name, after);
      return what.length === 0;
    };
    await until(isDone, `${name} does what the model does`).catch((problem: unknown) => {
      throw new Error(`${name} differs: ${what.join(", ")}`, { cause: problem });
    });
    life.cut();
    for (const one of (await this.#disputeOf(store)).statements)
      if (!one.isUsable && one.commit === this.#claim.commit) this.#statements.set(one.leaf, one);
  }

  /** What a device has not done yet of what its member has done in the model. */
  async #differences(name: string, { members, sent, slots }: ModelState): Promise<string[]> {
    const { store } = this.#person(name);
    const { place, heard } = members[name] as ModelState["members"][string];
    const found: string[] = [];
    if (this.placeOf(name) !== place) found.push(`it is in the ${this.placeOf(name)} epoch, not in the ${place} one`);
    if ((await store.list({ prefix: "out/" })).length > 0) found.push("it has not sent all");
    // Another path may need others, who are off.
    const changes = (await store.list({ prefix: `change/${this.#group}/` })).map(([, value]) =>
      decodeRecord<Change>(value),
    );
    if (changes.some(({ kind }) => kind === "repair")) found.push("it has not helped all");
    if (place !== "next") {
      const { statements, repaired = [] } = await this.#disputeOf(store);
      for (const one of heard)
        if (!statements.some(({ leaf }) => leaf === leafOf(one))) found.push(`it has not heard ${one}`);
      for (const [by, to] of sent.repairs)
        if (by === name && !repaired.includes(leafOf(to))) found.push(`it has not helped ${to}`);
    }
    const attempts: number[] = [];
    for await (const { attempt } of this.#attempts(1)) attempts.push(attempt);
    if (attempts.length !== slots.length) found.push(`${attempts.length} attempts are taken, not ${slots.length}`);
    return found;
  }

  placeOf(name: string): "old" | "new" | "next" {
    const group = this.#groupOf(name);
    if (Number(group.epoch) === this.#epoch) return "old";
    return group.members().some((one) => one.name === "mal") ? "new" : "next";
  }

  async #disputeOf(store: Store): Promise<Dispute> {
    const found = await store.get(disputeKey(this.#group, this.#epoch));
    return found === undefined ? { statements: [] } : decodeRecord<Dispute>(found);
  }

  /** Those of the slot of the epoch that Mal's commit ends. */
  #attempts(from: number) {
    const { state, secrets } = this.#attacker("mal");
    const takers = { users: () => takersOf(mls.view(state)), secretKey: secrets.deviceSecret };
    const { device } = this.#carrier;
    const exporter = mls.exporterOf(state);
    return readAttempts({ device, relay: contextOf(state).slots, exporter, takers, from });
  }

  async #contentOf({ kind, by }: ModelState["slots"][number]): Promise<Uint8Array> {
    // The same content would win the same attempt again.
    if (kind === "garbage") return crypto.getRandomValues(new Uint8Array(100));
    const { state, secrets } = this.#attacker("eve");
    const view = mls.view(state);
    const own = signClaim(view, this.#claim, secrets.deviceSecret);
    const mal = this.#groupOf("mal").members()[leafOf("mal")]?.user as string;
    const permissions = withMembers(view, { removed: [leafOf("mal")], added: [] }, Date.now());
    const extensions = new Map([
      [groupContextType, encodeGroupContext(withBanned(contextOf(state), [mal]))],
      ...(permissions ? [[permissionsType, permissions] as const] : []),
    ]);
    const { commit } = await mls.commit(state, { remove: [leafOf("mal")], extensions });
    const said = by.map((one) => (one === "eve" ? own : this.#statements.get(leafOf(one))) as Statement);
    const statements = said.map(({ leaf, signature }) => ({ leaf, signature }));
    const { isUsable: _, ...claim } = this.#claim;
    return sealEnvelope(await epochKeysOf(mls.exporterOf(state)), writeReplacement(commit, { ...claim, statements }));
  }

  /** Complains of a commit whether the member can use it or not. */
  async #lie(name: string): Promise<void> {
    const { state, secrets, carrier } = this.#attacker(name);
    const statement = signClaim(mls.view(state), this.#claim, secrets.deviceSecret);
    const content = encodeContent({ kind: "dispute", message: encodeSent({ kind: "statement", statement }) });
    const keys = await epochKeysOf(mls.exporterOf(state));
    const to = mls.view(state).leaves.flatMap(({ identity }) => readIdentity(identity)?.address ?? []);
    for (const copy of await sealMessages({ to, content, keys }, carrier.device.connection))
      await carrier.device.send(copy);
  }

  /** All honest devices are on again, until they are in one epoch and read each other. Returns where they are. */
  async conclude({ commit: { hostile } }: ModelState): Promise<string[]> {
    const honest = names.filter((name) => !hostile.includes(name));
    for (const name of honest) this.#person(name).life.heal();
    const isOver = async () => {
      this.#relay.clock.advance(1);
      const views = honest.map((name) => `${this.#groupOf(name).epoch} ${this.placeOf(name)}`);
      return new Set(views).size === 1 && !views.some((view) => view.endsWith("old"));
    };
    await until(isOver, `the members agree: ${honest.map((name) => this.placeOf(name))}`);
    for (const name of honest) await this.#groupOf(name).send({ text: `from ${name}` });
    for (const name of honest) await untilHas(this.#groupOf(name), ...honest.map((one) => `from ${one}`));
    return honest.map((name) => this.placeOf(name));
  }

  async close(): Promise<void> {
    for (const { life, groups } of this.#people.values()) {
      life.heal();
      await groups.close();
    }
  }
}
