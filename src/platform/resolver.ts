import { lookup } from "node:dns/promises";

/** An address that a name resolves to. */
export interface HostAddress {
  address: string;
  /** 4 or 6. */
  family: number;
}

/** All addresses of a host name; rejects where it has none. Passed in so that tests can choose them. */
export type Resolve = (host: string) => Promise<readonly HostAddress[]>;

/** The system's resolver, with its hosts file. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });
