import { siteKey } from "../addresses/network-key.js";

/**
 * Counts what each network address holds, with a limit. An IPv6 /64 counts for its /48, too, which may hold a multiple:
 * the owner of one /48 has 65,536 /64s.
 */
export class NetworkCounts {
  readonly #limit: number;
  readonly #siteFactor: number;
  readonly #counts = new Map<string, number>();

  constructor({ limit, siteFactor }: { limit: number; siteFactor: number }) {
    this.#limit = limit;
    this.#siteFactor = siteFactor;
  }

  /** Counts one more for the address (as `networkKey` names it), or returns the limit that is reached. */
  enter(network: string): number | undefined {
    const site = siteKey(network);
    const limitOfSite = this.#limit * this.#siteFactor;
    if (this.#countOf(network) >= this.#limit) return this.#limit;
    if (site !== undefined && this.#countOf(site) >= limitOfSite) return limitOfSite;
    this.#change(network, 1);
    if (site !== undefined) this.#change(site, 1);
    return undefined;
  }

  /** Call this once for each that entered. */
  leave(network: string): void {
    this.#change(network, -1);
    const site = siteKey(network);
    if (site !== undefined) this.#change(site, -1);
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #change(key: string, by: number): void {
    const count = this.#countOf(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
