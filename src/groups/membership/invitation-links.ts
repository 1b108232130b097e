// Writes and reads invitation links. A link carries the invitation's private key, which signs a request to join. Members know the public key, for
// which the request is sealed.

import { deviceKeysOf } from "../../client/index.js";
import { demand } from "../../client/runtime/arguments.js";
import { decodeBase64, decodeHex, encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";
import { shownName } from "../encoding/names.js";
import { endOfDates, secretBytes } from "../mls/group-context.js";
import { countingOf, type Invitation, withInvitation } from "../mls/invitations.js";
import type { Member } from "../mls/members.js";
import { InvitationError } from "./invitation-error.js";
import type { Membership } from "./membership.js";

export interface InviteOptions {
  /** The application's page. */
  appUrl: string;
  /** How many people may join with it. The default is 1. */
  uses?: number;
  /** The default is a week. */
  expiresInSeconds?: number;
  /** Whether a member has to approve each request. */
  approve?: boolean;
}

/** The content of an invitation link. */
interface InvitationLink {
  group: string;
  name: string;
  invitation: string;
  /** The private key of the invitation. */
  secret: Uint8Array;
  /** Members who are asked. */
  to: string[];
  expiresAtSeconds: number;
}

const fragment = "mls-relay-group=";
/** Members whom a link names. With more, it would not fit into a QR code that cameras read. */
const maxAsked = 32;
const prefixBytes = 16;
const maxLinkNameLength = 100;
const idBytes = 8;
const weekSeconds = 7 * 86_400;

/** A new invitation, and its link. Throws a RangeError if the user has made too many. */
export function makeInvitation(
  membership: Membership,
  { appUrl, uses = 1, expiresInSeconds = weekSeconds, approve = false }: InviteOptions,
): { invitation: Invitation; link: string } {
  const { account, randomBytes, nowMillis } = membership.core;
  const { id: group, name, context } = membership;
  demand(typeof appUrl === "string" && URL.canParse(appUrl), appUrl, {
    what: "appUrl",
    expected: "the address of the application's page, such as https://app.example/join",
  });
  if (!Number.isSafeInteger(uses) || uses < 1) throw new TypeError("uses must be a whole number from 1");
  const expiresAtSeconds = Math.floor(nowMillis() / 1000) + Math.ceil(expiresInSeconds);
  demand(expiresInSeconds > 0 && expiresAtSeconds < endOfDates, expiresInSeconds, {
    what: "expiresInSeconds",
    expected: "a number of seconds, which is above 0 and ends",
  });
  const id = encodeHex(randomBytes(idBytes));
  const secret = randomBytes(secretBytes);
  const able = membership.members().filter(({ id, isSigned }) => isSigned && membership.may("invite", id));
  const to = askedBy(account.address, able);
  const link = writeInvitationLink(appUrl, { group, name, invitation: id, secret, to, expiresAtSeconds });
  const { publicKey: key } = deviceKeysOf(secret);
  const invitation = { id, key, by: account.user, expiresAtSeconds, usesLeft: uses, needsApproval: approve };
  withInvitation(countingOf(context, nowMillis()), invitation);
  return { invitation, link };
}

/** The members whom a link names, of those who may invite: this device, one device of each other user, then their other devices. */
function askedBy(own: string, able: readonly Member[]): string[] {
  const others = able.filter(({ isMe }) => !isMe);
  const isFirst = ({ user }: Member, at: number) => others.findIndex((one) => one.user === user) === at;
  const [first, more] = [others.filter(isFirst), others.filter((one, at) => !isFirst(one, at))];
  return [own, ...[...first, ...more].map(({ address }) => address)].slice(0, maxAsked);
}

/** A link to the application. The secret is in its fragment, which browsers send to nobody. */
function writeInvitationLink(appUrl: string, link: InvitationLink): string {
  const url = new URL(appUrl);
  // The link shows this name before people join. A longer name would make the link too long for a QR code.
  const { group, name, invitation, secret, to, expiresAtSeconds } = link;
  const text = JSON.stringify({
    v: 1,
    group,
    name: shownName(name, maxLinkNameLength),
    invitation,
    secret: encodeBase64(secret),
    to: byDomain(to),
    expires_at: expiresAtSeconds,
  });
  const base64 = encodeBase64(utf8(text)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  // An application may have its routes in the fragment, such as `#/join`.
  const route = url.hash.slice(1);
  url.hash = (route && `${route}${route.includes("?") ? "&" : "?"}`) + fragment + base64;
  return url.href;
}

/** The prefixes of addresses as 16 bytes each, by domain, which is much shorter than their text. */
function byDomain(addresses: readonly string[]): Record<string, string> {
  const prefixes = new Map<string, number[]>();
  for (const address of addresses) {
    const [prefix = "", domain = ""] = address.split("@");
    const bytes = decodeHex(prefix.replaceAll("-", ""), prefixBytes) ?? [];
    prefixes.set(domain, [...(prefixes.get(domain) ?? []), ...bytes]);
  }
  return Object.fromEntries([...prefixes].map(([domain, bytes]) => [domain, encodeBase64(Uint8Array.from(bytes))]));
}

function addressesIn(written: Record<string, string>): string[] {
  return Object.entries(written).flatMap(([domain, text]) => {
    const hex = encodeHex(decodeBase64(text) as Uint8Array);
    if (hex.length % (2 * prefixBytes) !== 0) throw new Error("a prefix is cut off");
    return (hex.match(/.{32}/g) ?? []).map(
      (one) => `${one.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")}@${domain}`,
    );
  });
}

/** Throws InvitationError. */
export function readInvitationLink(link: string): InvitationLink {
  try {
    const hash = link.slice(link.indexOf("#") + 1);
    const at = hash.indexOf(fragment);
    if (at < 0) throw new Error("there is no invitation in the link");
    // A link that was copied out of a text may have more text after it.
    const [written = ""] = /^[\w-]*/.exec(hash.slice(at + fragment.length)) ?? [];
    const base64 = written.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = decodeBase64(base64 + "=".repeat((4 - (base64.length % 4)) % 4)) as Uint8Array;
    const { group, name, invitation, secret, to, expires_at } = JSON.parse(new TextDecoder().decode(bytes));
    const key = decodeBase64(secret);
    const isDate = Number.isSafeInteger(expires_at) && expires_at >= 0 && expires_at < endOfDates;
    const isText = [group, name, invitation].every((one) => typeof one === "string");
    const asked = addressesIn(to);
    if (!isText || key?.length !== 32 || asked.length === 0 || asked.length > maxAsked || !isDate)
      throw new Error("a member of the link has another form");
    const rest = { secret: Uint8Array.from(key), to: asked, expiresAtSeconds: expires_at };
    return { group, name: shownName(name), invitation, ...rest };
  } catch {
    throw new InvitationError("malformed");
  }
}
