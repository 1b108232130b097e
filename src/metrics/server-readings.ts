import type { ReadingName } from "./names.js";

/** A value with its labels. */
export type Labelled = [labels: Readonly<Record<string, string>>, value: number];

export type ServerReadings = Readonly<Record<ReadingName, readonly Labelled[]>>;

/** What other modules report about the whole server whenever metrics are exported. */
export type ServerReadingSources = ReturnType<typeof createServerReadings>;

export function createServerReadings() {
  const sources = new Map<ReadingName, () => Promise<readonly Labelled[]>>();
  const readOne = async (name: ReadingName) => (await sources.get(name)?.()) ?? [];
  return {
    /** Registers values that are read for every export; a later call with the same name replaces the earlier one. */
    provide: (name: ReadingName, read: () => Promise<readonly Labelled[]>): void => void sources.set(name, read),
    /** Reads all of them; empty for what nobody provides. */
    readAll: async (): Promise<ServerReadings> => ({
      component_health: await readOne("component_health"),
      alert_active: await readOne("alert_active"),
    }),
  };
}
