import { settingsTable } from "../../generated/settings.js";

/** One key of the configuration tree: what values it takes, what it starts with, what it does. */
export interface SettingRule<T> {
  readonly kind: "text" | "flag" | "integer" | "number" | "choice";
  readonly initial: T;
  readonly description: string;
  /** Bounds of a number, or of the length of a text. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
}

type Table = typeof settingsTable;

type ValueOf<R> = R extends { choices: readonly (infer C)[] }
  ? C
  : R extends { kind: "flag" }
    ? boolean
    : R extends { kind: "text" }
      ? string
      : number;

/** Settings as on the wire: group, then key. */
export type ServerSettings = {
  readonly [G in keyof Table]: { readonly [K in keyof Table[G]]: ValueOf<Table[G][K]> };
};

/** Some groups with some of their keys. */
export type SettingsPatch = { [G in keyof ServerSettings]?: Partial<ServerSettings[G]> };

export type SettingValue = string | number | boolean;

/** Every rule under its dotted name, for instance `registration.mode`, in the order of the table. */
export const rulesByName: ReadonlyMap<string, SettingRule<SettingValue>> = new Map(
  Object.entries(settingsTable).flatMap(([group, rules]) =>
    Object.entries(rules).map(([key, rule]) => [`${group}.${key}`, rule as SettingRule<SettingValue>] as const),
  ),
);
