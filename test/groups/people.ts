import { onTestFinished } from "vitest";
import type { Config } from "../../src/composition/config.js";
import { decodeRecord } from "../../src/groups/encoding/records.js";
import type { Group } from "../../src/groups/index.js";
import {
  type Groups,
  type GroupsOptions,
  type LinkOptions,
  type Mls,
  memoryStore,
  openGroups,
  type Store,
  type StoredEvent,
  tsMls,
} from "../../src/groups/index.js";
import type { JudgingMls } from "../../src/groups/mls/mls.js";
import { uploadedKey } from "../../src/groups/store/record-keys.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

/** Limits that the tests do not reach. */
export const roomy: Partial<Config> = {
  newTierSlotsPerHour: 100_000,
  newTierPeerSlotsPerHour: 100_000,
  newTierClaimsPerHour: 100_000,
  seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
};

let libraryOf: (name: string) => Mls = () => tsMls();

/** Has each person use another library than ts-mls, by their name. */
export function chooseLibraries(choose: (name: string) => Mls): void {
  libraryOf = choose;
}

/** Opens a device at a relay of the test, on the relay's time. It is closed when the test ends. */
export async function openPerson(relay: TestRelay, name: string, options?: Partial<GroupsOptions>): Promise<Groups> {
  const groups = await openDevice(relay, name, options);
  onTestFinished(() => groups.close());
  return groups;
}

/** The same, but the caller closes it. */
export function openDevice(relay: TestRelay, name: string, options: Partial<GroupsOptions> = {}): Promise<Groups> {
  return openGroups({
    relay: relay.url,
    domain: relay.config.domain,
    store: memoryStore(),
    name,
    mls: libraryOf(name),
    admission: { by: "nothing" },
    ...options,
    runtime: { nowMillis: () => relay.clock.nowMillis(), ...options.runtime },
  });
}

/** The option of a new device of a user, who finds the codes on both devices the same. */
export function linkTo(user: Groups): LinkOptions {
  return { show: (qr) => void user.linkDevice(qr, { compare: () => true }), compare: () => true };
}

/** Opens another device of a user. */
export function linkDevice(user: Groups, relay: TestRelay): Promise<Groups> {
  return openPerson(relay, user.name, { link: linkTo(user) });
}

/** An MLS library with another function. */
export function mlsWith<N extends keyof JudgingMls>(name: N, make: (mls: JudgingMls) => JudgingMls[N]): JudgingMls {
  const mls = tsMls();
  const other = make(mls);
  return new Proxy(mls, {
    get: (target, asked) => {
      if (asked === name) return other;
      const member = Reflect.get(target, asked);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Waits until a device is in a group of this name. */
export async function groupOf(person: Groups, name: string): Promise<Group> {
  const find = () => person.groups().find((group) => group.name === name && group.state === "active");
  await until(async () => find() !== undefined, `${person.name} is in ${name}`);
  return find() as Group;
}

export async function textsOf(group: Group): Promise<string[]> {
  return (await group.messages({ limit: 100_000 })).map(({ text }) => text);
}

export async function untilHas(group: Group, ...texts: string[]): Promise<void> {
  await until(
    async () => {
      const found = await textsOf(group);
      return texts.every((text) => found.includes(text));
    },
    `the group has ${texts.join(", ")}`,
  );
}

/**
 * Waits until the relay has the key packages that follow from another address or registration. A claim before that takes an
 * old one, of which a device gets a few an hour.
 */
export async function untilPackagesReplaced(store: Store): Promise<void> {
  const uploaded = async () => decodeRecord<{ isOutdated?: true }>((await store.get(uploadedKey)) as Uint8Array);
  await until(async () => !(await uploaded()).isOutdated, "the key packages are replaced");
}

/** Waits until all members are in one epoch. */
export async function untilSame(groups: readonly Group[]): Promise<void> {
  const one = async () => new Set(groups.map(({ epoch, name }) => `${epoch} ${name}`)).size === 1;
  await until(one, "all members are in one epoch");
}

/** Collects all events of a device. */
export function eventsOf(person: Groups): StoredEvent[] {
  const events: StoredEvent[] = [];
  person.subscribe((event) => {
    if ("seq" in event) events.push(event);
  });
  return events;
}
