// The only file that writes what a command says. Texts of other servers, of backups and of users could hold escape sequences that
// change what an operator sees, so characters without a shape of their own are written as escapes.

/** Prints lines on the standard output. */
export function print(text: string): void {
  console.log(withoutControls(text));
}

/** Prints lines on the standard error: progress and failures. */
export function printError(text: string): void {
  console.error(withoutControls(text));
}

export function clearScreen(): void {
  console.log("\u001b[2J\u001b[H");
}

/** A foreign text as part of a line. It cannot begin a new line. */
export function quoted(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, escaped);
}

/** The escapes are also those of JSON, so JSON stays JSON. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === "\n" || character === "\t" ? character : escaped(character),
  );
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
