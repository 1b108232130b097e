/** A row of which the test knows the columns: it wrote the statement a line above. */
// biome-ignore lint/suspicious/noExplicitAny: no type says more than the statement
export type AnyRow = any;
