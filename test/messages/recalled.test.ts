import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRefused, type Outcome } from "../../src/messages/model/types.js";
import { tableOf } from "../support/table.js";
import { createMessagesFixture, type FixtureDevice, type MessagesFixture, type MessagesNode } from "./fixture.js";

// A node remembers the devices and addresses of earlier messages, and must act on none of that once it has changed.

let fixture: MessagesFixture;
let node: MessagesNode;

beforeAll(async () => {
  fixture = await createMessagesFixture();
  node = await fixture.node();
});
afterAll(() => fixture.stop());

const nameOf = (outcome: Outcome | undefined) => {
  if (outcome === undefined) return undefined;
  return isRefused(outcome) ? outcome.error : outcome.status;
};
async function send({ deviceId }: FixtureDevice, to: FixtureDevice): Promise<string | undefined> {
  const [outcome] = await node.messages.accept({ kind: "device", deviceId }, [fixture.envelope(to)]);
  return nameOf(outcome);
}
/** Two devices, of which the first has sent the second a message. */
async function acquainted(): Promise<[FixtureDevice, FixtureDevice]> {
  const [sender, recipient] = [await fixture.device({ custom_limit: 10 }), await fixture.device()];
  expect(await send(sender, recipient)).toBe("queued");
  return [sender, recipient];
}
const change = ({ deviceId }: FixtureDevice, columns: Readonly<Record<string, unknown>>) =>
  tableOf(fixture.db, "devices").where({ device_id: deviceId }).update(columns);
const queued = async ({ deviceId }: FixtureDevice) =>
  (await tableOf(fixture.db, "messages").where({ device_id: deviceId }).orderBy("position")) as {
    expires_at: number;
  }[];
const counted = async ({ deviceId }: FixtureDevice) =>
  (await tableOf(fixture.db, "sending_windows").where({ device_id: deviceId }).first()) as {
    count: number;
    misses_count: number;
  };

describe("the next message between devices that the node remembers", () => {
  it("is queued like the first one", async () => {
    const [sender, recipient] = await acquainted();
    expect(await send(sender, recipient)).toBe("queued");
    expect(await queued(recipient)).toHaveLength(2);
    expect(await counted(sender)).toMatchObject({ count: 2, misses_count: 0 });
  });

  it("is recognised where it is a repetition", async () => {
    const [{ deviceId }, recipient] = await acquainted();
    const again = fixture.envelope(recipient);
    const accept = async () => nameOf((await node.messages.accept({ kind: "device", deviceId }, [again]))[0]);
    expect([await accept(), await accept()]).toEqual(["queued", "duplicate"]);
  });

  it("is refused after its sender was blocked", async () => {
    const [sender, recipient] = await acquainted();
    await change(sender, { blocked_at: fixture.clock.nowSeconds() });
    expect(await send(sender, recipient)).toBe("RATE_LIMIT_EXCEEDED");
    expect(await queued(recipient)).toHaveLength(1);
    await change(sender, { blocked_at: null });
    expect(await send(sender, recipient)).toBe("queued");
    expect(await counted(sender)).toMatchObject({ count: 2 });
  });

  it("counts against the limit that the sender has now", async () => {
    const [sender, recipient] = await acquainted();
    await change(sender, { custom_limit: 1 });
    expect(await send(sender, recipient)).toBe("RATE_LIMIT_EXCEEDED");
    await change(sender, { custom_limit: 2 });
    expect([await send(sender, recipient), await send(sender, recipient)]).toEqual(["queued", "RATE_LIMIT_EXCEEDED"]);
  });

  it("is kept as long as its recipient wants now", async () => {
    const [sender, recipient] = await acquainted();
    await change(recipient, { max_retention_days: 1 });
    expect(await send(sender, recipient)).toBe("queued");
    const [first, second] = await queued(recipient);
    expect(second?.expires_at).toBeLessThan(first?.expires_at ?? 0);
  });

  it("is refused after its recipient's address was withdrawn, and counts as a miss", async () => {
    const [sender, recipient] = await acquainted();
    await tableOf(fixture.db, "addresses").where({ prefix: recipient.prefix }).delete();
    expect(await send(sender, recipient)).toBe("ADDRESS_NOT_FOUND");
    expect(await queued(recipient)).toHaveLength(1);
    expect(await counted(sender)).toMatchObject({ count: 1, misses_count: 1 });
  });

  it("goes to the device that holds its recipient's address now", async () => {
    const [sender, recipient] = await acquainted();
    const heir = await fixture.device();
    await tableOf(fixture.db, "addresses").where({ prefix: recipient.prefix }).update({ device_id: heir.deviceId });
    expect(await send(sender, recipient)).toBe("queued");
    expect([await queued(recipient), await queued(heir)].map(({ length }) => length)).toEqual([1, 1]);
  });

  it("is refused after its recipient, or its sender, was removed", async () => {
    const [sender, recipient] = await acquainted();
    await remove(recipient);
    expect(await send(sender, recipient)).toBe("ADDRESS_NOT_FOUND");
    const [gone, other] = await acquainted();
    await remove(gone);
    expect(await send(gone, other)).toBe("INVALID_TOKEN");
    expect(await queued(other)).toHaveLength(1);
  });
});

async function remove({ deviceId, prefix }: FixtureDevice): Promise<void> {
  await tableOf(fixture.db, "addresses").where({ prefix }).delete();
  await node.messages.forgetDevices(fixture.db, [deviceId]);
  await tableOf(fixture.db, "devices").where({ device_id: deviceId }).delete();
}
