/** Cryptography that ts-mls loads for cipher suites that the groups do not use. */
export const unusedCryptography =
  /^@hpke\/(?:dhkem-x448|ml-kem|hybridkem-x-wing)$|^@noble\/(?:post-quantum\/|curves\/(?:ed448|nist)\.js)/;
