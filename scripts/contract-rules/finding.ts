/** What a rule has against the contract: where, and why. */
export interface Finding {
  where: string;
  what: string;
}
