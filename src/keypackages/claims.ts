import type { Database } from "../database/db.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { FederationService } from "../federation/service.js";
import { refuseBarred } from "../limits/barred.js";
import { type LimitRequest, limitError } from "../limits/limit-request.js";
import type { RateLimiter } from "../limits/rate-limiter.js";
import type { Clock } from "../node/clock.js";
import type { Random } from "../platform/random.js";
import { comparedDomain, parseAddress } from "../protocol/address.js";
import { invalidMember, RelayError } from "../protocol/errors.js";
import type { Prefix } from "../protocol/identifiers.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { isNewDevice } from "../protocol/trust-tier.js";
import type { SettingsService } from "../settings/service.js";
import { type ClaimedPackage, type ClaimId, claimExpiry, createClaimId } from "./claim-id.js";
import { beginClaim, finishClaim, readClaim } from "./claim-store.js";
import type { KeyPackageSettings } from "./config.js";
import { countClaim, type TargetLimits } from "./last-resort.js";
import { claimedLimit, claimLimit, fetchLimits, peerClaimLimit, peerTargetLimit, relayClaimLimits } from "./limits.js";
import { type ClaimOutcome, comparedAddress, readPeerClaims } from "./peer-claims.js";
import { type TakenPackage, takeKeyPackageFor } from "./take-package.js";

/** A claim of a device. */
interface ClaimRequest {
  /** 32 secret bytes. */
  claimId: Uint8Array;
  /** As they were sent, in the contract's form. */
  addresses: readonly string[];
}

/** A claim of another relay. */
interface PeerClaimRequest extends ClaimRequest {
  /** The domain that the token was issued to. */
  caller: string;
  originHeader: string;
  originServer: string;
}

export interface ClaimsDeps {
  db: Database;
  clock: Clock;
  random: Random;
  domain: string;
  settings: Pick<SettingsService, "current">;
  devices: Pick<DevicesService, "activeHolderOf">;
  rateLimiter: Pick<RateLimiter, "count" | "take" | "giveBack">;
  federation: Pick<FederationService, "admitRequest" | "askForKeyPackages">;
  config: KeyPackageSettings & {
    readonly federationAllowPrivate: boolean;
  };
  /** The registered device behind a token. Throws INVALID_TOKEN. */
  findCaller(deviceId: string): Promise<Device>;
  /** Is notified of a package that was given out. */
  given(targetId: string, taken: TakenPackage): void;
  /** Is notified that a device had no package. */
  missed(): void;
}

interface OwnClaim {
  id: ClaimId;
  prefix: Prefix;
  limitsFor(targetId: string): Omit<TargetLimits, "ofTarget">;
}

/** What a single address may be refused with; other errors end the request, which can be repeated. */
const refusals: ReadonlySet<string> = new Set([
  "ADDRESS_NOT_FOUND",
  "NO_KEY_PACKAGES",
  "RATE_LIMIT_EXCEEDED",
  "INVALID_ADDRESS",
  "FEDERATION_FAILED",
  "FEDERATION_DISABLED",
  "PEER_UNAVAILABLE",
]);

/** Key packages by address, here and at other relays. The outcomes are in the order of the addresses. */
export class Claims {
  private readonly deps: ClaimsDeps;

  constructor(deps: ClaimsDeps) {
    this.deps = deps;
  }

