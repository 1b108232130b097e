import { fetchShared, readInfoLink, share } from "../client/index.js";
import { type Groups, shownName } from "../groups/index.js";
import { Refusal } from "./refusal.js";
import { t } from "./texts.js";

/** A person, as an info package describes them. */
export interface Contact {
  user: string;
  name: string;
  addresses: string[];
}

const persona = "main";
const maxDevices = 100;
const linkSeconds = 30 * 86_400;

/** Takes one use of the package. Throws if it is for another application. */
export async function contactOf(link: string): Promise<Contact> {
  const content = await fetchShared({ ...readInfoLink(link), packageType: "identity" });
  const { name } = content.personas[content.default_persona] ?? {};
  const addresses = content.devices.flatMap(({ address }) => (typeof address === "string" ? [address] : []));
  if (typeof name !== "string" || addresses.length === 0 || addresses.length > maxDevices)
    throw new Refusal(t.contactUnknown);
  return { user: content.user_public_key, name: shownName(name) || t.nameless, addresses };
}

/** A link with which others can message this user. */
export async function contactLinkOf({ device, user, name, address }: Groups): Promise<string> {
  const content = {
    user_id: user,
    user_public_key: user,
    default_persona: persona,
    personas: { [persona]: { name } },
    devices: [{ address }],
    created_at: Math.floor(device.connection.clock.nowMillis() / 1000),
  };
  return (await share(device, content, { displayName: name, ttlSeconds: linkSeconds })).link;
}
