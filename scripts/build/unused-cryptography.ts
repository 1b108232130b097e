/** Cryptography that ts-mls loads for cipher suites that the groups do not use. */
export const unusedCryptography =
  /^@hpke\/(?:chacha20poly1305|dhkem-x448|ml-kem|hybridkem-x-wing)$|^@noble\/(?:post-quantum\/|curves\/(?:ed448|nist)\.js)/;

/** Key encapsulation for NIST's curves. ts-mls names these classes where it chooses one, so it cannot be loaded without them. */
export const unusedCurves = {
  file: /@hpke[\\/]core[\\/]esm[\\/]src[\\/]kems[\\/]dhkemNative\.js$/,
  contents: ["P256HkdfSha256", "P384HkdfSha384", "P521HkdfSha512"]
    .map((name) => `export class Dhkem${name}Native {}`)
    .join("\n"),
};