  /** Throws INVALID_REQUEST for too many relays, RATE_LIMIT_EXCEEDED, or INVALID_TOKEN. */
  async claim(
    callerId: string,
    { claimId, addresses }: ClaimRequest,
    observer?: LimitObserver,
  ): Promise<ClaimOutcome[]> {
    const { db, clock, random, rateLimiter, settings, config } = this.deps;
    const device = await this.deps.findCaller(callerId);
    const now = clock.nowSeconds();
    const claimant = { deviceId: callerId, isNew: isNewDevice(device, { now, settings: settings.current() }) };
    refuseBarred("key_package_fetches", { device, now }, observer);
    const places = addresses.map((address) => this.locate(address));
    const relays = new Set(places.flatMap((place) => place?.relay ?? []));
    if (relays.size > config.relaysPerClaim)
      throw invalidMember("addresses", `must be of at most ${config.relaysPerClaim} other relays`);
    await rateLimiter.count(db, [claimLimit(claimant, addresses.length, config)], observer);

    const id = createClaimId(claimId, callerId, random);
    const limitsFor = (targetId: string) => {
      const { all, ofTarget } = fetchLimits(claimant, targetId, config);
      return { ofClaimant: [all], ofPair: ofTarget };
    };
    const limitsAt = (relay: string) => (spelled: string) =>
      relayClaimLimits(claimant, { claim: id.forRelay(relay), address: comparedAddress(spelled) }, config);
    const outcomes = new Array<ClaimOutcome>(addresses.length).fill(malformed());
    const fill = async (relay: string | undefined): Promise<void> => {
      const at = [...places.keys()].filter((i) => places[i] !== undefined && places[i].relay === relay);
      const found =
        relay === undefined
          ? await this.claimAllOwn(at.map((i) => ({ id, prefix: places[i]?.prefix as Prefix, limitsFor })))
          : await this.claimAt(
              relay,
              at.map((i) => addresses[i] as string),
              { id, limitsOf: limitsAt(relay) },
            );
      for (const [n, i] of at.entries()) outcomes[i] = found[n] as ClaimOutcome;
    };
    await Promise.all([undefined, ...relays].map(fill));
    return outcomes;
  }

  /** Throws what the contract lists. */
  async claimForPeer(
    { claimId, addresses, ...caller }: PeerClaimRequest,
    observer?: LimitObserver,
  ): Promise<ClaimOutcome[]> {
    const { db, random, rateLimiter, federation, config } = this.deps;
    const origin = await federation.admitRequest(caller);
    await rateLimiter.count(db, [peerClaimLimit(origin, addresses.length, config)], observer);
    const id = createClaimId(claimId, comparedDomain(caller.originServer), random);
    const limitsFor = (targetId: string) => ({
      ofClaimant: [],
      ofPair: peerTargetLimit(origin, targetId, config),
    });
    const outcomes: ClaimOutcome[] = [];
    for (const place of addresses.map((address) => this.locate(address))) {
      if (place === undefined) outcomes.push(malformed());
      else if (place.relay !== undefined) outcomes.push(foreign());
      else outcomes.push(...(await this.claimAllOwn([{ id, prefix: place.prefix, limitsFor }])));
    }
    return outcomes;
  }

  /** The prefix of an address of this relay, or the domain of another one. */
  private locate(text: string): { prefix: Prefix; relay: string | undefined } | undefined {
    const { domain: own, config } = this.deps;
    const address = parseAddress(text, { ownDomain: own, privateAllowed: config.federationAllowPrivate });
    if (address === undefined) return undefined;
    const { prefix, domain } = address;
    return { prefix, relay: comparedDomain(domain) === comparedDomain(own) ? undefined : domain };
  }

  /** Takes a package in one transaction with the answer, or returns the answer that a concurrent request has stored. */
  private answer(targetId: string, { id, prefix, limitsFor }: OwnClaim): Promise<TakenPackage | ClaimedPackage> {
    const { db, clock, rateLimiter, config } = this.deps;
    return db.transaction(async (trx) => {
      const now = clock.nowSeconds();
      const { name, seal, open } = id.answerFor(prefix);
      if (!(await beginClaim(trx, { claim: name, now, expiresAt: claimExpiry(now) }))) {
        const sealed = await readClaim(trx, { claim: name, now });
        if (sealed !== undefined) return open(sealed);
      }
      const limits = { ...limitsFor(targetId), ofTarget: claimedLimit(targetId, config) };
      const sparing = await countClaim(trx, rateLimiter, limits);
      const taken = await takeKeyPackageFor(trx, { deviceId: targetId, prefix, now }, sparing);
      await finishClaim(trx, { claim: name, sealed: seal(taken) });
      return taken;
    });
  }

