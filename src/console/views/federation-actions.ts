import { reasons, severities } from "../../../generated/reasons.js";
import type { AnswerOf, CallInput } from "../../client/connection/calls.js";
import { type Action, type ActionField, type ActionOutcome, secondsOf } from "../action.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";

const t = texts.federation;

type BlockBody = CallInput<"blockServer">["body"];
type Policy = AnswerOf<"getFederationPolicy">;
type BlockedServer = AnswerOf<"listBlockedServers">["blocked_servers"][number];

const yesOrNo = ["yes", "no"];

export function blockAction(session: SignedIn, domain: string, onDone?: () => void): Action {
  const domainField: ActionField = { name: "domain", label: t.domain, type: "text", value: domain, max: 253 };
  return {
    title: t.block,
    explanation: t.blockHelp,
    submitLabel: t.block,
    fields: [
      domainField,
      { name: "reason", label: texts.reason, type: "text", hint: texts.reasonHint, max: 500 },
      { name: "category", label: t.category, type: "select", options: reasons, value: "spam" },
      { name: "severity", label: t.severity, type: "select", options: severities, value: "medium" },
      { name: "until", label: t.until, type: "date", optional: true },
    ],
    onDone: () => onDone?.(),
    async run({ domain: server_domain = "", reason = "", category, severity, until }) {
      const body = { server_domain, reason, reason_category: category, severity, expires_at: secondsOf(until) ?? null };
      await session.call("blockServer", { body: body as BlockBody });
      return { text: t.blockedText(server_domain), undo: () => unblock(session, server_domain) };
    },
  };
}

export function unblockAction(session: SignedIn, block: BlockedServer, onDone: () => void): Action {
  const { domain, reason, reason_category, severity, expires_at } = block;
  return {
    title: t.unblock,
    explanation: t.unblockHelp,
    submitLabel: t.unblock,
    nameToType: domain,
    onDone,
    async run() {
      const text = await unblock(session, domain);
      const undo = async () => {
        const body = { server_domain: domain, reason, reason_category, severity, expires_at };
        await session.call("blockServer", { body });
        return t.blockedText(domain);
      };
      return { text, undo };
    },
  };
}

async function unblock(session: SignedIn, server_domain: string): Promise<string> {
  await session.call("unblockServer", { path: { server_domain } });
  return t.unblockedText(server_domain);
}

export async function retryOutbox(session: SignedIn, server_domain: string): Promise<ActionOutcome> {
  const { retried } = await session.call("retryOutbox", { path: { server_domain } });
  return { text: retried ? t.retried(server_domain) : t.notRetried(server_domain) };
}

export function purgeAction(session: SignedIn, server_domain: string, onDone: () => void): Action {
  return {
    title: t.purge,
    explanation: t.purgeHelp,
    submitLabel: t.purge,
    nameToType: server_domain,
    onDone,
    async run() {
      const { purged_messages } = await session.call("purgeOutbox", { path: { server_domain } });
      return { text: t.purged(server_domain, purged_messages) };
    },
  };
}

export function policyAction(session: SignedIn, policy: Policy, onDone: () => void): Action {
  const choice = (name: keyof Policy, label: string): ActionField => {
    return { name, label, type: "select", options: yesOrNo, value: policy[name] ? "yes" : "no" };
  };
  const set = async (body: Policy) => {
    await session.call("setFederationPolicy", { body });
    return t.policySet;
  };
  return {
    title: t.changePolicy,
    explanation: t.policyHelp,
    submitLabel: t.changePolicy,
    nameToType: session.domain,
    fields: [
      choice("allowlist_mode", t.allowlistMode),
      { name: "allowlist", label: t.allowlistLines, type: "lines", value: policy.allowlist.join("\n"), optional: true },
      { name: "auto_block_threshold", label: t.threshold, type: "number", value: String(policy.auto_block_threshold) },
      choice("require_certificate_validation", t.checkCertificates),
      choice("publish_blocklist", t.publish),
    ],
    onDone,
    async run(values) {
      const isYes = (name: keyof Policy) => values[name] === "yes";
      const text = await set({
        allowlist_mode: isYes("allowlist_mode"),
        allowlist: (values["allowlist"] ?? "").split(/\s+/).filter(Boolean),
        auto_block_threshold: Number(values["auto_block_threshold"]),
        require_certificate_validation: isYes("require_certificate_validation"),
        publish_blocklist: isYes("publish_blocklist"),
      });
      return { text, undo: () => set(policy) };
    },
  };
}
