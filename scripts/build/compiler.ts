/**
 * The program `tsc` of TypeScript 7, which compiles the project in a fifth of the time of version 5. The package `typescript` stays at 5
 * for what needs the compiler as a library: openapi-typescript and some checks. Both have a `tsc`, so it is named by its path.
 */
export const compiler = "node_modules/typescript7/bin/tsc";
