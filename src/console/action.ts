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

/** Something an administrator can do: the dialog that asks for it, and the call. */
export interface Action {
  title: string;
  explanation: string;
  submitLabel: string;
  fields?: readonly ActionField[];
  /** It cannot be undone, or affects many: the dialog asks to type this name. */
  nameToType?: string;
  /** Gets the fields' values as text. Throws what the call throws, which the dialog then shows. */
  run(values: Readonly<Record<string, string>>): Promise<ActionOutcome>;
  onDone?(): void;
}

export interface ActionOutcome {
  text: string;
  /** Takes the action back, and returns what it did. */
  undo?: (() => Promise<string>) | undefined;
  /** It was not done. */
  hasFailed?: boolean;
}

/** The value of a date field in Unix seconds; `undefined` where it was left empty. */
export function secondsOf(localTime: string | undefined): number | undefined {
  return localTime ? Math.floor(new Date(localTime).getTime() / 1000) : undefined;
}
