/** A field of an action's dialog. */
export interface ActionField {
  name: string;
  label: string;
  type: "text" | "number" | "date" | "select" | "lines";
  hint?: string;
  value?: string;
  options?: readonly string[];
  optional?: boolean;
  min?: number;
  max?: number;
}

/** Something that an administrator can do: the dialog that asks for it, and the call. */
export interface Action {
  title: string;
  explanation: string;
  submitLabel: string;
  fields?: readonly ActionField[];
  /** The action cannot be undone or affects many: the dialog asks the user to type this name. */
  nameToType?: string;
  /** Gets the fields' values as text. Errors of the call are thrown and shown in the dialog. */
  run(values: Readonly<Record<string, string>>): Promise<ActionOutcome>;
  onDone?(): void;
}

export interface ActionOutcome {
  text: string;
  /** Undoes the action, and returns what it did. */
  undo?: (() => Promise<string>) | undefined;
  /** The action failed. */
  hasFailed?: boolean;
}

/** The value of a date field in Unix seconds; `undefined` if it was left empty. */
export function secondsOf(localTime: string | undefined): number | undefined {
  return localTime ? Math.floor(new Date(localTime).getTime() / 1000) : undefined;
}

/** Unix seconds as the value of a date field. */
export function localTimeOf(seconds: number): string {
  const moment = new Date(1000 * seconds);
  return new Date(moment.getTime() - 60_000 * moment.getTimezoneOffset()).toISOString().slice(0, 16);
}
