import type { Knex } from "knex";
import type { AuditService } from "../audit/service.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { inTransaction } from "../platform/database/connection.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import { customLimitStands, isBarred, tierLimit, trustTier } from "../protocol/trust-tier.js";
import type { ServerSettings, SettingsService } from "../settings/service.js";
import { type Actor, auditedBy } from "./actor.js";

export interface TrustRequest {
  /** As it was sent: the id or the public key. */
  deviceId: string;
  reason: string;
}

export interface LimitRequest extends TrustRequest {
  /** Messages per window; null removes the device's own limit. */
  limit: number | null;
  /** Unix seconds; null for a limit that does not end by itself. */
  expiresAt: number | null;
}

/** What was decided, about whom, when. */
export interface Decision {
  deviceId: string;
  at: number;
  standing: Standing;
}

/** What became of one device of several. */
export type BulkOutcome = { verifiedAt: number } | { error: "DEVICE_NOT_FOUND" | "CONFLICT" };

/** What administrators decide about devices. Each decision is recorded in the transaction that makes it. */
export interface Trust {
  /** Throws DEVICE_NOT_FOUND, or CONFLICT for a blocked or banned device. */
  verify(request: TrustRequest, actor: Actor): Promise<Decision>;
  verifyAll(requests: readonly TrustRequest[], actor: Actor): Promise<BulkOutcome[]>;
  /** Throws DEVICE_NOT_FOUND, or CONFLICT for a device that is not verified. */
  revoke(request: TrustRequest, actor: Actor): Promise<Decision>;
  /** Throws DEVICE_NOT_FOUND, INVALID_RATE_LIMIT, or INVALID_REQUEST for an end that lies in the past. */
  setLimit(request: LimitRequest, actor: Actor): Promise<Decision & { expiresAt: number | null }>;
}

export interface TrustDeps {
  db: Knex;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  devices: Pick<DevicesService, "lock" | "verify" | "unverify" | "setCustomLimit">;
  audit: Pick<AuditService, "record">;
  config: Pick<Config, "customRateLimitMax">;
}

type Action = "device_verified" | "verification_revoked" | "rate_limit_modified";
type Change = (device: Device, at: number, trx: Knex.Transaction) => Promise<Partial<Device>>;

/** The device's row is locked while it is decided upon, so a block and a verification cannot cross. */
export function createTrust(deps: TrustDeps): Trust {
  const { db, clock, settings, devices, audit, config } = deps;

  /** `change` throws, or writes and answers what is different now. */
  const decide = (
    { deviceId: spelled, ...details }: { deviceId: string; reason: string; [detail: string]: unknown },
    actor: Actor,
    { action, change }: { action: Action; change: Change },
  ): Promise<Decision> =>
    inTransaction(db, async (trx) => {
      const at = clock.nowSeconds();
      const device = await devices.lock(trx, spelled);
      if (device === undefined) throw new RelayError("DEVICE_NOT_FOUND", "the device is not registered here");
      const changed = { ...device, ...(await change(device, at, trx)) };
      const { deviceId } = device;
      await audit.record(trx, { ...auditedBy(actor), action, target: deviceId, details });
      return { deviceId, at, standing: standingOf(changed, { now: at, settings: settings.current() }) };
    });

  const verify = (request: TrustRequest, actor: Actor): Promise<Decision> =>
    decide({ ...request }, actor, {
      action: "device_verified",
      async change(device, at, trx) {
        if (isBarred({ ...device, now: at })) throw new RelayError("CONFLICT", "the device is blocked or banned");
        await devices.verify(trx, device.deviceId, { at, by: actor.deviceId });
        return { verified: true };
      },
    });

  return {
    verify,
    async verifyAll(requests, actor) {
      const outcomes: BulkOutcome[] = [];
      for (const request of requests) {
        outcomes.push(await verify(request, actor).then(({ at }) => ({ verifiedAt: at }), asOutcome));
      }
      return outcomes;
    },
    revoke: (request, actor) =>
      decide({ ...request }, actor, {
        action: "verification_revoked",
        async change(device, _at, trx) {
          if (!device.verified) throw new RelayError("CONFLICT", "the device is not verified");
          await devices.unverify(trx, device.deviceId);
          return { verified: false };
        },
      }),
    async setLimit({ deviceId, reason, limit, expiresAt: wanted }, actor) {
      const expiresAt = limit === null ? null : wanted;
      checkLimit(limit, config.customRateLimitMax);
      if (wanted !== null && wanted <= clock.nowSeconds()) throw invalidMember("expires_at", "must be in the future");
      const details = { deviceId, reason, custom_rate_limit: limit, expires_at: expiresAt };
      const decision = await decide(details, actor, {
        action: "rate_limit_modified",
        async change(device, at, trx) {
          await devices.setCustomLimit(trx, device.deviceId, { limit, setAt: at, setBy: actor.deviceId, expiresAt });
          return { customLimit: limit, customLimitExpiresAt: expiresAt };
        },
      });
      return { ...decision, expiresAt };
    },
  };
}

/** The contract bounds the limit; a server may be configured to allow less. */
function checkLimit(limit: number | null, most: number): void {
  if (limit === null || limit <= most) return;
  throw invalidMember("custom_rate_limit", `must be 0 to ${most}`, { id: "INVALID_RATE_LIMIT" });
}

function asOutcome(error: unknown): BulkOutcome {
  const id = error instanceof RelayError ? error.id : undefined;
  if (id === "DEVICE_NOT_FOUND" || id === "CONFLICT") return { error: id };
  throw error;
}

type Known = Pick<
  Device,
  "registeredAt" | "verified" | "blockedAt" | "bannedUntil" | "customLimit" | "customLimitExpiresAt"
>;

/** Where a device stands at a moment. */
export interface Standing {
  tier: ReturnType<typeof trustTier>;
  /** The limit of the device's own while it holds, else the tier's; 0 while blocked or banned. */
  limit: number;
  ageHours: number;
}

const tenthsPerSecond = 10 / 3600;

/** A device's tier, limit and age in hours (to a tenth). The limit is told even while limits are switched off. */
export function standingOf(device: Known, { now, settings }: { now: number; settings: ServerSettings }): Standing {
  const tier = trustTier({ ...device, now, settings });
  const own = tier !== "blocked" && customLimitStands({ ...device, now }) ? device.customLimit : null;
  return {
    tier,
    limit: own ?? tierLimit(tier, settings),
    ageHours: Math.floor(Math.max(0, now - device.registeredAt) * tenthsPerSecond) / 10,
  };
}
