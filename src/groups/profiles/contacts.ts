// Contacts: people to whom this user has given names.

import { demand } from "../../client/runtime/arguments.js";
import type { Devices } from "../devices/devices.js";
import { calledName } from "../devices/local-state.js";
import { shownName } from "../encoding/names.js";
import type { DeviceCore } from "../sending/device-core.js";

/** Calls a user so on all devices of this one, or without a name as they call themself. Throws a RangeError if this device has named 1,000 others. */
export async function setContact(
  { ledger, account }: DeviceCore,
  { devices }: { devices: Devices },
  { user, name }: { user: string; name: string | undefined },
): Promise<void> {
  const { called } = ledger.people;
  if (user === account.user) throw new TypeError("a user is no contact of themself: use setProfile");
  const shown = typeof name === "string" ? shownName(name) : "";
  const expected = "a string with a character that can be seen";
  demand(name === undefined || shown !== "", name, { what: "name", expected });
  if ((called.get(user) ?? "") !== shown) await devices.setLocal({ user }, { [calledName]: shown || undefined });
}
