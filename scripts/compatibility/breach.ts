/** A change after which a client, or a peer, that kept to the released contract may fail. */
export interface BreakingChange {
  /** The operation, frame or error that changed, by the name that the changelog calls it. */
  subject: string;
  what: string;
}
