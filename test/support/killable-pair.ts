import type { Constants } from "../../src/composition/config.js";
import { migrate } from "../../src/database/migrations/migrate.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { ask, createFolder, serverPid, startEmbedded } from "./embedded.js";
import { type KillableRelay, startKillableRelay } from "./killable-relay.js";
import { createPeerFixture, type PeerRelay } from "./peers.js";
import { startTcpProxy } from "./tcp-proxy.js";
import { until } from "./until.js";

/** A relay in a process of its own. `url` is a door that stays when the process is started again. */
interface KillablePlace extends PeerRelay {
  /** Kills the relay's process and starts another one. */
  restart(): Promise<void>;
  /** Kills the relay's database, which is started again. Without a database of its own, the relay has none to kill. */
  killDatabase?(): Promise<void>;
}

interface KillablePair {
  places: [KillablePlace, KillablePlace];
  stop(): Promise<void>;
}

/** Limits that many commits at once do not reach. */
const env = {
  SLOT_READS_PER_IP_HOUR: "1000000",
  FEDERATION_SLOTS_PER_MINUTE: "1000000",
  FEDERATION_SLOT_READS_PER_MINUTE: "1000000",
};
const constants: Constants = {
  newTierSlotsPerHour: 100_000,
  newTierPeerSlotsPerHour: 100_000,
  newTierSlotBytesPerHour: 2 ** 30,
  newTierPeerSlotBytesPerHour: 2 ** 30,
  peerSlotReadsPerIpMinute: 1_000_000,
};

/** Two relays that federate. The first `databases` of them have an own PostgreSQL each, which can be killed. */
export async function startKillablePair({ databases }: { databases: 1 | 2 }): Promise<KillablePair> {
  const endings: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const end of endings.reverse()) await end();
  };
  try {
    const fixture = await createPeerFixture();
    endings.push(() => fixture.stop());
    const start = async (at: number): Promise<KillablePlace> => {
      const database = at < databases ? await startKillableDatabase() : undefined;
      if (database !== undefined) endings.push(database.stop);
      const killable = await startKillableRelay(fixture, {
        env,
        constants,
        ...(database && { databaseUrl: database.url }),
      });
      endings.push(() => killable.stop());
      const place = await placeOf(killable);
      endings.push(place.stop);
      return { ...place, ...(database && { killDatabase: database.kill }) };
    };
    return { places: [await start(0), await start(1)], stop };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

async function placeOf(killable: KillableRelay): Promise<KillablePlace> {
  const portOf = () => Number(new URL(killable.relay.url).port);
  const door = await startTcpProxy(portOf());
  const { relay, proxy } = killable;
  return {
    ...relay,
    url: `http://127.0.0.1:${door.port}`,
    domain: relay.config.domain,
    proxy,
    async restart() {
      await killable.kill();
      await killable.start();
      door.target.port = portOf();
    },
    stop: () => door.stop(),
  };
}

async function startKillableDatabase() {
  const place = await createFolder(0o711);
  const postgres = await startEmbedded(place.folder);
  const db = createDatabase({ url: postgres.url, poolSize: 1 });
  await migrate(db);
  await db.close();
  return {
    url: postgres.url,
    async kill() {
      const pid = (await serverPid(place.folder)) ?? 0;
      process.kill(pid, "SIGKILL");
      // The one that holds a share in it starts it again.
      await until(async () => {
        const [answer] = await ask<{ up: number }>(postgres.url, "select 1 as up").catch(() => []);
        return answer?.up === 1 && (await serverPid(place.folder)) !== pid;
      }, "PostgreSQL is up again");
    },
    async stop() {
      await postgres.stop();
      await place.remove();
    },
  };
}
