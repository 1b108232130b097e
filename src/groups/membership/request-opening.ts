// Which keys are tried for an envelope that may be a request to be added: those of invitations, and of the doors of past epochs.

import { openEnvelope } from "../../client/index.js";
import { encodeHex } from "../../protocol/encodings.js";
import { isSignedBy } from "../mls/members.js";
import { doorKeysOf } from "./door-keys.js";
import type { Membership } from "./membership.js";
import { invitedText, type JoinRequest, readRequest } from "./request-encoding.js";

/** A request by an invitation, or by the door of the epoch `since`. */
export interface OpenedRequest {
  request: JoinRequest;
  invitation?: string;
  since?: number;
}

/** How many epochs' doors of a group are tried, with its invitations, for every envelope that no key opens. */
const newestDoors = 32;
/** How often doors of older epochs are tried in an hour. Each try takes up to 0.2 ms. */
const maxOlderTries = 100_000;

interface Door {
  secret: Uint8Array;
  since: number;
}

/** Opens possible requests to be added. A flood of envelopes that no key opens costs bounded time; meanwhile, requests by older doors are not found. */
export class RequestOpener {
  #hour = 0;
  #tries = 0;

  async open(
    memberships: Iterable<Membership>,
    envelope: Uint8Array,
    nowMillis: number,
  ): Promise<(OpenedRequest & { membership: Membership }) | undefined> {
    const followed = [...memberships].filter(({ isFollowed }) => isFollowed);
    const all = followed.map((membership) => ({ membership, past: pastDoors(membership) }));
    for (const { membership, past } of all) {
      const { stored, view, context } = membership;
      const present = stored.door === undefined ? [] : [{ secret: stored.door, since: Number(view.epoch) }];
      const invitations = context.invitations.map(({ id, key }) => ({ secret: key, invitation: id }));
      const newest = [...present, ...past.slice(-newestDoors), ...invitations];
      const opened = await openRequest(membership, envelope, newest);
      if (opened !== undefined) return { membership, ...opened };
    }
    const older = all.map(({ membership, past }) => ({ membership, doors: past.slice(0, -newestDoors) }));
    const tries = older.reduce((sum, { doors }) => sum + doors.length, 0);
    if (!this.#mayTry(tries, nowMillis)) return undefined;
    for (const { membership, doors } of older) {
      const opened = await openRequest(membership, envelope, doors);
      if (opened !== undefined) return { membership, ...opened };
    }
    return undefined;
  }

  #mayTry(tries: number, nowMillis: number): boolean {
    const hour = Math.floor(nowMillis / 3_600_000);
    if (hour !== this.#hour) this.#tries = 0;
    this.#hour = hour;
    if (this.#tries > 0 && this.#tries + tries > maxOlderTries) return false;
    this.#tries += tries;
    return true;
  }
}

function pastDoors({ stored: { log = [] } }: Membership): Door[] {
  return log.flatMap(({ epoch, door }) => (door === undefined ? [] : [{ secret: door, since: epoch }]));
}

async function openRequest(
  membership: Membership,
  envelope: Uint8Array,
  doors: readonly (Door | { secret: Uint8Array; invitation: string })[],
): Promise<OpenedRequest | undefined> {
  for (const { secret, ...by } of doors) {
    const content = openEnvelope(await doorKeysOf(secret), envelope);
    const request = content && readRequest(content);
    if (request === undefined) continue;
    const text = "invitation" in by && invitedText({ group: membership.id, ...by }, request.keyPackage);
    const { signature = "" } = request;
    return !text || isSignedBy(encodeHex(secret), { text, signature }) ? { request, ...by } : undefined;
  }
  return undefined;
}
