import { randomBytes } from "node:crypto";
import type { Config } from "../../src/composition/config.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { encodeBase64 } from "../../src/protocol/encodings.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import type { AnyRow } from "../support/any-row.js";
import { type Answer, call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

/** A relay in which devices may send without limit, and a look into its database. */
export interface SpamFixture extends TestRelay {
  db: Database;
  /** A device that registered so many hours ago. */
  device(ageHours?: number): Promise<TestDevice>;
  devices(count: number, ageHours?: number): Promise<TestDevice[]>;
  freshId(): string;
  /** Counters and trust state of a device. */
  stateOf(device: TestDevice): Promise<DeviceState>;
  /** The same of several, in their order. */
  statesOf(devices: readonly TestDevice[]): Promise<DeviceState[]>;
  /** The audit entries about a target, oldest first. */
  auditOf(target: string): Promise<{ action: string; details: Record<string, unknown> }[]>;
}

interface DeviceState {
  spam_reports: number;
  spam_reports_by_device: number;
  blocked_at: number | null;
  banned_until: number | null;
}

export const newHours = 0;
export const establishedHours = 7;
export const trustedHours = 25;

export async function startSpamFixture(overrides: Partial<Config> = {}): Promise<SpamFixture> {
  const relay = await startRelay({ ...overrides, seeds: { SEED_RATE_LIMITING_ENABLED: "false", ...overrides.seeds } });
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  const device = async (ageHours = establishedHours): Promise<TestDevice> => {
    const made = await newDevice(relay);
    const sql = "update devices set registered_at = registered_at - :value where device_id = :deviceId";
    await db.run(sql, { value: ageHours * 3600, deviceId: made.deviceId });
    return made;
  };
  const statesOf = async (devices: readonly TestDevice[]): Promise<DeviceState[]> => {
    const columns = "spam_reports, spam_reports_by_device, blocked_at, banned_until";
    const ids = devices.map(({ deviceId }) => deviceId);
    const sql = `select ${columns} from devices where device_id = any(:value::text[]) order by array_position(:value::text[], device_id)`;
    return await db.rows<AnyRow>(sql, { value: literalOf(ids) });
  };
  return {
    ...relay,
    db,
    device,
    async devices(count, ageHours) {
      const made: TestDevice[] = [];
      for (let i = 0; i < count; i++) made.push(await device(ageHours));
      return made;
    },
    freshId: () => newMessageId(relay.clock.nowMillis(), new Uint8Array(randomBytes(10))),
    stateOf: async (device) => (await statesOf([device]))[0] as DeviceState,
    statesOf,
    async auditOf(target) {
      const sql = "select action, details from audit_entries where target = :target order by id";
      return await db.rows<AnyRow>(sql, { target });
    },
    async stop() {
      await db.close();
      await relay.stop();
    },
  };
}

/** Device ids as PostgreSQL writes an array of them. */
function literalOf(ids: readonly string[]): string {
  return `{${ids.join(",")}}`;
}

type Reported = Awaited<ReturnType<typeof call<"reportSpam">>>;

/** Reports a message, whatever comes of it. */
export function report(
  relay: Pick<TestRelay, "url">,
  by: Pick<TestDevice, "token">,
  about: { messageId: string; sender: string; handle?: Uint8Array; reason?: string; details?: string },
): Promise<Reported> {
  const { messageId, sender, handle, reason = "spam", details } = about;
  const proof = handle && { report_handle: encodeBase64(handle) };
  const said = { reason, ...(details !== undefined && { details }) };
  const body = { message_id: messageId, sender_id: sender, ...proof, ...said };
  return call(relay, "reportSpam", { token: by.token, body });
}

/** Sends a message and has its recipient report it. */
export async function sendAndReport(relay: TestRelay, from: TestDevice, to: TestDevice): Promise<Reported> {
  const { body } = demand(await from.send(to.address));
  return demand(await report(relay, to, { messageId: body.message_id, sender: from.deviceId }));
}

/** Status, name and code of an answer. */
export function told({ status, body }: Answer<unknown>): [number, string | undefined, number | undefined] {
  const { error, code } = body as { error?: string; code?: number };
  return [status, error, code];
}
