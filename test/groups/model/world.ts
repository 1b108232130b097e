// Six members of one group over two federating relays. Steps are drawn from a seed: the same seed takes the same steps, though not with the same
// timing. Members write and change the group at once, are killed and opened again, and lose their relay, or relays each other, for a while.

import { type Group, type Groups, memoryStore, NotPermittedError, type Store } from "../../../src/groups/index.js";
import type { Random } from "../../histories/random.js";
import type { PeerRelay } from "../../support/peers.js";
import { until } from "../../support/until.js";
import { Life } from "../life.js";
import { openDevice, textsOf } from "../people.js";

interface Actor {
  name: string;
  at: number;
  relay: PeerRelay;
  store: Store;
  life: Life;
  /** Undefined while the device is off. */
  groups: Groups | undefined;
  address: string;
  device: string;
  /** Steps in which it left: what was on its way then is not shown to it, nor what comes until it is added again. */
  leftIn: number[];
  hasLeft: boolean;
}

interface SentText {
  text: string;
  by: string;
  step: number;
  /** Devices that must have it: those that were members before and after it was sent. */
  to: string[];
  /** Whether its sender was killed while it was sent. */
  isMaybe: boolean;
}

type Step = (world: World, random: Random) => Promise<string | undefined> | string | undefined;

const names = ["Ada", "Ben", "Cem", "Dora", "Emil", "Fay"];
/** How many calls a member survives that is killed in the middle of its work. */
const callsUntilKilled = 12;
/** How many epochs must follow a disturbance before the next one. */
const epochsBetween = 5n;
/** After this, a member that makes no calls is killed nonetheless. */
const idleMillis = 500;

export class World {
  readonly actors: Actor[] = [];
  readonly texts: SentText[] = [];
  /** What went wrong: a text that was refused, a member that lost the group. */
  readonly complaints: string[] = [];
  readonly log: string[] = [];
  readonly #relays: readonly PeerRelay[];
  #step = 0;
  #count = 0;
  #background: Promise<unknown>[] = [];
  /** What the group was called in an epoch, as its members have told. */
  readonly #epochs = new Map<string, Set<string>>();

  private constructor(relays: readonly PeerRelay[]) {
    this.#relays = relays;
  }

  static async create(relays: readonly PeerRelay[], members = names.length): Promise<World> {
    const world = new World(relays);
    for (const [at, name] of names.slice(0, members).entries()) {
      const relay = relays[at % relays.length] as PeerRelay;
      const common = { name, at, relay, store: memoryStore(), life: new Life(), leftIn: [], hasLeft: false };
      const actor: Actor = { ...common, groups: undefined, address: "", device: "" };
      world.actors.push(actor);
      const groups = await world.#open(actor);
      Object.assign(actor, { address: groups.address, device: groups.device.deviceId });
    }
    const [first, ...others] = world.actors as [Actor, ...Actor[]];
    const group = await (first.groups as Groups).create({
      name: "Model",
      everyone: ["send", "invite", "remove", "rename"],
    });
    await group.add(others.map(({ address }) => address));
    for (const actor of others)
      await until(async () => world.groupOf(actor)?.state === "active", `${actor.name} is in`);
    return world;
  }

  groupOf({ groups }: Actor): Group | undefined {
    return groups?.groups()[0];
  }

  active(): { actor: Actor; group: Group }[] {
    return this.actors.flatMap((actor) => {
      const group = this.groupOf(actor);
      return group?.state === "active" && group.consent === "allowed" ? [{ actor, group }] : [];
    });
  }

  get relays(): readonly PeerRelay[] {
    return this.#relays;
  }

  async take(step: Step, random: Random): Promise<void> {
    this.#step += 1;
    const what = await step(this, random);
    if (what !== undefined) this.log.push(`${this.#step}: ${what}`);
  }

