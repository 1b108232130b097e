import type { Knex } from "knex";
import type { AnnouncedPrefix, Device, DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Sessions } from "../platform/auth/sessions.js";
import { verifySignature } from "../platform/auth/signature-check.js";
import type { Tokens } from "../platform/auth/tokens.js";
import type { UsedSignatures } from "../platform/auth/used-signatures.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { inTransaction } from "../platform/database/connection.js";
import { RelayError } from "../protocol/errors.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { checkAudience, checkTimestamp, type TimestampWindow } from "../protocol/signed-request.js";
import type { RegistrationPolicy } from "./registration-policy.js";
import type { Admission, AnnouncementRequest, Session } from "./types.js";

/** An announcement of either flow, its parts worked out. */
export interface Announcement {
  request: AnnouncementRequest;
  /** The device, if it is known here; its stored key is then the only one that counts. */
  known: Device | undefined;
  /** The key of a device that is not known. */
  publicKey: Uint8Array;
  signedText: string;
  prefixes: readonly AnnouncedPrefix[];
  maxActive: number;
  now: number;
}

export interface Registrar {
  /** Throws INVALID_REQUEST where the request names an audience that is not this server. */
  checkAudience(request: Pick<AnnouncementRequest, "audience">): void;
  announce(announcement: Announcement): Promise<Session>;
}

export interface AnnouncerDeps {
  db: Knex;
  clock: Clock;
  domain: string;
  policy: RegistrationPolicy;
  devices: Pick<DevicesService, "register" | "takeAddresses" | "setPreferences">;
  tokens: Pick<Tokens, "issue">;
  sessions: Pick<Sessions, "beginning" | "revokeOthers">;
  usedSignatures: Pick<UsedSignatures, "prepare" | "use">;
  metrics: Pick<MetricsService, "count">;
  config: TimestampWindow & Pick<Config, "deviceTokenSeconds">;
}

/**
 * What follows once it is clear who announces what, in the specification's order: the way in of an unknown device, then
 * signature and timestamp, then one short transaction that uses up the admission, adds the device and takes the
 * addresses. So a device that fails on its own limits or on a taken prefix keeps its proof or invite, and one that fails
 * on its signature loses the proof. Two first announcements of one device at once: the second finds it known.
 *
 * A signed text is good for one token, so that whoever overhears it cannot get one as well. It is used up by the same
 * transaction: an announcement that was refused can be sent again as it is. Whoever lost the answer signs a new one.
 */
export function createRegistrar(deps: AnnouncerDeps): Registrar {
  const { db, policy, domain, config } = deps;

  const checkSignature = (announcement: Announcement): void => {
    const { request, known, now } = announcement;
    const key = known?.publicKey ?? announcement.publicKey;
    if (!verifySignature(key, announcement.signedText, request.signature)) {
      throw new RelayError("INVALID_SIGNATURE", "invalid signature");
    }
    checkTimestamp(request.timestamp, now, config);
  };
  const admit = async (announcement: Announcement): Promise<Admission | undefined> => {
    const { request, known, publicKey, now } = announcement;
    return known ? undefined : policy.admit({ ...request, publicKey, now });
  };

  return {
    checkAudience: ({ audience }) => checkAudience(audience, domain),
    async announce(announcement) {
      const admission = await admit(announcement);
      try {
        checkSignature(announcement);
      } catch (error) {
        if (admission?.lostByBadSignature) await admission.use(db);
        throw error;
      }
      await deps.usedSignatures.prepare();
      const first = await inTransaction(db, (transaction) => record(deps, transaction, { announcement, admission }));
      if (first) deps.metrics.count("devices_registered");
      return openSession(deps, announcement);
    },
  };
}

/** True if this made the device known. */
async function record(
  deps: AnnouncerDeps,
  transaction: Knex.Transaction,
  { announcement, admission }: { announcement: Announcement; admission: Admission | undefined },
): Promise<boolean> {
  const { request, signedText, prefixes, maxActive, now } = announcement;
  const deviceId = canonicalId(announcement);
  if (!(await deps.usedSignatures.use(transaction, { text: signedText, timestamp: request.timestamp }))) {
    throw new RelayError("CONFLICT", "this signed announcement has been used; sign one with another timestamp");
  }
  await admission?.use(transaction);
  const first =
    admission !== undefined &&
    (await deps.devices.register(transaction, { deviceId, publicKey: announcement.publicKey, now }));
  if (!(await deps.devices.takeAddresses(transaction, { deviceId, prefixes, maxActive, now }))) {
    // The device was removed for inactivity after it was found. It is now as any device that comes without a proof.
    throw new RelayError("INVALID_PROOF", "VDF proof required");
  }
  if (request.preferences) await deps.devices.setPreferences(transaction, deviceId, request.preferences);
  return first;
}

async function openSession(deps: AnnouncerDeps, announcement: Announcement): Promise<Session> {
  const sub = canonicalId(announcement);
  const { token, claims } = await deps.tokens.issue("device", {
    sub,
    authTime: await deps.sessions.beginning(sub),
    lifetimeSeconds: deps.config.deviceTokenSeconds,
  });
  if (announcement.request.revokeOthers) await deps.sessions.revokeOthers(sub, claims.sessionId);
  return { accessToken: token, expiresAt: claims.expiresAt };
}

function canonicalId({ known, publicKey }: Announcement): Device["deviceId"] {
  return known?.deviceId ?? deviceIdOf(publicKey);
}
