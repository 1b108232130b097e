/** A failure whose message is for people, in their language. */
export class Refusal extends Error {}
