import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { programs } from "../support/programs.js";

/** A socket as systemd opens it for a unit of `Type=notify`. Node.js has none of that kind. */
export interface NotifySocket {
  /** The value of NOTIFY_SOCKET. */
  path: string;
  /** The lines that were received so far. */
  lines(): string[];
  /** Resolves when a line was received, again after `from` lines. */
  received(line: string, from?: number): Promise<void>;
  stop(): Promise<void>;
}

const script = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True:
    data, ancillary, flags, sender = s.recvmsg(65536, socket.CMSG_SPACE(64))
    for level, kind, value in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            for i in range(0, len(value), 4):
                os.close(int.from_bytes(value[i:i + 4], sys.byteorder))
    print(data.decode(), flush=True)
`;

export async function openNotifySocket(path: string): Promise<NotifySocket> {
  const python = programs.python3.find() ?? "python3";
  const child: ChildProcessByStdio<null, Readable, null> = spawn(python, ["-c", script, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  const lines = () => text.split("\n").slice(0, -1);
  const received = async (line: string, from = 0): Promise<void> => {
    while (!lines().slice(from).includes(line)) await once(child.stdout, "data");
  };
  await received("bound");
  return {
    path,
    lines,
    received,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
