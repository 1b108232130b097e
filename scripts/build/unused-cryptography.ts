import type { Plugin } from "esbuild";

/** Cryptography that ts-mls loads for cipher suites that the groups do not use. */
export const unusedCryptography =
  /^@hpke\/(?:chacha20poly1305|dhkem-x448|ml-kem|hybridkem-x-wing)$|^@noble\/(?:post-quantum\/|curves\/(?:ed448|nist)\.js)/;

/** Key encapsulation for other curves than X25519. The module that chooses one names these classes, so it cannot be loaded without them. */
const unusedCurves = {
  file: /@hpke[\\/]core[\\/]esm[\\/]src[\\/]kems[\\/]dhkem(?:Native|X448)\.js$/,
  contents: ["P256HkdfSha256Native", "P384HkdfSha384Native", "P521HkdfSha512Native", "X448HkdfSha512"]
    .map((name) => `export class Dhkem${name} {}`)
    .join("\n"),
};

export const withoutUnusedCurves: Plugin = {
  name: "without unused curves",
  setup: ({ onLoad }) => onLoad({ filter: unusedCurves.file }, () => ({ contents: unusedCurves.contents })),
};

export const withoutUnused: Plugin = {
  name: "without unused cryptography",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: unusedCryptography }, ({ path }) => ({ path, namespace: "unused" }));
    const contents = 'throw new Error("this package is built without this cipher suite");';
    // @hpke imports it where there is no Web Cryptography, which browsers and Node.js have. Bundlers for browsers would warn of it.
    onResolve({ filter: /^crypto$/ }, ({ path, importer }) =>
      importer.includes("@hpke") ? { path, namespace: "unused" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents }));
  },
};
