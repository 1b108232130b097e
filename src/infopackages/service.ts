import { createHash, timingSafeEqual } from "node:crypto";
import { blake3 } from "@noble/hashes/blake3.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Db } from "../database/db.js";
import type { LimitRequest, LimitSubject } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Random } from "../platform/random.js";
import { encodeHex } from "../protocol/encodings.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { SettingsService } from "../settings/service.js";
import { recomputeBalance, takeSpace } from "./anonymous-space.js";
import type { InfoPackageSettings } from "./config.js";
import { removeExpired } from "./expiry.js";
import { checkLifetime, type LifetimeConfig } from "./lifetime.js";
import { checkSize, uploadLimits } from "./limits.js";
import {
  type Download,
  type Kind,
  type PackageType,
  packageNotFound,
  packageRowBytes,
  type StoredPackage,
  type Terms,
} from "./package.js";
import { displayNameOf, encryptContent } from "./plain-package.js";
import {
  deleteOfDevices,
  deletePackage,
  type Found,
  findPackage,
  insertPackage,
  type PackageKey,
  useUpSome,
} from "./store.js";
import { checkMaxUses, type UsesConfig, usePackage } from "./uses.js";

export { scheduleInfoPackagesJobs } from "./expiry.js";
export type { Download, Kind, PackageType, Terms } from "./package.js";

