import type { AnswerOf } from "../../client/connection/calls.js";
import { isAnswer } from "../../client/connection/failures.js";
import { type Action, type ActionField, secondsOf } from "../action.js";
import { formatSpan } from "../format.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";

const t = texts.devices;
const reasonField: ActionField = {
  name: "reason",
  label: texts.reason,
  type: "text",
  hint: texts.reasonHint,
  max: 500,
};
const highestLimit = 1000;

export function verifyAction(session: SignedIn, device_id: string, onDone: () => void): Action {
  return {
    title: t.verify,
    explanation: t.verifyHelp,
    submitLabel: t.verify,
    fields: [reasonField],
    onDone,
    async run({ reason = "" }) {
      await session.call("verifyDevice", { body: { device_id, reason } });
      return { text: t.verified(device_id), undo: () => revoke(session, device_id, texts.undoReason) };
    },
  };
}

export function revokeAction(session: SignedIn, device_id: string, onDone: () => void): Action {
  return {
    title: t.revoke,
    explanation: t.revokeHelp,
    submitLabel: t.revoke,
    fields: [reasonField],
    onDone,
    async run({ reason = "" }) {
      const text = await revoke(session, device_id, reason);
      const undo = async () => {
        await session.call("verifyDevice", { body: { device_id, reason: texts.undoReason } });
        return t.verified(device_id);
      };
      return { text, undo };
    },
  };
}

async function revoke(session: SignedIn, device_id: string, reason: string): Promise<string> {
  await session.call("revokeVerification", { body: { device_id, reason } });
  return t.revoked(device_id);
}

export function blockAction(session: SignedIn, device_id: string, onDone: () => void): Action {
  return {
    title: t.blockTitle,
    explanation: t.blockHelp(device_id),
    submitLabel: t.block,
    fields: [reasonField],
    nameToType: device_id.slice(0, 8),
    onDone,
    async run({ reason = "" }) {
      await session.call("blockDevice", { path: { device_id }, body: { reason } });
      return { text: t.blockedText(device_id) };
    },
  };
}

export function testPushAction(session: SignedIn, device_id: string): Action {
  return {
    title: t.testPush,
    explanation: t.testPushHelp,
    submitLabel: t.testPush,
    async run() {
      const answer = await session.call("testDevicePush", { path: { device_id } }).catch((failure: unknown) => {
        if (isAnswer(failure, "NOT_FOUND")) return t.noPush;
        if (isAnswer(failure, "CONFLICT")) return t.pushNotConfirmed;
        throw failure;
      });
      if (typeof answer === "string") return { text: answer, hasFailed: true };
      const { status_class, retry_after } = answer;
      const wait = retry_after === null ? null : formatSpan(retry_after);
      return { text: t.pushTested(status_class, wait), hasFailed: status_class !== "2xx" };
    },
  };
}

export function deleteAction(session: SignedIn, device_id: string, onDone: () => void): Action {
  return {
    title: t.deleteTitle,
    explanation: t.deleteHelp,
    submitLabel: t.delete,
    nameToType: device_id.slice(0, 8),
    onDone,
    async run() {
      await session.call("deleteDevice", { path: { device_id } });
      return { text: t.deletedText(device_id) };
    },
  };
}

export function verifyManyAction(session: SignedIn, ids: readonly string[], onDone: () => void): Action {
  return {
    title: t.verifyMany(ids.length),
    explanation: t.verifyManyHelp,
    submitLabel: t.verify,
    fields: [reasonField],
    nameToType: String(ids.length),
    onDone,
    async run({ reason = "" }) {
      const devices = ids.map((device_id) => ({ device_id, reason }));
      const { verified_count, failed_count } = await session.call("verifyDevices", { body: { devices } });
      return { text: t.verifiedMany(verified_count, failed_count) };
    },
  };
}

type Device = AnswerOf<"getDevice">;

export function limitAction(session: SignedIn, device: Device, onDone: () => void): Action {
  const { device_id } = device;
  const { custom_limit, custom_limit_expires_at } = device.rate_limiting;
  const set = async (limit: number | null, expiresAt: number | null, reason: string) => {
    const body = { device_id, custom_rate_limit: limit, expires_at: expiresAt, reason };
    const { rate_limit } = await session.call("setRateLimit", { body });
    return t.limitSet(device_id, rate_limit);
  };
  return {
    title: t.setLimit,
    explanation: t.setLimitHelp,
    submitLabel: t.setLimit,
    fields: [
      {
        name: "limit",
        label: t.limit,
        type: "number",
        value: String(custom_limit ?? ""),
        optional: true,
        min: 0,
        max: highestLimit,
      },
      { name: "until", label: t.limitUntil, type: "date", optional: true },
      reasonField,
    ],
    onDone,
    async run({ limit, until, reason = "" }) {
      const text = await set(limit ? Number(limit) : null, secondsOf(until) ?? null, reason);
      return { text, undo: () => set(custom_limit, custom_limit_expires_at, texts.undoReason) };
    },
  };
}
