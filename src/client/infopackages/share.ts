// Uploads and downloads info packages. They are encrypted and decrypted here, on the device.

import { calls } from "../../../generated/calls.js";
import { encodeHex } from "../../protocol/encodings.js";
import { downloadIdBytes } from "../../protocol/identifiers.js";
import { daySeconds } from "../../protocol/units.js";
import { createCaller, type OperationId } from "../connection/calls.js";
import type { Connection } from "../connection/connection.js";
import type { DeviceClient } from "../device/client.js";
import {
  demandBytes,
  demandClient,
  demandConnection,
  demandNumber,
  demandOneOf,
  demandOptions,
  demandString,
  demandUrl,
  ifGiven,
} from "../runtime/arguments.js";
import { MalformedError } from "../runtime/json-shape.js";
import { type Runtime, runtimeWith } from "../runtime/runtime.js";
import { type CompactInfo, writeCompactInfoQr, writeInfoLink } from "./compact-info-qr.js";
import {
  type GroupInviteInfoPackage,
  type IdentityContent,
  type IdentityInfoPackage,
  infoPackageKeyBytes,
  openGroupInvite,
  openIdentity,
  type PackageType,
  sealInfoPackage,
} from "./info-packages.js";

export interface SharingOptions {
  /** The name shown beside the QR code. */
  displayName: string;
  /** From a minute to 30 days. */
  ttlSeconds: number;
  /** 1 to 1000 downloads. The default is unlimited. */
  maxUses?: number | undefined;
}

/** An uploaded package. */
export interface SharedInfoPackage {
  info: CompactInfo;
  /** The URL with the key in its fragment. */
  link: string;
  /** The text of the QR code. */
  qr: string;
  /** Unix seconds. */
  expiresAt: number;
  /** Identifies the package for `unshare`. */
  segment: string;
}

type Content = IdentityContent | GroupInviteInfoPackage;

/** Uploads a package as this device, which can revoke it. */
export async function share(
  device: DeviceClient,
  content: Content,
  options: SharingOptions,
): Promise<SharedInfoPackage> {
  demandClient(device, "device");
  demandSharing(content, options);
  const { ciphertext, key } = sealInfoPackage(content, device.connection.runtime.randomBytes);
  const packageType = typeOf(content);
  const body = { ciphertext, package_type: packageType, ...lifeOf(options) };
  const answer = await device.call("uploadInfoPackage", { body });
  const path = pathOf("getInfoPackage", answer.url_segment);
  const url = `${device.connection.url}${path}`;
  return describe({ url, key, content, displayName: options.displayName }, answer.expires_at, answer.url_segment);
}

/** Revokes a package that this device uploaded. */
export async function unshare(device: DeviceClient, shared: Pick<SharedInfoPackage, "segment">): Promise<void> {
  demandClient(device, "device");
  demandString(shared?.segment, "segment");
  await device.call("revokeInfoPackage", { path: { url_segment: shared.segment } });
}

/** Uploads a package anonymously. Anyone with the revocation token can revoke it. */
export async function shareAnonymously(
  connection: Connection,
  content: Content,
  options: SharingOptions,
): Promise<SharedInfoPackage & { revocationToken: string }> {
  demandConnection(connection, "connection");
  demandSharing(content, options);
  const { caller, runtime } = connection;
  const { ciphertext, key } = sealInfoPackage(content, runtime.randomBytes);
  const answer = await caller.call("createRevocableInfoPackage", { body: { ciphertext, ...lifeOf(options) } });
  const segment = answer.url.slice(answer.url.lastIndexOf("/") + 1);
  const about = { url: answer.url, key, content, displayName: options.displayName };
  return { ...describe(about, answer.expires_at, segment), revocationToken: answer.revocation_token };
}

export async function unshareAnonymously(
  { caller }: Connection,
  { segment, revocationToken }: { segment: string; revocationToken: string },
): Promise<void> {
  const headers = { "X-Revocation-Token": revocationToken };
  await caller.call("revokeRevocableInfoPackage", { path: { segment }, headers });
}

type ContentOf<T extends PackageType> = T extends "identity" ? IdentityInfoPackage : GroupInviteInfoPackage;

/** Downloads that could not be opened as they were asked for, by URL: another attempt needs no further use. */
const unopened = new Map<string, string>();
/** The ids of downloads that were not answered, by URL: another attempt with the same id takes no further use. */
const unanswered = new Map<string, string>();
const maxKept = 100;