  private async claimOwn(claim: OwnClaim): Promise<ClaimedPackage> {
    const { db, clock, devices, given } = this.deps;
    const now = clock.nowSeconds();
    const { name, open } = claim.id.answerFor(claim.prefix);
    const known = await readClaim(db, { claim: name, now });
    if (known !== undefined) return open(known);
    const targetId = await devices.activeHolderOf(db, claim.prefix, now);
    if (targetId === undefined) throw new RelayError("ADDRESS_NOT_FOUND", "nobody has this address");
    const taken = await this.answer(targetId, claim);
    if ("remaining" in taken) given(targetId, taken);
    return taken;
  }

  /** One after the other: the limits of the claimant are rows that its transactions would wait for anyway. */
  private async claimAllOwn(claims: readonly OwnClaim[]): Promise<ClaimOutcome[]> {
    const outcomes: ClaimOutcome[] = [];
    for (const claim of claims) outcomes.push(await orRefusal(this.claimOwn(claim)));
    for (const outcome of outcomes)
      if (outcome instanceof RelayError && outcome.id === "NO_KEY_PACKAGES") this.deps.missed();
    return outcomes;
  }

  private async askFor(relay: string, addresses: readonly string[], id: ClaimId): Promise<ClaimOutcome[]> {
    const { federation, clock, config } = this.deps;
    if (addresses.length === 0) return [];
    const asked = federation
      .askForKeyPackages(relay, { claim_id: id.forRelay(relay), addresses })
      .then((said) => readPeerClaims(said, { addresses, nowMillis: clock.nowMillis(), size: config }));
    const outcomes = await orRefusal(asked);
    return outcomes instanceof RelayError ? addresses.map(() => outcomes) : outcomes;
  }

  /**
   * Asks for the addresses of which the device has not claimed too many packages. Neither repetitions nor addresses without a
   * package count.
   */
  private async claimAt(
    relay: string,
    addresses: readonly string[],
    { id, limitsOf }: { id: ClaimId; limitsOf(address: string): { once: LimitRequest; share: LimitRequest } },
  ): Promise<ClaimOutcome[]> {
    const { db, rateLimiter } = this.deps;
    const refusals = new Map<string, RelayError>();
    const counted = new Map<string, LimitRequest[]>();
    for (const address of new Set(addresses)) {
      const { once, share } = limitsOf(address);
      if ((await rateLimiter.take(db, [once])).refused !== undefined) continue;
      const { refused, now } = await rateLimiter.take(db, [share]);
      if (refused === undefined) counted.set(address, [once, share]);
      else {
        refusals.set(address, limitError(refused, now));
        await rateLimiter.giveBack(db, [once]);
      }
    }
    const asked = addresses.filter((address) => !refusals.has(address));
    const outcomes = await this.askFor(relay, asked, id);
    const inVain = new Set(asked.filter((_, i) => outcomes[i] instanceof RelayError));
    await rateLimiter.giveBack(
      db,
      [...inVain].flatMap((address) => counted.get(address) ?? []),
    );
    const rest = [...outcomes];
    return addresses.map((address) => refusals.get(address) ?? (rest.shift() as ClaimOutcome));
  }
}

async function orRefusal<T>(claiming: Promise<T>): Promise<T | RelayError> {
  return claiming.catch((error: unknown) => {
    if (error instanceof RelayError && refusals.has(error.id)) return error;
    throw error;
  });
}

function malformed(): RelayError {
  return new RelayError("INVALID_ADDRESS", "this is not a delivery address");
}

function foreign(): RelayError {
  return new RelayError("ADDRESS_NOT_FOUND", "this is an address of another relay");
}
