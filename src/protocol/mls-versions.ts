/** Versions of MLS whose messages are carried (specification, "Versioning"). */
export const supportedMlsVersions: readonly string[] = ["1.0"];
