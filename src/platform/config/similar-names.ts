/** A variable that is not read, and the variable that was probably meant. */
export interface SimilarName {
  variable: string;
  meant: string;
}

const ownPrefix = /^MLS_?RELAY_/;
/** Kubernetes names variables after services: a service `mls-relay` gets MLS_RELAY_PORT. */
const serviceAddress = /^(tcp|udp|sctp):\/\//;
const maxEdits = 2;
/**
 * In shorter words, two different words are as close as a misspelling (HOST and HOME), so only an exchange of two
 * letters counts.
 */
const shortLength = 6;
const oneEditLength = 8;

/**
 * The variables whose names are nearly one of `known`: they differ in case, in separators, in a plural ending, by the
 * prefix MLS_RELAY_, or in at most two letters.
 */
export function findSimilarNames(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): SimilarName[] {
  const exact = new Set(known);
  const found: SimilarName[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (exact.has(variable) || serviceAddress.test(value ?? "")) continue;
    const name = variable.toUpperCase().replace(ownPrefix, "");
    const meant = exact.has(name) ? name : known.find((one) => isSimilar(name, one));
    if (meant !== undefined) found.push({ variable, meant });
  }
  return found;
}

function isSimilar(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > maxEdits + 1) return false;
  if (joinWords(name) === joinWords(known)) return true;
  if (known.length < shortLength) return isExchange(name, known);
  const allowed = known.length >= oneEditLength && name[0] === known[0] ? maxEdits : 1;
  return edits(name, known) <= allowed;
}

/** Drops separators and plural endings: TRUSTED_PROXY and TRUSTED_PROXIES, BACKUPDIR and BACKUP_DIR are the same. */
function joinWords(name: string): string {
  return name
    .split(/[^A-Z0-9]+/)
    .map((word) => word.replace(/IES$/, "Y").replace(/(?<=..)S$/, ""))
    .join("");
}

function isExchange(name: string, known: string): boolean {
  return (
    name.length === known.length && [...known].sort().join() === [...name].sort().join() && edits(name, known) === 1
  );
}

/** How many letters were left out, added, replaced, or exchanged with their neighbour (optimal string alignment). */
export function edits(from: string, to: string): number {
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isExchanged = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
