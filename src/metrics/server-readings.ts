import type { ReadingName } from "./names.js";

/** A value with its labels. */
export type Labelled = [labels: Readonly<Record<string, string>>, value: number];

export type ServerReadings = Readonly<Record<ReadingName, readonly Labelled[]>>;

/** What other modules report about the whole server whenever metrics are exported. */
export interface ServerReadingSources {
  /** Registers values that are read for every export; a later call with the same name replaces the earlier one. */
  provide(name: ReadingName, read: () => Promise<readonly Labelled[]>): void;
  /** Reads all of them; empty for what nobody provides. */
  readAll(): Promise<ServerReadings>;
}

export function createServerReadings(): ServerReadingSources {
  const sources = new Map<ReadingName, () => Promise<readonly Labelled[]>>();
  const readOne = async (name: ReadingName) => (await sources.get(name)?.()) ?? [];
  return {
    provide: (name, read) => void sources.set(name, read),
    readAll: async () => ({
      component_health: await readOne("component_health"),
      alert_active: await readOne("alert_active"),
    }),
  };
}
