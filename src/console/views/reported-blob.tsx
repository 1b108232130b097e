import { useState } from "preact/hooks";
import type { Action } from "../action.js";
import { useConsole } from "../context.js";
import { FailureNote } from "../failure-note.js";
import { LookUp } from "../fields.js";
import { Panel } from "../panel.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";

const t = texts.reports;
/** The id alone, or the URL that ends in it. */
const idForm = /(?:^|\/)([0-9a-f]{64})\/?$/i;
const digitsToType = 8;

/** Deletes a file that somebody has reported, which its id alone identifies: the relay cannot list or read files. */
export function ReportedBlob({ onDeleted }: { onDeleted(): void }) {
  const { session, ask } = useConsole();
  const [deleted, setDeleted] = useState(0);
  const [failure, setFailure] = useState<unknown>();
  const done = () => {
    setDeleted((old) => old + 1);
    onDeleted();
  };
  const submit = (typed: string) => {
    const [, id] = idForm.exec(typed) ?? [];
    setFailure(id === undefined ? new Error(t.notABlob) : undefined);
    if (id !== undefined) ask(deleteAction(session, id.toLowerCase(), done));
  };
  return (
    <Panel title={t.blob} hint={t.blobHelp}>
      <LookUp key={deleted} label={t.blobId} button={t.deleteBlob} isDangerous onSubmit={submit} />
      {failure !== undefined && <FailureNote failure={failure} />}
    </Panel>
  );
}

function deleteAction(session: SignedIn, blob_id: string, onDone: () => void): Action {
  const beginning = blob_id.slice(0, digitsToType);
  return {
    title: t.deleteBlob,
    explanation: t.deleteBlobHelp,
    submitLabel: t.deleteBlob,
    nameToType: beginning,
    onDone,
    async run() {
      await session.call("removeBlob", { path: { blob_id } });
      return { text: t.deletedBlob(beginning) };
    },
  };
}
