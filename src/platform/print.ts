// The only file that writes the output of commands. Texts from other servers, backups and users could contain escape
// sequences that change what an operator sees, so unprintable characters are written as escapes.

/** Prints lines to standard output. */
export function print(text: string): void {
  console.log(withoutControls(text));
}

/** Prints lines to standard error: progress and failures. */
export function printError(text: string): void {
  console.error(withoutControls(text));
}

/** Writes a line of progress over the one before; the empty text takes it away. */
export function printOver(text: string): void {
  process.stderr.write(`\r${withoutControls(text)}\u001b[K`);
}

export function clearScreen(): void {
  console.log("\u001b[2J\u001b[H");
}

/** Quotes foreign text as part of a line; it cannot begin a new line. */
export function quoted(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, escaped);
}

/** These escapes are also valid in JSON, so JSON stays JSON. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
