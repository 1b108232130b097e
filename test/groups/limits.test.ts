import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimeWith } from "../../src/client/runtime.js";
import { type Groups, memoryStore } from "../../src/groups/index.js";
import { hourSeconds } from "../../src/protocol/units.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, openPerson, roomy, untilHas } from "./people.js";

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay({ ...roomy, newTierPeerClaimsPerAddressHour: 1 });
  other = await fixture.relay(roomy, { clock: relay.clock });
});
afterAll(() => fixture?.stop());

async function nextEvents(person: Groups, count: number) {
  const found = [];
  for await (const event of person.events()) {
    if (event.type === "notAdded") found.push(event);
    if (found.length === count) break;
  }
  return found;
}

test("an address whose key packages are limited is added when the limit ends, after a restart too; the others are added at once", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store }), await openPerson(relay, "Ben")];
  const cem = await openPerson(other, "Cem");
  const first = await ada.create({ name: "First" });
  await first.add([cem.address]);
  const second = await ada.create({ name: "Second" });
  const adding = second.add([cem.address, ben.address]);
  const names = () => second.members().map(({ name }) => name);
  await until(async () => names().includes("Ben"), "Ben is a member");
  const [told] = await nextEvents(ada, 1);
  expect(told).toMatchObject({ group: second.id, address: cem.address, error: "RATE_LIMIT_EXCEEDED" });
  expect(told?.retryAtMillis).toBeGreaterThan(relay.clock.nowMillis());
  expect(names()).toEqual(["Ada", "Ben"]);
  await second.rename("Still");
  await ada.close();
  await expect(adding).rejects.toThrow("closed");

  relay.clock.advance(hourSeconds);
  const again = await openPerson(relay, "Ada", { store });
  const cems = await groupOf(cem, "Still");
  await again.group(second.id)?.send({ text: "Hello Cem" });
  await untilHas(cems, "Hello Cem");
});

test("a call that waits for a limit ends once the limit has ended and everybody is a member who can be", async () => {
  const small = await fixture.relay({ ...roomy, newTierClaimsPerHour: 2 });
  const hourOver = new AbortController();
  const { sleep } = runtimeWith();
  // A machine whose long waits go by the relay's time.
  const untilHourOver = (millis: number, signal?: AbortSignal) =>
    sleep(millis, AbortSignal.any([hourOver.signal, ...(signal ? [signal] : [])])).catch(() =>
      signal?.throwIfAborted(),
    );
  const ada = await openPerson(small, "Ada", {
    runtime: { sleep: (millis, signal) => (millis > 60_000 ? untilHourOver : sleep)(millis, signal) },
  });
  const events = eventsOf(ada);
  const others: Groups[] = [];
  for (const name of ["Ben", "Cem", "Dora"]) others.push(await openPerson(small, name));
  const nobody = `${crypto.randomUUID()}@${small.domain}`;
  const group = await ada.create({ name: "Five" });
  const adding = group.add([nobody, ...others.map(({ address }) => address)]);
  await until(async () => group.members().length === 2, "one of them is a member");
  const told = () => events.flatMap((event) => (event.type === "notAdded" ? [event] : []));
  expect(told()).toMatchObject([
    { address: nobody, error: "ADDRESS_NOT_FOUND" },
    { address: others[1]?.address, error: "RATE_LIMIT_EXCEEDED" },
    { address: others[2]?.address, error: "RATE_LIMIT_EXCEEDED" },
  ]);
  expect(told()[0]).not.toHaveProperty("retryAtMillis");
  small.clock.advance(hourSeconds);
  hourOver.abort();
  await expect(adding).rejects.toMatchObject({ refused: [{ address: nobody, error: "ADDRESS_NOT_FOUND" }] });
  expect(group.members().length).toBe(4);
});
