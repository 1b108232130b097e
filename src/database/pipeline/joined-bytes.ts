import { splitByBytes } from "../../platform/split-by-bytes.js";
import { mebibyte } from "../../protocol/units.js";

/** Byte strings joined for a statement that cuts them up again. */
interface JoinedBytes {
  bytes: Buffer;
  /** Where each one begins, from 1 as in `substring`. */
  starts: number[];
}

/** Joins byte strings. A buffer that occurs several times is included once. */
export function joinBytes(values: readonly Buffer[]): JoinedBytes {
  const startOf = new Map<Buffer, number>();
  let end = 0;
  const starts = values.map((value) => {
    const known = startOf.get(value);
    if (known !== undefined) return known;
    const start = end + 1;
    startOf.set(value, start);
    end += value.length;
    return start;
  });
  const [first, ...others] = startOf.keys();
  return { bytes: first !== undefined && others.length === 0 ? first : Buffer.concat([...startOf.keys()]), starts };
}

/** Maximum bytes of ciphertext in one statement, so that no statement exceeds its time limit. */
const statementBytes = 64 * mebibyte;

/** Splits rows into parts, each for one statement. A single row may exceed the limit. */
export function byStatement<T extends { ciphertext: Buffer }>(stored: readonly T[], max = statementBytes): T[][] {
  return splitByBytes(stored, ({ ciphertext }) => ciphertext.length, max);
}