/**
 * Downloads a package from the relay in its URL and decrypts it. This counts as a use, so keep the result. If the answer is lost, the
 * content does not have the expected type, or cannot be decrypted with this key, another attempt takes no further use while the program
 * runs; the relay remembers a lost answer for an hour. Without
 * `packageType`, the result is of either type: an invitation has a `group_id`. Throws MalformedError if the URL does not belong to an
 * info package or the content is not as expected.
 */
export async function fetchShared<T extends PackageType>(
  info: { url: string; key: Uint8Array; packageType?: T },
  runtime: Partial<Runtime> = {},
): Promise<ContentOf<T>> {
  demandInfo(info);
  const { url, key, packageType } = info;
  const ciphertext = unopened.get(url) ?? (await download(url, runtime));
  keep(unopened, url, ciphertext);
  const content = openAs(packageType, ciphertext, key);
  unopened.delete(url);
  return content as ContentOf<T>;
}

async function download(url: string, runtime: Partial<Runtime>): Promise<string> {
  const { operation, path } = operationOf(new URL(url).pathname);
  const platform = runtimeWith(runtime);
  const caller = createCaller({ url: new URL(url).origin, runtime: platform });
  const id = unanswered.get(url) ?? encodeHex(platform.randomBytes(downloadIdBytes));
  keep(unanswered, url, id);
  const { ciphertext } = await caller.call(operation, { path, headers: { "X-Download-Id": id } } as never);
  unanswered.delete(url);
  return ciphertext;
}

function keep(kept: Map<string, string>, url: string, value: string): void {
  kept.set(url, value);
  const [oldest = ""] = kept.keys();
  if (kept.size > maxKept) kept.delete(oldest);
}

function openAs(packageType: PackageType | undefined, ciphertext: string, key: Uint8Array): Content {
  if (packageType === "identity") return openIdentity(ciphertext, key);
  if (packageType === "group_invite") return openGroupInvite(ciphertext, key);
  try {
    return openIdentity(ciphertext, key);
  } catch {
    return openGroupInvite(ciphertext, key);
  }
}

function demandSharing(content: Content, options: SharingOptions): void {
  demandOptions(content, "content");
  demandOptions(options, "options");
  demandString(options.displayName, "displayName");
  demandNumber(options.ttlSeconds, "ttlSeconds", [60, 30 * daySeconds]);
  ifGiven(options.maxUses, (maxUses) => demandNumber(maxUses, "maxUses", [1, 1_000]));
}

/** Otherwise a wrong key would be found only after a use is spent. */
function demandInfo(info: { url: string; key: Uint8Array; packageType?: PackageType }): void {
  demandOptions(info, "info");
  demandUrl(info.url, "info.url");
  demandBytes(info.key, "info.key", infoPackageKeyBytes);
  ifGiven(info.packageType, (type) => demandOneOf(type, "info.packageType", ["identity", "group_invite"]));
}

const downloads = ["getInfoPackage", "getRevocableInfoPackage", "getPlainInfoPackage"] as const satisfies OperationId[];
type Download = (typeof downloads)[number];

function operationOf(pathname: string): { operation: Download; path: Record<string, string> } {
  for (const operation of downloads) {
    const [before = "", name = ""] = calls[operation].path.split(":");
    const segment = pathname.slice(before.length);
    if (pathname.startsWith(before) && segment !== "" && !segment.includes("/")) {
      return { operation, path: { [name]: segment } };
    }
  }
  throw new MalformedError("this is not the URL of an info package");
}

function pathOf(operation: Download, segment: string): string {
  return calls[operation].path.replace(/:\w+/, segment);
}

function typeOf(content: Content): PackageType {
  return "group_id" in content ? "group_invite" : "identity";
}

function lifeOf({ ttlSeconds, maxUses }: SharingOptions): { ttl_seconds: number; max_uses?: number } {
  return { ttl_seconds: ttlSeconds, ...(maxUses !== undefined && { max_uses: maxUses }) };
}

interface Shared {
  url: string;
  key: Uint8Array;
  content: Content;
  displayName: string;
}

function describe({ url, key, content, displayName }: Shared, expiresAt: number, segment: string): SharedInfoPackage {
  const group = "group_id" in content ? { groupId: content.group_id } : {};
  const info: CompactInfo = { url, key, packageType: typeOf(content), displayName, ...group };
  return { info, link: writeInfoLink(info), qr: writeCompactInfoQr(info), expiresAt, segment };
}
