import type { Db, Transaction } from "../database/db.js";
import { ConfigError } from "../platform/config/variables.js";

/** The name of a database's relay, which addresses contain, and its public address. */
export interface ServerName {
  domain: string;
  baseUrl: string;
}

/** The name and address with which a relay last started on this database; undefined if none has. */
export async function readServerName(db: Db): Promise<ServerName | undefined> {
  return db.one<ServerName>(`select domain, base_url as "baseUrl" from server_name`);
}

/** Call within the transaction in which the node takes its place, so that no other node takes another name. */
export async function writeServerName(trx: Transaction, name: ServerName): Promise<void> {
  await trx.run(
    `insert into server_name (domain, base_url) values (:domain, :baseUrl)
     on conflict (one) do update set domain = excluded.domain, base_url = excluded.base_url`,
    { ...name },
  );
}

/** Every device would lose its addresses, and every token would be refused. */
export function refuseChangedDomain(known: string, domain: string): never {
  throw new ConfigError([
    `the relay's name would be ${domain} (DOMAIN, or localhost:<PORT> without it), but devices have addresses at ` +
      `${known} in this database, and would lose them: set DOMAIN=${known}. To give those addresses up, start once ` +
      "with `mls-relay serve --change-domain`",
  ]);
}
