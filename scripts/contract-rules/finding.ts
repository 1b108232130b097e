/** A place where the contract breaks a rule of its profile. */
export interface Finding {
  where: string;
  what: string;
}
