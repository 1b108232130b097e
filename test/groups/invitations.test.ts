import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Groups, InvitationError, memoryStore } from "../../src/groups/index.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, openPerson, roomy, untilHas, untilSame } from "./people.js";

const appUrl = "https://app.example/join?lang=en";

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
  other = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

describe("an invitation", () => {
  test("brings people of any relay into a group, as often as it says", async () => {
    const ada = await openPerson(relay, "Ada");
    const group = await ada.create({ name: "Open" });
    const { link, id } = await group.invite({ appUrl, uses: 2 });
    expect(new URL(link)).toMatchObject({ host: "app.example", pathname: "/join", search: "?lang=en" });
    const [ben, cem, dan] = [
      await openPerson(relay, "Ben"),
      await openPerson(other, "Cem"),
      await openPerson(relay, "Dan"),
    ];
    expect(await ben.join(link)).toEqual({ group: group.id, name: "Open" });
    await cem.join(link);
    const groups = [group, await groupOf(ben, "Open"), await groupOf(cem, "Open")];
    await untilSame(groups);
    expect(group.invitations()).toEqual([]);
    await dan.join(link);
    await groups[2]?.send({ text: "Hello" });
    for (const one of groups) await untilHas(one, "Hello");
    expect(dan.groups()).toEqual([]);
    expect(
      group
        .members()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["Ada", "Ben", "Cem"]);
    await expect(ben.join(link)).rejects.toThrow(InvitationError);
    await expect(ben.join(`${appUrl}#mls-relay-group=e30`)).rejects.toMatchObject({ reason: "malformed" });
    expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  test("works while one member who may invite is there, also of more than ten", async () => {
    const [ada, cem] = [await openPerson(relay, "Ada"), await openPerson(relay, "Cem")];
    const members = await Promise.all(Array.from({ length: 12 }, (_, at) => openPerson(relay, `Member ${at}`)));
    const last = members.at(-1) as Groups;
    const group = await ada.create({ name: "Away" });
    await group.add(members.map(({ address }) => address));
    const lasts = await groupOf(last, "Away");
    const { link } = await group.invite({ appUrl });
    await untilSame([group, lasts]);
    await Promise.all([ada, ...members].map((one) => (one === last ? undefined : one.close())));
    await cem.join(link);
    await until(async () => lasts.members().length === 14, "the last member has added Cem");
    await groupOf(cem, "Away");
  });

  test("that needs approval waits for it, a refusal is told, and one that is revoked adds nobody", async () => {
    const [ada, ben, cem] = [
      await openPerson(relay, "Ada"),
      await openPerson(relay, "Ben"),
      await openPerson(relay, "Cem"),
    ];
    const events = eventsOf(ada);
    const group = await ada.create({ name: "Closed" });
    const { link, id } = await group.invite({ appUrl, uses: 5, approve: true });
    await ben.join(link);
    const asked = () => events.find(({ type }) => type === "joinRequest");
    await until(async () => asked() !== undefined, "Ada is asked");
    expect(asked()).toMatchObject({ name: "Ben", user: ben.user, address: ben.address });
    const [request] = await group.requests();
    expect((await ada.deviceStatus()).joinRequests).toEqual([{ group: group.id, count: 1 }]);
    expect((await ben.deviceStatus()).asked).toEqual([{ group: group.id, name: "Closed" }]);
    await group.approve(request?.request ?? "");
    await groupOf(ben, "Closed");
    expect(await group.requests()).toEqual([]);
    for (const person of [ada, ben]) {
      const { joinRequests, asked: askedFor } = await person.deviceStatus();
      expect([joinRequests, askedFor]).toEqual([[], []]);
    }
    const [before, told] = [events.length, eventsOf(cem)];
    await cem.join(link);
    await until(async () => events.slice(before).some(({ type }) => type === "joinRequest"), "Ada is asked again");
    await group.refuse((await group.requests())[0]?.request ?? "");
    const refusals = () => told.filter(({ type }) => type === "joinRefused");
    await until(async () => refusals().length > 0, "Cem is told");
    expect(refusals()).toMatchObject([{ group: group.id, name: "Closed" }]);
    await group.revoke(id);
    await cem.join(link);
    await group.send({ text: "still two" });
    await untilHas(await groupOf(ben, "Closed"), "still two");
    expect(group.members().length).toBe(2);
    expect(await group.requests()).toEqual([]);
  });

  test("that needs approval keeps one request for each person, and a limited number in all", async () => {
    const store = memoryStore();
    const ada = await openPerson(relay, "Ada", { store });
    const [ben, cem] = [await openPerson(relay, "Ben"), await openPerson(relay, "Cem")];
    const events = eventsOf(ada);
    const asked = () => events.filter(({ type }) => type === "joinRequest").length;
    const group = await ada.create({ name: "Asked" });
    const { link } = await group.invite({ appUrl, uses: 500, approve: true });
    const seen = async () => (await store.list({ prefix: "seen/" })).length;
    const ask = async (who: Groups) => {
      const before = await seen();
      await who.join(link);
      await until(async () => (await seen()) > before, "the request has come");
    };
    for (let times = 1; times <= 3; times++) await ask(ben);
    expect(asked()).toBe(1);
    const [request, ...more] = await group.requests();
    expect(more).toEqual([]);
    const [stored] = await store.list({ prefix: "request/" });
    const many = Array.from({ length: 199 }, (_, at) => `request/${group.id}/${String(at).padStart(64, "0")}`);
    await store.write(many.map((key) => [key, stored?.[1]]));
    await ask(cem);
    await ask(ben);
    expect(asked()).toBe(1);
    expect(await group.requests()).toHaveLength(200);
    await store.write(many.map((key) => [key, undefined]));
    await group.approve(request?.request ?? "");
    await groupOf(ben, "Asked");
    expect(await store.list({ prefix: "request/" })).toEqual([]);
    await cem.join(link);
    await until(async () => asked() === 2, "there is room for Cem");
    await group.setRole(ben.user, ["administrator"]);
    await group.leave();
    expect(await store.list({ prefix: "request/" })).toEqual([]);
  });

  test("ends with its time", async () => {
    const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
    const { link } = await (await ada.create({ name: "Short" })).invite({ appUrl, expiresInSeconds: 60 });
    relay.clock.advance(61);
    await expect(ben.join(link)).rejects.toMatchObject({ reason: "expired" });
  });
});

test("a member that its slots have forgotten asks, is added again, and keeps its history", async () => {
  const ada = await openPerson(relay, "Ada");
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben", { store });
  const group = await ada.create({ name: "Long" });
  await group.add([ben.address]);
  await group.send({ text: "before" });
  await untilHas(await groupOf(ben, "Long"), "before");
  await ben.close();
  for (let round = 0; round < 2; round++) await group.rename(`Long ${round}`);
  // Longer than slots are kept, and than messages wait.
  relay.clock.advance(40 * 24 * 3_600);
  const back = await openPerson(relay, "Ben", { store });
  const [own] = back.groups();
  await until(async () => own?.state === "mustRejoin", "Ben cannot follow");
  await own?.rejoin();
  const again = await groupOf(back, "Long 1");
  expect(again).toBe(own);
  await group.send({ text: "after" });
  await untilHas(again, "before", "after");
  expect(group.members().length).toBe(2);
});
