import { afterAll, beforeAll, expect, test } from "vitest";
import { type Group, type Groups, memoryStore, type Store } from "../../src/groups/index.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { groupOf, openPerson, roomy, textsOf, untilSame } from "./people.js";

// `GROUP_ROUNDS` sets how often three members of two relays write and commit at the same time, and one of them restarts.
const rounds = Number(process.env["GROUP_ROUNDS"] ?? 3);
const textsPerRound = 6;

let fixture: PeerFixture;
let relays: readonly PeerRelay[];
beforeAll(async () => {
  fixture = await createPeerFixture();
  relays = [await fixture.relay(roomy), await fixture.relay(roomy)];
});
afterAll(() => fixture?.stop());

interface Actor {
  name: string;
  relay: PeerRelay;
  store: Store;
  groups: Groups;
  sent: string[];
}

const groupIn = ({ groups }: Actor): Group => groups.groups()[0] as Group;

async function work(actor: Actor, round: number): Promise<void> {
  for (let at = 0; at < textsPerRound; at++) {
    const text = `${actor.name} ${round} ${at}`;
    await groupIn(actor).send({ text });
    actor.sent.push(text);
    if (at % 3 === 0) await groupIn(actor).rename(`${actor.name} ${round} ${at}`);
  }
}

test("three members who write, commit and restart lose no text, double none, and stay one group", async () => {
  const actors: Actor[] = [];
  for (const [at, name] of ["Ada", "Ben", "Cem"].entries()) {
    const [relay, store] = [relays[at === 2 ? 1 : 0] as PeerRelay, memoryStore()];
    actors.push({ name, relay, store, groups: await openPerson(relay, name, { store }), sent: [] });
  }
  const [ada, ...others] = actors as [Actor, ...Actor[]];
  const group = await ada.groups.create({ name: "Stress" });
  await group.add(others.map(({ groups }) => groups.address));
  for (const { groups } of others) await groupOf(groups, "Stress");
  for (let round = 0; round < rounds; round++) {
    await Promise.all(actors.map((actor) => work(actor, round)));
    const restarting = actors[round % actors.length] as Actor;
    await restarting.groups.close();
    restarting.groups = await openPerson(restarting.relay, restarting.name, { store: restarting.store });
  }
  const all = actors.flatMap(({ sent }) => sent);
  for (const actor of actors) {
    const isComplete = async () => (await textsOf(groupIn(actor))).length >= all.length;
    await until(isComplete, `${actor.name} has all texts`);
    const texts = await textsOf(groupIn(actor));
    expect(texts.toSorted()).toEqual(all.toSorted());
    // Those of each sender are in their order.
    for (const { name, sent } of actors) expect(texts.filter((text) => text.startsWith(name))).toEqual(sent);
  }
  await untilSame(actors.map(groupIn));
});
