/** A failure whose message is shown to the user, in their language. */
export class Refusal extends Error {}
