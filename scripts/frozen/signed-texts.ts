import { deviceIdOf } from "../../src/protocol/identifiers.js";
import {
  adminChallengeText,
  announcementText,
  blocklistText,
  keyPackagesText,
  prefixAnnouncementText,
  slotReceiptText,
  slotTakingText,
} from "../../src/protocol/signed-text.js";
import { constantBytes, type Form } from "./form.js";

const deviceId = deviceIdOf(constantBytes("device"));
const timestamp = 1_795_000_000;
const audience = "relay.example";
const prefixes = ["00112233-4455-6677-8899-aabbccddeeff", "ffeeddccbbaa99887766554433221100"];
const keyPackages = ["Zmlyc3Q=", "c2Vjb25k"];
const challenge = Buffer.from(constantBytes("challenge")).toString("hex");

/** The texts that devices, administrators and the relay sign. */
export const signedTexts: readonly Form[] = [
  { name: "device id", write: () => deviceId },
  { name: "signed text of an announcement", write: () => announcementText({ deviceId, timestamp }) },
  {
    name: "signed text of an announcement with an audience",
    write: () => announcementText({ deviceId, timestamp, audience }),
  },
  {
    name: "signed text of an announcement of prefixes",
    write: () => prefixAnnouncementText({ deviceId, prefixes, timestamp }),
  },
  {
    name: "signed text of an announcement of prefixes with an audience",
    write: () => prefixAnnouncementText({ deviceId, prefixes, timestamp, audience }),
  },
  { name: "signed text of key packages", write: () => keyPackagesText({ deviceId, keyPackages, timestamp }) },
  {
    name: "signed text of key packages with a last-resort package",
    write: () => keyPackagesText({ deviceId, keyPackages, timestamp, lastResortKeyPackage: "bGFzdA==", audience }),
  },
  {
    name: "signed text of key packages that replace others",
    write: () => keyPackagesText({ deviceId, keyPackages, timestamp, replace: true }),
  },
  {
    name: "signed text of key packages for one address",
    write: () => keyPackagesText({ deviceId, keyPackages, timestamp, address: `${prefixes[0]}@${audience}` }),
  },
  { name: "signed text of an administrator's login", write: () => adminChallengeText({ challenge }) },
  {
    name: "signed text of an administrator's login with an audience",
    write: () => adminChallengeText({ challenge, audience }),
  },
  {
    name: "signed text of a block list",
    write: () => blocklistText({ signature: "left out", servers: [{ b: "ä", a: 1.5 }], blocklist_version: "1.0" }),
  },
  {
    name: "signed text of the receipt of a commit slot",
    write: () =>
      slotReceiptText({
        domain: audience,
        slot: challenge,
        contentHash: Buffer.from(constantBytes("hash")).toString("hex"),
      }),
  },
  {
    name: "signed text of the taking of a commit slot",
    write: () =>
      slotTakingText({
        domain: audience,
        slot: challenge,
        contentHash: Buffer.from(constantBytes("hash")).toString("hex"),
      }),
  },
];