  async write({ actor, group }: { actor: Actor; group: Group }): Promise<void> {
    this.#count += 1;
    const text = `${actor.name} ${String(this.#count).padStart(5, "0")}`;
    const { life } = actor;
    const before = group.members().map(({ device }) => device);
    const sent: SentText = { text, by: actor.name, step: this.#step, to: [], isMaybe: true };
    this.texts.push(sent);
    try {
      await group.send({ text });
    } catch (problem) {
      if (!life.isOver && group.state === "active") this.complaints.push(`${text}: ${problem}`);
      return;
    }
    const after = new Set(group.members().map(({ device }) => device));
    const left = this.actors.flatMap(({ hasLeft, device }) => (hasLeft ? [device] : []));
    sent.to = before.filter((device) => after.has(device) && !left.includes(device));
    sent.isMaybe = false;
  }

  /** A change goes on beside the next steps, and may fail where somebody is killed, removed, or not permitted. */
  inBackground(actor: Actor, change: Promise<unknown>): void {
    const { life } = actor;
    const settled = change.catch((problem: unknown) => {
      const isExpected = life.isOver || problem instanceof NotPermittedError || this.groupOf(actor)?.state !== "active";
      if (!isExpected && !String(problem).startsWith("UnreachableError"))
        this.complaints.push(`${actor.name}: ${problem}`);
    });
    this.#background.push(settled);
  }

  /** Each member renames the group again as soon as it could, and writes, until so many epochs have passed. Something is disturbed every few epochs. */
  async race(epochs: number, disturb: () => Promise<void>): Promise<bigint> {
    const epochOf = () => this.active().reduce((most, { group }) => (group.epoch > most ? group.epoch : most), 0n);
    const end = epochOf() + BigInt(epochs);
    const isOver = () => epochOf() >= end;
    const takePart = async (actor: Actor) => {
      for (let round = 0; !isOver(); round++) {
        const { life } = actor;
        const group = this.groupOf(actor);
        if (group === undefined || group.state !== "active") {
          await until(async () => isOver() || this.groupOf(actor)?.state === "active", `${actor.name} is back`);
          continue;
        }
        await this.write({ actor, group });
        await group.rename(`${actor.name} ${this.#count} ${round}`).catch((problem: unknown) => {
          if (!life.isOver) this.complaints.push(`${actor.name}: ${problem}`);
        });
      }
    };
    const disturbing = async () => {
      while (!isOver()) {
        await disturb();
        const next = epochOf() + epochsBetween;
        await until(async () => isOver() || epochOf() >= next, "the group goes on after a disturbance");
      }
    };
    await Promise.all([...this.actors.map(takePart), disturbing()]);
    return epochOf();
  }

  #noteEpoch(epoch: bigint | undefined, name: string): void {
    const names = this.#epochs.get(String(epoch)) ?? new Set();
    this.#epochs.set(String(epoch), names.add(name));
  }

