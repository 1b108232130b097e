import type { AnswerOf, CallInput } from "../../client/connection/calls.js";
import { Badge } from "../badge.js";
import { useConsole } from "../context.js";
import { DeviceLink } from "../device-link.js";
import { formatNumber, formatTime } from "../format.js";
import { type Column, List, pageIn, pageRows } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { usePolled } from "../polling.js";
import { changeQuery, usePlace } from "../route.js";
import { texts } from "../texts.js";

type ListedDevice = AnswerOf<"listDevices">["devices"][number];
type DeviceQuery = NonNullable<CallInput<"listDevices">["query"]>;

const t = texts.devices;
const states = ["any", "unverified", "verified", "blocked"] as const satisfies readonly DeviceQuery["state"][];
const sorts = ["last_active", "-last_active", "registered_at", "-registered_at"] as const;
const usualSort = "-last_active";
const hexForm = /^[0-9a-f]{1,64}$/;

const columns: readonly Column<ListedDevice>[] = [
  { name: "id", label: t.id, value: (row) => row.device_id, show: (row) => <DeviceLink id={row.device_id} /> },
  { name: "tier", label: t.tier, value: (row) => row.trust_tier, show: (row) => <Badge state={row.trust_tier} /> },
  {
    name: "registered_at",
    label: t.facts.registered,
    value: (row) => row.registered_at,
    show: (row) => formatTime(row.registered_at),
  },
  {
    name: "last_active",
    label: t.facts.active,
    value: (row) => row.last_active,
    show: (row) => formatTime(row.last_active),
  },
  { name: "limit", label: t.limit, value: (row) => row.rate_limit, show: (row) => formatNumber(row.rate_limit) },
  { name: "reports", label: t.facts.reports, value: (row) => row.spam_reports },
];

/** What the address bar asks of the relay. */
function wantedOf(query: Readonly<Record<string, string>>): DeviceQuery {
  const prefix = (query["devices.prefix"] ?? "").trim().toLowerCase();
  return {
    state: states.find((one) => one === query["devices.state"]) ?? "any",
    sort: sorts.find((one) => one === query["devices.sort"]) ?? usualSort,
    ...(hexForm.test(prefix) && { id_prefix: prefix }),
    limit: pageRows,
    offset: pageRows * (pageIn(query, "devices") - 1),
  };
}

/** All devices, page by page as the relay sorts and filters them: there may be very many. */
export function DeviceList() {
  const { session } = useConsole();
  const { query } = usePlace();
  const wanted = wantedOf(query);
  const devices = usePolled(JSON.stringify(wanted), () => session.call("listDevices", { query: wanted }), 30);
  return (
    <Panel title={t.list}>
      <div class="controls">
        <label>
          {t.state}
          <select
            value={wanted.state ?? "any"}
            onChange={(event) => changeQuery({ "devices.state": event.currentTarget.value, "devices.page": "" })}
          >
            {states.map((one) => (
              <option key={one} value={one}>
                {t.states[one]}
              </option>
            ))}
          </select>
        </label>
        <label class="wide">
          {t.prefix}
          <input
            type="search"
            value={query["devices.prefix"] ?? ""}
            spellcheck={false}
            autocomplete="off"
            onInput={(event) => changeQuery({ "devices.prefix": event.currentTarget.value, "devices.page": "" })}
          />
        </label>
      </div>
      <Loaded polled={devices}>
        {(answer) => (
          <List
            name="devices"
            label={t.list}
            columns={columns}
            rows={answer.devices}
            keyOf={(row) => row.device_id}
            empty={t.noDevices}
            remote={{ sortable: ["registered_at", "last_active"], hasMore: answer.has_more, sort: usualSort }}
          />
        )}
      </Loaded>
    </Panel>
  );
}
