import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";

/** A DNS server on loopback that knows some names and ignores queries for others. */
export interface DnsServer {
  /** `127.0.0.1:<port>` */
  address: string;
  /** IPv4 addresses by name. Other names do not exist. */
  names: Map<string, string>;
  /** Whether queries for a name get no answer for now. */
  isSilent: (name: string) => boolean;
  /** Answers the ignored queries. */
  speak(): void;
  /** Queried names, once per query. */
  asked: string[];
  stop(): Promise<void>;
}

const [typeA, nxdomain, headerBytes] = [1, 3, 12];

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const held: (() => void)[] = [];
  const server: DnsServer = {
    address: "",
    names: new Map(),
    isSilent: () => false,
    speak() {
      for (const answer of held.splice(0)) answer();
    },
    asked: [],
    async stop() {
      socket.close();
      await once(socket, "close");
    },
  };
  socket.on("message", (question: Buffer, from: RemoteInfo) => {
    const { name, type, end } = readQuestion(question);
    server.asked.push(name);
    const answer = (): void => {
      const reply = answerTo(question.subarray(0, end), { type, address: server.names.get(name) });
      socket.send(reply, from.port, from.address);
    };
    if (server.isSilent(name)) held.push(answer);
    else answer();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  server.address = `127.0.0.1:${socket.address().port}`;
  return server;
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The query, with an A record if it asked for one. */
function answerTo(question: Buffer, { type, address }: { type: number; address: string | undefined }): Buffer {
  const reply = Buffer.from(question);
  const hasRecord = address !== undefined && type === typeA;
  reply.writeUInt16BE(0x8180 | (address === undefined ? nxdomain : 0), 2);
  reply.writeUInt16BE(1, 4);
  reply.writeUInt16BE(hasRecord ? 1 : 0, 6);
  reply.writeUInt32BE(0, 8);
  if (!hasRecord) return reply;
  // The name as a pointer to the query's, type A, class IN, 60 seconds, four bytes.
  const record = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]);
  return Buffer.concat([reply, record]);
}