  /** Epochs that were not the same for all. */
  forks(): string[] {
    const forked = [...this.#epochs].filter(([, names]) => names.size > 1);
    return forked.map(([epoch, names]) => `epoch ${epoch} has the names ${[...names].join(", ")}`);
  }

  async leave({ actor, group }: { actor: Actor; group: Group }): Promise<void> {
    const { life } = actor;
    await group.leave().catch((problem: unknown) => {
      if (!(problem instanceof NotPermittedError) && !life.isOver) throw problem;
    });
    if (group.state !== "left") return;
    actor.leftIn.push(this.#step);
    actor.hasLeft = true;
  }

  /** Ends a device at once, or in the middle of its next calls. */
  async kill(actor: Actor, calls?: number): Promise<void> {
    const { groups, life } = actor;
    if (groups === undefined) return;
    if (calls !== undefined) {
      const bound = life.calls + calls;
      const patience = performance.now() + idleMillis;
      const isDue = async () => life.calls >= bound || performance.now() > patience;
      await until(isDue, "the device works, or has nothing to do");
    }
    life.end();
    actor.groups = undefined;
    await groups.close().catch(() => undefined);
  }

  async revive(actor: Actor): Promise<void> {
    if (actor.groups === undefined) await this.#open(actor);
  }

  cutDevice(actor: Actor): void {
    actor.life.cut();
  }

  cutRelay(relay: PeerRelay): void {
    relay.proxy.open = false;
    relay.proxy.cut();
  }

  healAll(): void {
    for (const relay of this.#relays) relay.proxy.open = true;
    for (const { life } of this.actors) life.heal();
  }

  async #open(actor: Actor): Promise<Groups> {
    const wasCut = actor.life.isCut;
    actor.life = new Life();
    if (wasCut && actor.address !== "") actor.life.cut();
    const { life, relay, name } = actor;
    const groups = await openDevice(relay, name, { store: life.store(actor.store), runtime: life.runtime(relay) });
    actor.groups = groups;
    if (groups.groups()[0]?.state === "left" && !actor.hasLeft) {
      actor.leftIn.push(this.#step);
      actor.hasLeft = true;
    }
    // An actor that has left and is added again takes part at once.
    const accept = (group: Group | undefined) =>
      group?.accept().catch((problem: unknown) => {
        if (!life.isOver) this.complaints.push(`${name} could not accept the group: ${problem}`);
      });
    for (const group of groups.groups()) if (group.consent === "unknown") void accept(group);
    groups.subscribe((event) => {
      if (life.isOver) return;
      if (event.type === "invited") void accept(groups.group(event.group));
      if (event.type === "joinedGroup") actor.hasLeft = false;
      if (event.type === "changed") this.#noteEpoch(groups.group(event.group)?.epoch, event.name);
      if (event.type === "undelivered" && event.message !== undefined)
        this.complaints.push(`${name} could not send to ${event.address}: ${event.error}`);
      if (event.type === "mustRejoin") this.complaints.push(`${name} has lost the group: ${event.reason}`);
      if (event.type === "unreadable") this.complaints.push(`${name} got what nobody can read`);
    });
    return groups;
  }

  /** Heals everything, waits until all members agree, and returns what is wrong. */
  async conclude(): Promise<string[]> {
    this.healAll();
    for (const actor of this.actors) await this.revive(actor);
    await Promise.all(this.#background);
    await until(async () => this.#agree(), `all members agree: ${this.#describe()}`).catch((problem) =>
      this.complaints.push(`${problem}; now: ${this.#describe()}`),
    );
    for (const one of this.active()) await this.write(one);
    const isComplete = async () => (await this.#missing()).length === 0;
    await until(isComplete, "all texts have arrived").catch(() => undefined);
    const complaints = [...this.complaints, ...(await this.#missing())];
    for (const actor of this.actors) complaints.push(...(await this.#disorder(actor)));
    return complaints;
  }

  async close(): Promise<void> {
    for (const { groups } of this.actors) await groups?.close();
  }

  #agree(): boolean {
    const active = this.active();
    const devices = active.map(({ actor }) => actor.device).toSorted();
    const views = active.map(({ group }) => {
      const members = group.members().map(({ device }) => device);
      return JSON.stringify([String(group.epoch), group.name, group.roles(), members.toSorted()]);
    });
    const expected = active[0]?.group.members().map(({ device }) => device);
    return new Set(views).size <= 1 && JSON.stringify(expected?.toSorted() ?? []) === JSON.stringify(devices);
  }

  #describe(): string {
    const one = (actor: Actor) => {
      const group = this.groupOf(actor);
      const members = group?.members().map(({ name }) => name) ?? [];
      return `${actor.name} ${group?.state} ${group?.epoch} ${group?.name} (${members.join(" ")})`;
    };
    return this.actors.map(one).join("; ");
  }

  /** Texts that a member must have and does not have. */
  async #missing(): Promise<string[]> {
    const missing: string[] = [];
    for (const actor of this.actors) {
      const group = this.groupOf(actor);
      const own = new Set(group === undefined ? [] : await textsOf(group));
      const must = this.texts.filter(
        ({ to, step }) => to.includes(actor.device) && !actor.leftIn.some((left) => left >= step),
      );
      for (const { text, step } of must)
        if (!own.has(text)) missing.push(`${actor.name} lacks "${text}" of step ${step}`);
    }
    return missing;
  }

  /** Texts that a member has twice, has not got from anybody, or has in another order than their sender wrote them. */
  async #disorder(actor: Actor): Promise<string[]> {
    const group = this.groupOf(actor);
    if (group === undefined) return [];
    const own = await textsOf(group);
    const known = new Set(this.texts.map(({ text }) => text));
    const wrong = own.filter((text) => !known.has(text)).map((text) => `${actor.name} has "${text}" of nobody`);
    if (new Set(own).size < own.length) wrong.push(`${actor.name} has a text twice`);
    for (const { name } of this.actors) {
      const of = own.filter((text) => text.startsWith(`${name} `));
      if (JSON.stringify(of) !== JSON.stringify(of.toSorted()))
        wrong.push(`${actor.name} has texts of ${name} in another order: ${of.join(", ")}`);
    }
    return wrong;
  }
}

const anyActive = (world: World, random: Random) => {
  const active = world.active();
  return active.length === 0 ? undefined : random.oneOf(active);
};

/** What may happen, and how often. */
const steps: readonly (readonly [weight: number, step: Step])[] = [
  [
    30,
    async (world, random) => {
      const one = anyActive(world, random);
      if (one === undefined) return undefined;
      for (let left = random.between(0, 3); left >= 0; left--) await world.write(one);
      return `${one.actor.name} writes`;
    },
  ],
  [
    10,
    (world, random) => {
      const one = anyActive(world, random);
      if (one === undefined) return undefined;
      const name = `Model ${random.between(0, 999)}`;
      world.inBackground(one.actor, one.group.rename(name));
      return `${one.actor.name} renames it ${name}`;
    },
  ],
  [
    12,
    (world, random) => {
      const one = anyActive(world, random);
      const devices = one?.group.members().map(({ device }) => device) ?? [];
      const absent = world.actors.filter(({ device }) => !devices.includes(device));
      if (one === undefined || absent.length === 0) return undefined;
      const who = random.oneOf(absent);
      world.inBackground(one.actor, one.group.add([who.address]));
      return `${one.actor.name} adds ${who.name}`;
    },
  ],
  [
    6,
    (world, random) => {
      const one = anyActive(world, random);
      const others = one?.group.members().filter(({ isMe }) => !isMe) ?? [];
      if (one === undefined || others.length < 3) return undefined;
      const who = random.oneOf(others);
      world.inBackground(one.actor, one.group.remove([who.id]));
      return `${one.actor.name} removes ${who.name}`;
    },
  ],
  [
    3,
    async (world, random) => {
      const one = anyActive(world, random);
      if (one === undefined || one.group.members().length < 4) return undefined;
      await world.leave(one);
      return `${one.actor.name} leaves`;
    },
  ],
  [
    6,
    (world, random) => {
      const one = anyActive(world, random);
      if (one === undefined || !one.group.may("manageRoles")) return undefined;
      const who = random.oneOf(one.group.members());
      const isGiven = random.between(0, 1) === 0;
      world.inBackground(one.actor, one.group.setRole(who.user, isGiven ? ["administrator"] : undefined));
      return `${one.actor.name} makes ${who.name} ${isGiven ? "administrator" : "like everyone"}`;
    },
  ],
  [
    14,
    async (world, random) => {
      const on = world.actors.filter(({ groups }) => groups !== undefined);
      if (on.length < 3) return undefined;
      const who = random.oneOf(on);
      await world.kill(who, random.between(0, 1) === 0 ? undefined : random.between(0, callsUntilKilled - 1));
      return `${who.name} is killed`;
    },
  ],
  [
    18,
    async (world, random) => {
      const off = world.actors.filter(({ groups }) => groups === undefined);
      if (off.length === 0) return undefined;
      const who = random.oneOf(off);
      await world.revive(who);
      return `${who.name} is opened`;
    },
  ],
  [
    4,
    (world, random) => {
      const who = random.oneOf(world.actors);
      world.cutDevice(who);
      return `${who.name} loses the network`;
    },
  ],
  [
    3,
    (world, random) => {
      const relay = random.oneOf(world.relays);
      world.cutRelay(relay);
      return `${relay.domain} is cut off from other relays`;
    },
  ],
  [
    8,
    (world) => {
      world.healAll();
      return "all connections are back";
    },
  ],
];

const allWeights = steps.reduce((sum, [weight]) => sum + weight, 0);

export function drawStep(random: Random): Step {
  let at = random.between(0, allWeights - 1);
  for (const [weight, step] of steps) {
    if (at < weight) return step;
    at -= weight;
  }
  throw new Error("a weight is missing");
}
