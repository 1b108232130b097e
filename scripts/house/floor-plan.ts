/** The rooms of `src/` and, for each, the rooms it may import. The table is the whole plan; the check only reads it. */
const ground = ["generated", "protocol", "platform"];
const base = [...ground, "settings", "metrics", "audit"];

export const floorPlan: Readonly<Record<string, readonly string[]>> = {
  protocol: ["generated"],
  platform: ["generated", "protocol"],
  http: ground,
  settings: ground,
  metrics: ground,
  audit: ground,
  health: base,
  backup: ["platform"],
  devices: base,
  keypackages: [...base, "devices"],
  provisioning: base,
  infopackages: base,
  mailbox: [...base, "devices"],
  federation: [...base, "devices", "mailbox"],
  registration: [...base, "devices", "federation"],
  messages: [...base, "devices", "mailbox", "federation"],
  stream: [...base, "devices", "mailbox", "keypackages"],
  moderation: [...base, "devices", "mailbox", "federation"],
  discovery: [...base, "federation"],
  admin: [
    ...base,
    "devices",
    "keypackages",
    "provisioning",
    "infopackages",
    "mailbox",
    "federation",
    "registration",
    "messages",
    "stream",
    "moderation",
    "discovery",
  ],
  sdk: ["generated", "protocol"],
  conformance: ["generated", "protocol", "platform", "sdk"],
  console: ["generated", "protocol", "sdk"],
};

/** What stands above the rooms may import any of them: the composition root, the process, the command line. */
export const aboveTheRooms = ["relay.ts", "main.ts", "cli"];

/** Rooms whose every file is open to those who may import them. The others have one door, `service.ts`. */
export const openRooms = ["generated", "protocol", "platform", "sdk"];

/** Files of a room that only the composition root imports. */
export const rootOnly = ["handlers.ts"];

/** Rooms that run in a browser too, so nothing of Node's is for them. */
export const browserRooms = ["protocol", "sdk", "console"];
