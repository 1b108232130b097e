/** The link cannot be used. */
export class InvitationError extends Error {
  readonly reason: "malformed" | "expired" | "member";

  constructor(reason: "malformed" | "expired" | "member") {
    const texts = { malformed: "malformed", expired: "expired", member: "of a group that this device is in" };
    super(`the invitation is ${texts[reason]}`);
    this.name = "InvitationError";
    this.reason = reason;
  }
}
