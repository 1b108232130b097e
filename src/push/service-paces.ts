import { createLruCache } from "../platform/lru-cache.js";

interface PaceSettings {
  /** A service that takes longer for an answer is slow. */
  quickMillis: number;
  /** For how long it is. */
  slowSeconds: number;
  /** Pushes that the node sends at once. */
  atOnce: number;
}

interface Pace {
  /** Whether it has taken a push in time. */
  hasTaken: boolean;
  /** In milliseconds; later answers in time do not shorten it. */
  slowUntil: number;
}

/** Of one push, from when it is taken until it is recorded. */
export interface PushPlace {
  /** The service is asked. Call what is returned once it has answered or failed, with whether it has taken the push. */
  asks(now: number): (isTaken: boolean, now: number) => void;
  leave(): void;
}

const servicesRemembered = 10_000;

/**
 * Which push services answer quickly. A device may name any host as its push service, and one owner may have any number
 * of hosts, so a limit for each is no limit for all: half of the places are kept for services that are known as quick.
 */
export class ServicePaces {
  readonly #settings: PaceSettings;
  readonly #paces = createLruCache<string, Pace>(servicesRemembered);
  /** Null until the service is asked. */
  readonly #underway = new Set<{ service: string; askedAt: number | null }>();

  constructor(settings: PaceSettings) {
    this.#settings = settings;
  }

  enter(service: string): PushPlace {
    const push: { service: string; askedAt: number | null } = { service, askedAt: null };
    this.#underway.add(push);
    return {
      asks: (askedAt) => {
        push.askedAt = askedAt;
        return (isTaken, now) => {
          push.askedAt = null;
          if (this.#isLate(askedAt, now)) this.#noteLate(service, now);
          else if (isTaken) this.#change(service, { hasTaken: true });
        };
      },
      leave: () => void this.#underway.delete(push),
    };
  }

  /** The services that are known as quick. */
  quick(now: number): string[] {
    this.#noteUnderway(now);
    return [...this.#paces.keys()].filter((service) => this.#isQuick(service, now)).sort();
  }

  /** Pushes that services which are not known as quick may have at once. */
  get places(): number {
    return Math.ceil(this.#settings.atOnce / 2);
  }

  /** How many pushes may begin of services that are not known as quick. */
  placesOfOthers(now: number): number {
    this.#noteUnderway(now);
    const taken = [...this.#underway].filter(({ service }) => !this.#isQuick(service, now)).length;
    return Math.max(0, this.places - taken);
  }

  #noteUnderway(now: number): void {
    for (const { service, askedAt } of this.#underway) if (this.#isLate(askedAt, now)) this.#noteLate(service, now);
  }

  #isLate(askedAt: number | null, now: number): boolean {
    return askedAt !== null && now - askedAt > this.#settings.quickMillis;
  }

  #noteLate(service: string, now: number): void {
    this.#change(service, { slowUntil: now + this.#settings.slowSeconds * 1000 });
  }

  #isQuick(service: string, now: number): boolean {
    const pace = this.#paces.peek(service);
    return pace?.hasTaken === true && pace.slowUntil <= now;
  }

  #change(service: string, change: Partial<Pace>): void {
    const known = this.#paces.get(service) ?? { hasTaken: false, slowUntil: Number.NEGATIVE_INFINITY };
    this.#paces.set(service, { ...known, ...change });
  }
}
