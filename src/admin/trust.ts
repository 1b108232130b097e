import type { AuditService } from "../audit/service.js";
import type { Database, Transaction } from "../database/db.js";
import { type Device, type DevicesService, requireDevice } from "../devices/service.js";
import type { Clock } from "../node/clock.js";
import { RelayError } from "../protocol/errors.js";
import { hasCustomLimit, isBarred, tierLimit, trustTier } from "../protocol/trust-tier.js";
import type { ServerSettings, SettingsService } from "../settings/service.js";
import { type Actor, auditedBy } from "./actor.js";
import type { AdminSettings } from "./config.js";
import { type CustomLimit, checkCustomLimit } from "./custom-limit-range.js";

interface TrustRequest {
  /** The id or public key as it was sent. */
  deviceId: string;
  /** Without a reason, the audit log has none. */
  reason?: string;
}

/** A decision about a device. `at` is in Unix seconds. */
export interface Decision {
  deviceId: string;
  at: number;
  trustState: TrustState;
}

/** The result for one device of several. */
export type BulkOutcome = { verifiedAt: number } | { error: "DEVICE_NOT_FOUND" | "CONFLICT" };

/** The decisions of administrators about devices. Each is recorded in the transaction that makes it. */
export type Trust = ReturnType<typeof createTrust>;

export interface TrustDeps {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  devices: Pick<DevicesService, "known" | "lock" | "verify" | "unverify" | "setCustomLimit">;
  audit: Pick<AuditService, "record">;
  config: Pick<AdminSettings, "customRateLimitMax">;
}

type Action = "device_verified" | "verification_revoked" | "rate_limit_modified";
type Change = (device: Device, at: number, trx: Transaction) => Promise<Partial<Device>>;

/** Each decision locks the row of the device, so a block and a verification cannot overlap. */
export function createTrust(deps: TrustDeps) {
  const { db, clock, settings, devices, audit, config } = deps;

  /** `change` throws, or writes and returns the members of the device that it has changed. */
  const decide = (
    { deviceId: spelled, ...details }: { deviceId: string; [detail: string]: unknown },
    actor: Actor,
    { action, change }: { action: Action; change: Change },
  ): Promise<Decision> =>
    db.transaction(async (trx) => {
      const at = clock.nowSeconds();
      const device = requireDevice(await devices.lock(trx, spelled));
      const changed = { ...device, ...(await change(device, at, trx)) };
      const { deviceId } = device;
      await audit.record(trx, { ...auditedBy(actor), action, target: deviceId, details });
      return { deviceId, at, trustState: trustStateOf(changed, { now: at, settings: settings.current() }) };
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
    /** Verifies a device. Throws DEVICE_NOT_FOUND, or CONFLICT if it is blocked or banned. */
    verify,
    /** Verifies devices one by one; a failure is the result of its device. */
    async verifyAll(requests: readonly TrustRequest[], actor: Actor): Promise<BulkOutcome[]> {
      // A list may hold a thousand ids that nobody has; a transaction for each of them would take seconds.
      const known = await devices.known(
        db,
        requests.map(({ deviceId }) => deviceId),
      );
      const outcomes: BulkOutcome[] = [];
      for (const request of requests) {
        if (!known.has(request.deviceId)) outcomes.push({ error: "DEVICE_NOT_FOUND" });
        else outcomes.push(await verify(request, actor).then(({ at }) => ({ verifiedAt: at }), asOutcome));
      }
      return outcomes;
    },
    /** Revokes a verification. Throws DEVICE_NOT_FOUND, or CONFLICT if the device is not verified. */
    revoke: (request: TrustRequest, actor: Actor): Promise<Decision> =>
      decide({ ...request }, actor, {
        action: "verification_revoked",
        async change(device, _at, trx) {
          if (!device.verified) throw new RelayError("CONFLICT", "the device is not verified");
          await devices.unverify(trx, device.deviceId);
          return { verified: false };
        },
      }),
    /** Sets a custom limit. Throws DEVICE_NOT_FOUND, INVALID_RATE_LIMIT, or INVALID_REQUEST if `expiresAt` is in the past. */
    async setLimit(
      { deviceId, reason, limit, expiresAt: wanted }: TrustRequest & CustomLimit,
      actor: Actor,
    ): Promise<Decision & { expiresAt: number | null }> {
      const expiresAt = limit === null ? null : wanted;
      checkCustomLimit({ limit, expiresAt: wanted }, { now: clock.nowSeconds(), config });
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

function asOutcome(error: unknown): BulkOutcome {
  const id = error instanceof RelayError ? error.id : undefined;
  if (id === "DEVICE_NOT_FOUND" || id === "CONFLICT") return { error: id };
  throw error;
}

type TrustInput = Pick<
  Device,
  "registeredAt" | "verified" | "blockedAt" | "bannedUntil" | "customLimit" | "customLimitExpiresAt"
>;

/** The trust state of a device at a time. */
export interface TrustState {
  tier: ReturnType<typeof trustTier>;
  /** The custom limit while it is in force, or else the limit of the tier; 0 while blocked or banned. */
  limit: number;
  ageHours: number;
}

const tenthsPerSecond = 10 / 3600;

/** The tier, limit and age of a device in hours, to a tenth. The limit is given even if limits are switched off. */
export function trustStateOf(
  device: TrustInput,
  { now, settings }: { now: number; settings: ServerSettings },
): TrustState {
  const tier = trustTier({ ...device, now, settings });
  const own = tier !== "blocked" && hasCustomLimit({ ...device, now }) ? device.customLimit : null;
  return {
    tier,
    limit: own ?? tierLimit(tier, settings),
    ageHours: Math.floor(Math.max(0, now - device.registeredAt) * tenthsPerSecond) / 10,
  };
}
