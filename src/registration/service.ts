import type { Knex } from "knex";
import type { DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Sessions } from "../platform/auth/sessions.js";
import { invalidToken, type Tokens } from "../platform/auth/tokens.js";
import type { UsedSignatures } from "../platform/auth/used-signatures.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import type { Db } from "../platform/database/connection.js";
import type { Random } from "../platform/random.js";
import type { IpBans } from "../platform/rate-limit/ip-bans.js";
import type { IpWindows } from "../platform/rate-limit/ip-windows.js";
import { deviceIdOf, spellPrefix } from "../protocol/identifiers.js";
import { invalidMember } from "../protocol/signed-request.js";
import { announcementText, prefixAnnouncementText } from "../protocol/signed-text.js";
import { hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { deleteChallenges, type StoredChallenge } from "./challenge-store.js";
import { createChallenges } from "./challenges.js";
import { type DifficultyConfig, highestStep, iterationsFor } from "./difficulty.js";
import { revokeAll } from "./invite-store.js";
import { type AllowlistedKeys, createInvites, type Invites } from "./invites.js";
import { createNetworkGuard, type NetworkConfig } from "./network-guard.js";
import { keyOf, readPrefix, readPrefixes } from "./prefixes.js";
import type { ProofPool } from "./proof-pool.js";
import { createRegistrar } from "./registrar.js";
import { createRegistrationPolicy, refuseIfClosed } from "./registration-policy.js";
import type { PrefixRequest, PrefixResult, RegistrationRequest, RegistrationResult, Session } from "./request.js";

export type { AllowlistedKeys, CreatedInvite, InviteRequest, Invites, ListedInvite } from "./invites.js";
export type {
  AnnouncementRequest,
  PrefixRequest,
  PrefixResult,
  RegistrationRequest,
  RegistrationResult,
  Session,
} from "./request.js";

/** How devices become known, get addresses and keep their access tokens. */
export interface RegistrationService {
  /** A new challenge. Throws REGISTRATION_CLOSED, IP_BANNED or RATE_LIMIT_EXCEEDED. */
  challenge(request: { publicKey: Uint8Array; ip: string }): Promise<Omit<StoredChallenge, "usedAt">>;
  /** Registers a device, or gives a known one a further address. Errors as the contract lists them. */
  register(request: RegistrationRequest): Promise<RegistrationResult>;
  /** Takes or renews prefixes of the device's choosing; an unknown device registers by it. Errors as in the contract. */
  announce(request: PrefixRequest): Promise<PrefixResult>;
  /** A new token of the same session. Throws INVALID_TOKEN where the session is too old or the device is gone. */
  refresh(session: { deviceId: string; sessionId: string; authTime: number }): Promise<Session>;
  invites: Invites;
}

export interface RegistrationDeps {
  db: Knex;
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
  ipWindows: Pick<IpWindows, "take">;
  proofPool: Pick<ProofPool, "verify">;
  /** Keys of servers whose invites are trusted in the mode `federation_allowlist`. */
  allowlistedKeys: AllowlistedKeys;
  config: RegistrationConfig;
}

export type RegistrationConfig = NetworkConfig &
  DifficultyConfig &
  Pick<
    Config,
    | "challengeLifetimeSeconds"
    | "maxAddressesPrefixFlow"
    | "maxAddressesRegistrationFlow"
    | "timestampWindowPastSeconds"
    | "timestampWindowFutureSeconds"
    | "deviceTokenSeconds"
    | "deviceSessionSeconds"
  >;

export function createRegistrationService(deps: RegistrationDeps): RegistrationService {
  const { db, clock, random, settings, devices, tokens, config } = deps;
  const guard = createNetworkGuard(deps);
  const challenges = createChallenges(deps);
  const invites = createInvites(deps);
  const registrar = createRegistrar({
    ...deps,
    policy: createRegistrationPolicy({ settings, guard, challenges, invites }),
  });

  return {
    invites,
    async challenge({ publicKey, ip }) {
      const { registration } = settings.current();
      refuseIfClosed(registration);
      await guard.countChallenge(ip);
      const since = clock.nowSeconds() - hourSeconds;
      const registered = await devices.countRegisteredAfter(db, { since, most: highestStep(config) });
      return challenges.issue(publicKey, iterationsFor(registration.proof_of_work_difficulty, registered, config));
    },
    async register(request) {
      const now = clock.nowSeconds();
      const { publicKey } = request;
      const deviceId = deviceIdOf(publicKey);
      if (request.deviceId.toLowerCase() !== deviceId) {
        throw invalidMember("device_id", "device_id must be Blake3(public_key)");
      }
      registrar.checkAudience(request);
      const prefix = readPrefix(random.uuid());
      const session = await registrar.announce({
        request,
        known: await devices.find(db, deviceId),
        publicKey,
        signedText: announcementText(request),
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
        signedText: prefixAnnouncementText(request),
        prefixes,
        maxActive: config.maxAddressesPrefixFlow,
        now,
      });
      return { ...session, prefixes: prefixes.map(({ prefix, spelling }) => spellPrefix(prefix, spelling)) };
    },
    async refresh({ deviceId, sessionId, authTime }) {
      const now = clock.nowSeconds();
      const notAfter = authTime + config.deviceSessionSeconds;
      if (notAfter <= now) throw invalidToken("the session is too old to be refreshed; announce again");
      if (!(await devices.find(db, deviceId))) throw invalidToken("the device is not known here any more");
      devices.touch(deviceId);
      const lifetimeSeconds = config.deviceTokenSeconds;
      const session = { sub: deviceId, sid: sessionId, authTime, lifetimeSeconds, notAfter };
      const { token, claims } = await tokens.issue("device", session);
      return { accessToken: token, expiresAt: claims.expiresAt };
    },
  };
}

/** For a database that was restored from a backup: challenges may have been used since, so none can be any more. */
export async function voidChallenges(db: Db): Promise<void> {
  await deleteChallenges(db);
}

/** Likewise invites. One of another server that was never used here before the backup cannot be known of. */
export async function voidInvites(db: Db, now: number): Promise<void> {
  await revokeAll(db, now);
}
