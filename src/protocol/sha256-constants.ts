/** The 64 primes from 2 to 311. */
const primes = Array.from({ length: 310 }, (_, i) => i + 2).filter((n) => {
  for (let factor = 2; factor < n; factor++) if (n % factor === 0) return false;
  return true;
});

/** The first 32 bits of a root's fractional part; the array takes them as a signed integer. */
const fractionOf = (root: number) => (root % 1) * 2 ** 32;

/** Round constants of SHA-256, from cube roots (FIPS 180-4, section 4.2.2). */
export const roundConstants: Int32Array = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));

/** Initial hash value of SHA-256, from square roots (FIPS 180-4, section 5.3.3). */
export const initialHash: Int32Array = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));

/**
 * Words 8 to 15 of the one block that a 32-byte message makes: the padding's first bit, zeros, and the length of 256 bits.
 * Words 0 to 7 are the message.
 */
export const paddingWords: Int32Array = Int32Array.of(0x80000000, 0, 0, 0, 0, 0, 0, 256);
