// The payload of a QR code, and a link, that lead to an info package. Both contain its key. The link has the key in its
// fragment, which browsers and relays never send to a server.

import { decodeBase64, decodeHex, encodeBase64, encodeHex } from "../../protocol/encodings.js";
import { demandParsed, demandText, type JsonObject, MalformedError, parseJsonObject } from "../runtime/json-shape.js";
import { infoPackageKeyBytes, type PackageType } from "./info-packages.js";

export interface CompactInfo {
  /** The package's HTTPS address. */
  url: string;
  /** 32 bytes. */
  key: Uint8Array;
  packageType: PackageType;
  displayName: string;
  /** The group of an invitation. */
  groupId?: string;
}

/** The two forms of the payload (specification, "Info package record"). */
export type CompactInfoForm = "info_package" | "infopackage";

/**
 * The text of a QR code. The form `info_package` has the keys info_package_url and info_package_key (base64), the form
 * `infopackage` infopackage_url and infopackage_key (64 hex digits).
 */
export function writeCompactInfoQr(info: CompactInfo, form: CompactInfoForm = "infopackage"): string {
  checkUrl(info.url);
  const key = form === "infopackage" ? encodeHex(info.key) : encodeBase64(info.key);
  return JSON.stringify({
    [`${form}_url`]: info.url,
    [`${form}_key`]: key,
    package_type: info.packageType,
    display_name: info.displayName,
    ...(info.groupId !== undefined && { group_id: info.groupId }),
  });
}

/** Reads a QR code of either form. Throws MalformedError. */
export function readCompactInfoQr(text: string): CompactInfo {
  const payload = parseJsonObject(text, "the QR code");
  const form: CompactInfoForm = "infopackage_url" in payload ? "infopackage" : "info_package";
  const { group_id: groupId } = payload;
  return {
    url: checkUrl(demandText(payload[`${form}_url`], `${form}_url`)),
    key: readKey(payload, `${form}_key`),
    packageType: readPackageType(payload["package_type"]),
    displayName: demandText(payload["display_name"], "display_name"),
    ...(groupId !== undefined && groupId !== null && { groupId: demandText(groupId, "group_id") }),
  };
}

/** What a link says of a package. Links of other programs may leave the type out. */
export interface InfoLink extends Pick<CompactInfo, "url" | "key"> {
  packageType?: PackageType;
}

/** A link to the package, with its key in the fragment as 64 hex digits, and its type: `<url>#<key>.identity`. */
export function writeInfoLink({ url, key, packageType }: InfoLink): string {
  return `${checkUrl(url)}#${encodeHex(key)}${packageType === undefined ? "" : `.${packageType}`}`;
}

/**
 * The parts of a link. Spaces around it, and what programs that pass links on append to the address or to the key, are left out.
 * Throws MalformedError.
 */
export function readInfoLink(link: string): InfoLink {
  const [address = "", fragment = ""] = demandText(link, "the link").trim().split("#");
  const [, key, packageType] = /^([0-9a-f]+)(?:\.(identity|group_invite))?(?:$|[^0-9a-z])/i.exec(fragment) ?? [];
  return {
    url: checkUrl(address.replace(/\?.*$/, "")),
    key: demandParsed(key, keyOfHex, "the link's key"),
    ...(packageType !== undefined && { packageType: readPackageType(packageType) }),
  };
}

/** The length tells hex from base64. Some libraries write bytes as an array of 32 numbers. */
function readKey(payload: JsonObject, member: string): Uint8Array {
  const { [member]: value } = payload;
  if (Array.isArray(value) && value.length === infoPackageKeyBytes && value.every(isByte))
    return Uint8Array.from(value);
  return demandParsed(value, (text) => keyOfHex(text) ?? keyOfBase64(text), member);
}

function keyOfHex(text: string): Uint8Array | undefined {
  return decodeHex(text, infoPackageKeyBytes);
}

function keyOfBase64(text: string): Uint8Array | undefined {
  const bytes = decodeBase64(text);
  return bytes?.length === infoPackageKeyBytes ? Uint8Array.from(bytes) : undefined;
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}

function readPackageType(value: unknown): PackageType {
  if (value === "identity" || value === "group_invite") return value;
  throw new MalformedError("package_type is neither identity nor group_invite");
}

/** Requires HTTPS, except on this machine, and no fragment, because the fragment is for the key. */
function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url === undefined || (url.protocol !== "https:" && !isLocal) || text.includes("#") || url.username !== "") {
    throw new MalformedError("the address of an info package is an HTTPS address without a fragment");
  }
  return text;
}
