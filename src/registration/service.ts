import type { AuthSettings } from "../auth/config.js";
import type { Sessions } from "../auth/ended-sessions.js";
import type { Tokens } from "../auth/tokens.js";
import type { UsedSignatures } from "../auth/used-signatures.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Db } from "../database/db.js";
import type { ActiveAddress, AnnouncedPrefix, DevicesService } from "../devices/service.js";
import type { IpBans } from "../limits/ip-ban-store.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { Schedule } from "../node/schedule.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import { deviceIdOf, spellPrefix } from "../protocol/identifiers.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { announcementText, prefixAnnouncementText } from "../protocol/signed-text.js";
import { hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { checkDeviceId, keyOf } from "./announced-key.js";
import { readPrefix, readPrefixes } from "./announced-prefixes.js";
import { createChallenges } from "./challenges.js";
import type { RegistrationSettings } from "./config.js";
import { highestStep, iterationsFor } from "./difficulty.js";
import { type AllowlistedKeys, createInvites, type Invites } from "./invites.js";
import { createIpLimits } from "./ip-limits.js";
import type { ProofPool } from "./proof-pool.js";
import { createRegistrar } from "./registrar.js";
import { createRegistrationPolicy, refuseIfClosed } from "./registration-policy.js";
import {
  deleteChallenges,
  deleteExpiredChallenges,
  deleteExpiredInvites,
  deleteExpiredUses,
  revokeAll,
  type StoredChallenge,
} from "./store.js";
import { createTokenRefresh } from "./token-refresh.js";
import type { PrefixRequest, PrefixResult, RegistrationRequest, RegistrationResult, Session } from "./types.js";

export {
  type AllowlistedKeys,
  type CreatedInvite,
  type InviteRequest,
  type Invites,
  inviteLifetime,
  type ListedInvite,
} from "./invites.js";
export type {
  AnnouncementRequest,
  PrefixRequest,
  PrefixResult,
  RegistrationRequest,
  RegistrationResult,
  Session,
} from "./types.js";

/** Registers devices, takes their addresses and issues their access tokens. */
export interface RegistrationService {
  /** Issues a challenge. Throws REGISTRATION_CLOSED, IP_BANNED or RATE_LIMIT_EXCEEDED. */
  challenge(request: {
    publicKey: Uint8Array;
    ip: string;
    observer: LimitObserver;
  }): Promise<Omit<StoredChallenge, "usedAt">>;
  /** Registers a device, or gives a known one another address. Throws the errors that the contract lists. */
  register(request: RegistrationRequest): Promise<RegistrationResult>;
  /** Takes or renews prefixes that the device chose, and registers an unknown device. Throws the errors that the contract lists. */
  announce(request: PrefixRequest): Promise<PrefixResult>;
  /** Issues a new token of the same session. Throws INVALID_TOKEN if the session is too old or the device was removed. */
  refresh(session: { deviceId: string; sessionId: string; authTime: number }): Promise<Session>;
  /** The active addresses of a device, the oldest first. */
  addresses(deviceId: string): Promise<ActiveAddress[]>;
  /** Ends an address of the device at once, and says when. Throws ADDRESS_NOT_FOUND if it has no such active address. */
  endAddress(deviceId: string, prefix: string): Promise<AnnouncedPrefix & { endedAt: number }>;
  invites: Invites;
}

type RegistrationConfig = RegistrationSettings & AuthSettings;

export function createRegistrationService(deps: {
  db: Database;
  clock: Clock;
  random: Random;
  domain: string;
  settings: Pick<SettingsService, "current">;
  devices: DevicesService;
  metrics: Pick<MetricsService, "count">;
  tokens: Tokens;
  sessions: Pick<Sessions, "beginning" | "revokeOthers">;
  usedSignatures: Pick<UsedSignatures, "prepare" | "use">;
  ipBans: Pick<IpBans, "ban" | "bannedUntil">;
  rateLimiter: Pick<RateLimiter, "count">;
  proofPool: Pick<ProofPool, "verify">;
  /** Keys of servers whose invites are trusted in the mode `federation_allowlist`. */
  allowlistedKeys: AllowlistedKeys;
  config: RegistrationConfig;
}): RegistrationService {
  const { db, clock, random, settings, devices, config } = deps;
  const ipLimits = createIpLimits(deps);
  const challenges = createChallenges(deps);
  const invites = createInvites(deps);
  const registrar = createRegistrar({
    ...deps,
    policy: createRegistrationPolicy({ settings, ipLimits, challenges, invites }),
  });

  return {
    invites,
    async challenge({ publicKey, ip, observer }) {
      const { registration } = settings.current();
      refuseIfClosed(registration);
      await ipLimits.countChallenge(ip, observer);
      const since = clock.nowSeconds() - hourSeconds;
      const registered = await devices.countRegisteredAfter(db, { since, max: highestStep(config) });
      return challenges.issue(publicKey, iterationsFor(registration.proof_of_work_difficulty, registered, config));
    },
    async register(request) {
      const now = clock.nowSeconds();
      const { publicKey } = request;
      checkDeviceId(request);
      registrar.checkAudience(request);
      const prefix = readPrefix(random.uuid());
      const session = await registrar.announce({
        request,
        known: await devices.find(db, deviceIdOf(publicKey)),
        publicKey,
        signed: { form: "announcement", text: announcementText(request) },
        prefixes: [prefix],
        maxActive: config.maxAddressesRegistrationFlow,
        now,
      });
      return { ...session, prefix: prefix.prefix, createdAt: now };
    },
    async announce(request) {
      const now = clock.nowSeconds();
      const publicKey = keyOf(request);
      registrar.checkAudience(request);
      const prefixes = readPrefixes(request.prefixes);
      const session = await registrar.announce({
        request,
        known: await devices.resolve(db, request.deviceId),
        publicKey,
        signed: { form: "prefixAnnouncement", text: prefixAnnouncementText(request) },
        prefixes,
        maxActive: config.maxAddressesPrefixFlow,
        now,
      });
      return { ...session, prefixes: prefixes.map(({ prefix, spelling }) => spellPrefix(prefix, spelling)) };
    },
    refresh: createTokenRefresh(deps),
    addresses: (deviceId) => devices.addressesOf(db, deviceId, clock.nowSeconds()),
    async endAddress(deviceId, text) {
      const now = clock.nowSeconds();
      const ended = await devices.endAddress(db, { deviceId, prefix: readPrefix(text).prefix, now });
      if (ended === undefined) throw new RelayError("ADDRESS_NOT_FOUND", "the device has no such active address");
      return { ...ended, endedAt: now };
    },
  };
}

/** Voids every challenge of a restored database: it may have been used after the backup was taken. */
export async function voidChallenges(db: Db): Promise<void> {
  await deleteChallenges(db);
}

/** Voids every invite of a restored database. Invites of other servers that were unused at the backup are unknown here. */
export async function voidInvites(db: Db, now: number): Promise<void> {
  await revokeAll(db, now);
}

const cleanUpEverySeconds = 300;
const rowsPerStep = 1000;
/** A proof may still be running when its challenge expires, so expired rows are kept for a while. */
const keptAfterExpirySeconds = hourSeconds;

/** Schedules the removal of expired challenges and invites. */
export function scheduleRegistrationJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  { db, clock }: { db: Database; clock: Clock },
): void {
  schedule.cleanUpEvery("registration.clean-up", cleanUpEverySeconds, async () => {
    const before = clock.nowSeconds() - keptAfterExpirySeconds;
    for (const deleteExpired of [deleteExpiredChallenges, deleteExpiredInvites, deleteExpiredUses]) {
      await inBoundedSteps(rowsPerStep, (limit) => deleteExpired(db, { before, limit }));
    }
  });
}
