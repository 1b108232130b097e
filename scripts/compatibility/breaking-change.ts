/** A change after which a client or a peer that keeps to the released contract may fail. */
export interface BreakingChange {
  /** The operation, frame or error that changed, by the name that the changelog gives it. */
  subject: string;
  /** The change, in words. */
  what: string;
}
