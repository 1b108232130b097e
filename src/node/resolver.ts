import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import { createLruCache } from "../platform/lru-cache.js";
import type { Clock } from "./clock.js";
import type { NodeSettings } from "./config.js";
import { createHostsFile, type HostAddress, type HostsFile } from "./hosts-file.js";

export type { HostAddress } from "./hosts-file.js";

/** All addresses of a host name; rejects if it has none. Passed in so that tests can replace it. */
export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

interface ResolverDeps {
  clock: Pick<Clock, "nowMillis">;
  config: Pick<NodeSettings, "dnsServers" | "dnsTimeoutSeconds" | "dnsFailureCacheSeconds" | "dnsConcurrentLookups">;
  /** By default the machine's hosts file. */
  hostsFile?: HostsFile;
}

const rememberedNames = 10_000;
const attempts = 3;

/**
 * Asks the hosts file, then DNS, without using a thread: a name whose servers are silent costs a socket and a timer,
 * not one of the process's few threads. Concurrent callers for one name share one lookup, and failures are cached. The
 * number of lookups in progress is bounded, and names that have never resolved get at most half of it, so invented
 * names do not delay names that are known to exist. Beyond the bound, lookups are refused at once.
 */
export function createResolver({ clock, config, hostsFile = createHostsFile() }: ResolverDeps) {
  const running = new Map<string, Promise<readonly HostAddress[]>>();
  const failures = createLruCache<string, { until: number; error: unknown }>(rememberedNames);
  const resolved = createLruCache<string, true>(rememberedNames);
  const channels = new Set<Resolver>();
  let stopped = false;
  let unknownRunning = 0;

  const reserve = (isKnown: boolean): void => {
    const max = config.dnsConcurrentLookups;
    const isFull = running.size >= max || (!isKnown && unknownRunning >= Math.ceil(max / 2));
    if (isFull) throw new Error("too many names are being looked up");
  };
  const remember = (host: string, error: unknown): void => {
    failures.set(host, { until: clock.nowMillis() + config.dnsFailureCacheSeconds * 1000, error });
  };
  /** Each lookup opens a new channel, which reads /etc/resolv.conf again and can be cancelled separately. */
  const ask = async (host: string): Promise<HostAddress[]> => {
    if (stopped) throw new Error("the resolver has been stopped");
    const millis = config.dnsTimeoutSeconds * 1000;
    const dns = new Resolver({ timeout: Math.ceil(millis / attempts), tries: attempts });
    if (config.dnsServers.length > 0) dns.setServers(config.dnsServers);
    channels.add(dns);
    const deadline = setTimeout(() => dns.cancel(), millis);
    try {
      return await addressesBy(dns, host);
    } finally {
      clearTimeout(deadline);
      channels.delete(dns);
    }
  };
  const look = async (host: string, isKnown: boolean): Promise<readonly HostAddress[]> => {
    unknownRunning += isKnown ? 0 : 1;
    try {
      const found = await ask(host);
      resolved.set(host, true);
      failures.delete(host);
      return found;
    } catch (error) {
      remember(host, error);
      throw error;
    } finally {
      unknownRunning -= isKnown ? 0 : 1;
      running.delete(host);
    }
  };

  const resolve: Resolve = async (name) => {
    const host = name.toLowerCase().replace(/\.$/, "");
    const local = await hostsFile.addressesOf(host);
    if (local.length > 0) return local;
    const shared = running.get(host);
    if (shared !== undefined) return shared;
    const failed = failures.get(host);
    if (failed !== undefined && clock.nowMillis() < failed.until) throw failed.error;
    const isKnown = resolved.has(host);
    reserve(isKnown);
    const looking = look(host, isKnown);
    running.set(host, looking);
    return looking;
  };

  return {
    resolve,
    /** Cancels the lookups in progress; they reject. */
    stop(): void {
      stopped = true;
      for (const dns of channels) dns.cancel();
    },
  };
}

/** Asks for both families at once; if one does not answer in time, the other is used. */
async function addressesBy(dns: Resolver, host: string): Promise<HostAddress[]> {
  const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found.map((address) => ({ address, family: isIP(address) }));
  throw new Error("the name has no address", { cause: answers.find(isRejected)?.reason });
}

function isRejected(answer: PromiseSettledResult<unknown>): answer is PromiseRejectedResult {
  return answer.status === "rejected";
}
