/** Prints an action under the name of a client or a relay. */
export type Say = (who: string, what: string) => void;

const nameWidth = 7;

export function sayTo(print: (line: string) => void): Say {
  return (who, what) => print(`${who.padEnd(nameWidth)} ${what}`);
}
