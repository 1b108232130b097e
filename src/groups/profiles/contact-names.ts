// Names that this user gives to others.

import { demand } from "../../client/runtime/arguments.js";
import type { Devices } from "../devices/devices.js";
import { calledName } from "../devices/local-state.js";
import { shownName } from "../encoding/names.js";
import type { DeviceCore } from "../sending/device-core.js";

/**
 * Sets the name that this user sees for another one, on all their devices. Without a name, the other user's own is shown. Throws a RangeError if this
 * device has named 1,000 others.
 */
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
