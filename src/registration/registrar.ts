import type { AuthSettings } from "../auth/config.js";
import type { Sessions } from "../auth/ended-sessions.js";
import { verifySignature } from "../auth/signature-check.js";
import type { Tokens } from "../auth/tokens.js";
import type { UsedSignatures } from "../auth/used-signatures.js";
import type { Database, Transaction } from "../database/db.js";
import type { AnnouncedPrefix, Device, DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import { RelayError } from "../protocol/errors.js";
import { deviceIdOf } from "../protocol/identifiers.js";
import { checkAudience, invalidSignature } from "../protocol/signed-request.js";
import type { SignedTextForm } from "../protocol/signed-text.js";
import { checkTimestamp, type TimestampWindow } from "../protocol/timestamp-window.js";
import type { RegistrationPolicy } from "./registration-policy.js";
import type { AnnouncementRequest, RegistrationGrant, Session } from "./types.js";

/** An announcement of either flow, parsed. */
interface Announcement {
  request: AnnouncementRequest;
  /** The device, if it is known here. Its stored key is then the only one that counts. */
  known: Device | undefined;
  /** The key of a device that is not known. */
  publicKey: Uint8Array;
  signed: { form: SignedTextForm; text: string };
  prefixes: readonly AnnouncedPrefix[];
  maxActive: number;
  now: number;
}

interface RegistrarDeps {
  db: Database;
  clock: Clock;
  domain: string;
  policy: RegistrationPolicy;
  devices: Pick<DevicesService, "register" | "takeAddresses" | "setPreferences">;
  tokens: Pick<Tokens, "issue">;
  sessions: Pick<Sessions, "beginning" | "revokeOthers">;
  usedSignatures: Pick<UsedSignatures, "prepare" | "use">;
  metrics: Pick<MetricsService, "count">;
  config: TimestampWindow & Pick<AuthSettings, "deviceTokenSeconds">;
}

/**
 * Processes an announcement in the order of the specification: first the registration policy, for an unknown device;
 * then signature and timestamp; then one short transaction that uses up the grant, adds the device and takes the
 * addresses. A device that fails on its own limits or on a taken prefix therefore keeps its proof or invite, and one
 * that fails on its signature loses the proof. If a device announces itself twice at once, the second announcement
 * finds it known. A device that is removed for inactivity at the same moment is registered again, under the policy.
 *
 * A signed text is valid for one token, so an eavesdropper cannot use it to get another. The same transaction uses it
 * up, so an announcement that was refused can be sent again unchanged. A client that lost the response signs a new one.
 */
export function createRegistrar(deps: RegistrarDeps) {
  const { db, policy, domain, config } = deps;

  const checkSignature = (announcement: Announcement): void => {
    const { request, known, now } = announcement;
    const key = known?.publicKey ?? announcement.publicKey;
    if (!verifySignature(key, announcement.signed.text, request.signature)) {
      throw invalidSignature(announcement.signed.form);
    }
    checkTimestamp(request.timestamp, now, config);
  };
  const admit = async (announcement: Announcement): Promise<RegistrationGrant | undefined> => {
    const { request, known, publicKey, now } = announcement;
    return known ? undefined : policy.admit({ ...request, publicKey, now });
  };

  const announce = async (announcement: Announcement): Promise<Session> => {
    const grant = await admit(announcement);
    try {
      checkSignature(announcement);
    } catch (error) {
      if (grant?.lostByBadSignature) await grant.use(db);
      throw error;
    }
    await deps.usedSignatures.prepare();
    const first = await db.transaction((transaction) => record(deps, transaction, { announcement, grant }));
    if (first) deps.metrics.count("devices_registered");
    return openSession(deps, announcement);
  };

  return {
    /** Throws INVALID_REQUEST if the request names another audience than this server. */
    checkAudience: ({ audience }: Pick<AnnouncementRequest, "audience">): void => checkAudience(audience, domain),
    /** Takes the addresses, registers an unknown device, and opens a session. */
    async announce(announcement: Announcement): Promise<Session> {
      try {
        return await announce(announcement);
      } catch (error) {
        if (!(error instanceof DeviceRemovedError)) throw error;
        return announce({ ...announcement, known: undefined });
      }
    },
  };
}

/** The device was removed for inactivity after the announcement had found it. */
class DeviceRemovedError extends Error {}

/** Stores the announcement; true if it registered the device. Throws {@link DeviceRemovedError}. */
async function record(
  deps: RegistrarDeps,
  transaction: Transaction,
  { announcement, grant }: { announcement: Announcement; grant: RegistrationGrant | undefined },
): Promise<boolean> {
  const { request, signed, prefixes, maxActive, now } = announcement;
  const deviceId = canonicalId(announcement);
  if (!(await deps.usedSignatures.use(transaction, { text: signed.text, timestamp: request.timestamp }))) {
    throw new RelayError("CONFLICT", "this signed announcement was used before; sign again with a newer timestamp");
  }
  await grant?.use(transaction);
  const first =
    grant !== undefined &&
    (await deps.devices.register(transaction, { deviceId, publicKey: announcement.publicKey, now }));
  if (
    !(await deps.devices.takeAddresses(transaction, { deviceId, prefixes, maxActive, now, observer: request.observer }))
  ) {
    throw new DeviceRemovedError();
  }
  if (request.preferences) await deps.devices.setPreferences(transaction, deviceId, request.preferences);
  return first;
}

async function openSession(deps: RegistrarDeps, announcement: Announcement): Promise<Session> {
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
