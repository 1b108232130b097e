import { initialHash, paddingWords, roundConstants } from "./sha256-constants.js";

type Constants = readonly [initial: Int32Array, padding: Int32Array, rounds: Int32Array];

export const sha256Constants: Constants = [initialHash, paddingWords, roundConstants];

/**
 * SHA-256 of a 32-byte message, again and again (FIPS 180-4, section 6.2.2). A worker runs this function from its text, so it uses its
 * parameters only, and nothing for which a compiler would call a function of its own.
 */
export function hashRepeatedly(state: Int32Array, steps: number, constants: Constants): void {
  const initial = constants[0];
  const rounds = constants[2];
  const w = new Int32Array(64);
  w.set(state);
  for (let step = 0; step < steps; step++) {
    w.set(constants[1], 8);
    for (let i = 16; i < 64; i++) {
      const old = w[i - 15] as number;
      const recent = w[i - 2] as number;
      const sigma0 = ((old >>> 7) | (old << 25)) ^ ((old >>> 18) | (old << 14)) ^ (old >>> 3);
      const sigma1 = ((recent >>> 17) | (recent << 15)) ^ ((recent >>> 19) | (recent << 13)) ^ (recent >>> 10);
      w[i] = ((w[i - 16] as number) + sigma0 + (w[i - 7] as number) + sigma1) | 0;
    }
    let a = initial[0] as number;
    let b = initial[1] as number;
    let c = initial[2] as number;
    let d = initial[3] as number;
    let e = initial[4] as number;
    let f = initial[5] as number;
    let g = initial[6] as number;
    let h = initial[7] as number;
    for (let i = 0; i < 64; i++) {
      const sigma1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const sum = (h + sigma1 + (g ^ (e & (f ^ g))) + (rounds[i] as number) + (w[i] as number)) | 0;
      const sigma0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const majority = (a & b) | (c & (a | b));
      h = g;
      g = f;
      f = e;
      e = (d + sum) | 0;
      d = c;
      c = b;
      b = a;
      a = (sum + sigma0 + majority) | 0;
    }
    w[0] = a + (initial[0] as number);
    w[1] = b + (initial[1] as number);
    w[2] = c + (initial[2] as number);
    w[3] = d + (initial[3] as number);
    w[4] = e + (initial[4] as number);
    w[5] = f + (initial[5] as number);
    w[6] = g + (initial[6] as number);
    w[7] = h + (initial[7] as number);
  }
  state.set(w.subarray(0, 8));
}
