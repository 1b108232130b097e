import { readdir, readFile } from "node:fs/promises";

// Linux reports processor time in /proc (proc_pid_stat(5)); other systems have no such file.

/** Microseconds of processor time: of a server, of its database, and of the driver, which is this process. */
export interface Spent {
  server: number;
  database: number;
  driver: number;
}

/** A server whose processor time can be asked for, in microseconds so far: its own, and that of its database. */
export interface Metered {
  cpuMicros(): Promise<number>;
  databaseCpuMicros(): Promise<number>;
}

/** Measures processor time from now on. What measuring takes itself does not count for the driver. */
export async function meterOf(target: Metered): Promise<{ perMessage(messages: number): Promise<Spent> }> {
  const others = (): Promise<[number, number]> => Promise.all([target.cpuMicros(), target.databaseCpuMicros()]);
  const [server, database] = await others();
  const driver = ownCpuMicros();
  return {
    async perMessage(messages) {
      const ofDriver = ownCpuMicros() - driver;
      const [serverNow, databaseNow] = await others();
      const per = (micros: number): number => micros / Math.max(1, messages);
      return { server: per(serverNow - server), database: per(databaseNow - database), driver: per(ofDriver) };
    },
  };
}

function ownCpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Linux counts in units of 10 ms. */
const microsPerTick = 10_000;

/** Processor time of a process and its children, ended ones included, in microseconds; 0 if it cannot be read. */
export async function cpuMicrosOfFamily(pid: number): Promise<number> {
  const names = await readdir("/proc").catch(() => []);
  const stats = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readStat));
  let ticks = 0;
  for (const stat of stats) {
    if (stat === undefined) continue;
    if (stat.pid === pid) ticks += stat.ticks + stat.ticksOfEnded;
    else if (stat.parent === pid) ticks += stat.ticks;
  }
  return ticks * microsPerTick;
}

async function readStat(name: string) {
  const text = await readFile(`/proc/${name}/stat`, "latin1").catch(() => "");
  // The second field is a name in brackets, which may hold spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 15) return undefined;
  const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) => Number(fields[at])) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { pid: Number(name), parent, ticks: user + system, ticksOfEnded: endedUser + endedSystem };
}