/** A package that was stored. */
interface Uploaded extends Pick<Terms, "maxUses"> {
  segment: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** Small encrypted documents behind a URL that can be shared. Three kinds share one set of rules. */
export type InfoPackagesService = ReturnType<typeof createInfoPackagesService>;

interface InfoPackagesDeps {
  db: Database;
  clock: Clock;
  random: Random;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  rateLimiter: Pick<RateLimiter, "count" | "prepareIp">;
  config: LifetimeConfig &
    UsesConfig &
    Pick<InfoPackageSettings, "infoPackageBytes" | "infoPackageAnonymousBytes"> &
    Pick<NodeSettings, "expiryStepRows">;
}

const segmentBytes = 16;
const tokenBytes = 32;

export function createInfoPackagesService(deps: InfoPackagesDeps) {
  const { db, clock, random, settings, metrics, config } = deps;
  const { keep, revoke } = createStorage(deps);
  /** Counts an upload in the caller's transaction. Throws INFOPACKAGE_RATE_LIMIT, and does not count a refused upload. */
  const countUpload = (trx: Db, uploader: LimitSubject, observer: LimitObserver | undefined): Promise<void> =>
    deps.rateLimiter.count(trx, uploadLimits(uploader, settings.current()), observer);
  const hexSegment = (): string => encodeHex(random.bytes(segmentBytes));

  return {
    /** Stores a package that a device encrypted. Throws INVALID_CONFIG, MESSAGE_TOO_LARGE or INFOPACKAGE_RATE_LIMIT. */
    uploadSealed(
      uploader: string,
      { ciphertext, packageType, ...terms }: Terms & { ciphertext: Uint8Array; packageType: PackageType },
      observer?: LimitObserver,
    ): Promise<Uploaded> {
      const draft = { segment: random.uuid(), kind: "sealed", ciphertext, packageType, uploader, terms } as const;
      return keep({ ...draft, ...owned }, (trx) => countUpload(trx, { ids: [uploader] }, observer));
    },
    /**
     * Stores a package of an anonymous uploader. Only this result contains the revocation token (64 hex digits). Also throws
     * QUEUE_FULL if all such packages together would take too much space.
     */
    async uploadRevocable(
      ip: string,
      { ciphertext, ...terms }: Terms & { ciphertext: Uint8Array },
      observer?: LimitObserver,
    ): Promise<Uploaded & { revocationToken: string }> {
      const token = random.bytes(tokenBytes);
      const draft = { segment: hexSegment(), kind: "revocable", ciphertext, packageType: null, terms } as const;
      // The hash's key may have to be read from the database. That must not happen inside the transaction, which holds a
      // connection already.
      await deps.rateLimiter.prepareIp();
      const chargedBytes = packageRowBytes + ciphertext.length;
      const kept = await keep(
        { ...draft, uploader: null, revocationHash: blake3(token), chargedBytes },
        async (trx) => {
          await countUpload(trx, { ip }, observer);
          await takeSpace(trx, chargedBytes, config);
        },
      );
      return { ...kept, revocationToken: encodeHex(token) };
    },
    /** Encrypts and stores a package. Only this result contains the key (64 hex digits). */
    async uploadPlain(
      uploader: string,
      {
        content,
        packageType,
        ...terms
      }: Terms & { content: Readonly<Record<string, unknown>>; packageType: PackageType },
      observer?: LimitObserver,
    ): Promise<Uploaded & { key: string; displayName: string }> {
      const { ciphertext, key } = encryptContent(content, random);
      const draft = { segment: hexSegment(), kind: "plain", ciphertext, packageType, uploader, terms } as const;
      const kept = await keep({ ...draft, ...owned }, (trx) => countUpload(trx, { ids: [uploader] }, observer));
      return { ...kept, key, displayName: displayNameOf(content) };
    },
    /** Takes one use, but none for a download (16 bytes) that has taken one. Throws NOT_FOUND or INFOPACKAGE_EXHAUSTED. */
    async download(kind: Kind, segment: string, id?: Uint8Array): Promise<Download> {
      const download = id === undefined ? undefined : createHash("sha256").update(id).digest();
      const taken = await usePackage(db, { kind, segment, download, now: clock.nowSeconds() });
      metrics.count("info_packages_downloaded");
      return taken;
    },
    /** Deletes a package on behalf of its uploader; returns when (Unix seconds). Throws NOT_FOUND or UNAUTHORIZED. */
    revokeAsUploader: (kind: "sealed" | "plain", segment: string, uploader: string): Promise<number> =>
      revoke(
        { kind, segment },
        (found) => found.uploader === uploader,
        "only the uploader may revoke the info package",
      ),
    /** Deletes a package on behalf of the holder of its token (32 bytes). Returns and throws likewise. */
    revokeByToken: (segment: string, token: Uint8Array): Promise<number> =>
      revoke(
        { kind: "revocable", segment },
        (found) => isHashOf(found.revocationHash, token),
        "wrong revocation token",
      ),
    /** Deletes expired packages; returns how many. */
    removeExpired: (): Promise<number> => removeExpired(deps),
    /** The limits of a device's uploads. */
    limitsOf: ({ deviceId }: { deviceId: string }): LimitRequest[] =>
      uploadLimits({ ids: [deviceId] }, settings.current()),
    /** Deletes the packages that devices uploaded, in the caller's transaction. */
    forgetDevices: deleteOfDevices,
  };
}

/** Uses up all limited packages of a restored database: their uses may have been taken after the backup was made. */
export async function voidLimitedPackages(db: Db): Promise<void> {
  await inBoundedSteps(voidedPerStep, (limit) => useUpSome(db, limit));
  await recomputeBalance(db);
}

const voidedPerStep = 1_000;
/** The members of a package that a device uploads. */
const owned = { revocationHash: null, chargedBytes: 0 } as const;

/** Storing and revoking, which are the same for all three kinds. */
function createStorage({ db, clock, metrics, config }: InfoPackagesDeps) {
  const keep = async (
    draft: Omit<StoredPackage, "createdAt" | "expiresAt" | "maxUses"> & { terms: Terms },
    count: (trx: Db) => Promise<void>,
  ): Promise<Uploaded> => {
    const { terms, ...rest } = draft;
    checkLifetime(terms.ttlSeconds, config);
    checkMaxUses(terms.maxUses, config);
    checkSize(rest.ciphertext.length, config);
    const createdAt = clock.nowSeconds();
    const stored = { ...rest, createdAt, expiresAt: createdAt + terms.ttlSeconds, maxUses: terms.maxUses };
    await db.transaction(async (trx) => {
      await count(trx);
      await insertPackage(trx, stored);
    });
    metrics.count("info_packages_uploaded");
    return { segment: stored.segment, expiresAt: stored.expiresAt, maxUses: stored.maxUses };
  };

  const revoke = async (key: PackageKey, isAllowed: (found: Found) => boolean, refusal: string): Promise<number> => {
    const now = clock.nowSeconds();
    const found = await findPackage(db, key);
    if (found === undefined || !isActive(found, now)) throw packageNotFound();
    if (!isAllowed(found)) throw new RelayError("UNAUTHORIZED", refusal);
    if (!(await deletePackage(db, { ...key, now }))) throw packageNotFound();
    return now;
  };

  return { keep, revoke };
}

function isActive(found: Found, now: number): boolean {
  return found.ciphertext !== null && found.usesRemaining !== 0 && found.expiresAt > now;
}

/** Compares in constant time, so that the response time does not reveal how much of a token was right. */
function isHashOf(hash: Uint8Array | null, token: Uint8Array): boolean {
  return hash !== null && timingSafeEqual(hash, blake3(token));
}
