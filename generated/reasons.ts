// Made by `npm run generate` from spec/. Do not edit.
/** Why a message is reported, and why a server is blocked. */
export const reasons = ["spam","harassment","impersonation","malware","illegal_content","other"] as const;

/** How much harm is expected from a blocked server. */
export const severities = ["low","medium","high","critical"] as const;
