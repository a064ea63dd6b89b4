import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A relay before a server of MongoDB's protocol that can refuse its writes. */
export interface WriteGate {
  readonly url: string;
  /** Answers writes as a primary does that has stepped down: NotWritablePrimary; reads still reach the server. */
  refuse(refusing: boolean): void;
  /** The number of writes that it has refused. */
  refused(): number;
  close(): Promise<void>;
}

/** The length of a message's header, and its type with a body of documents. */
const HEADER = 16;
const OP_MSG = 2013;
/** Of a message with a body: the section's kind, after the header and the flags, and the first element of its document. */
const KIND = 20;
const ELEMENT = 25;

const writes: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findandmodify']);

/** The name of a message's command: that of its document's first element; undefined for other messages. */
export const commandOf = (message: Buffer): string | undefined => {
  if (message.length <= ELEMENT || message.readInt32LE(12) !== OP_MSG || message[KIND] !== 0) return undefined;
  const end = message.indexOf(0, ELEMENT + 1);
  return end < 0 ? undefined : message.toString('utf8', ELEMENT + 1, end);
};

/** Divides a stream into messages, each of which begins with its length. */
export const divided = (received: Buffer): { readonly messages: readonly Buffer[]; readonly rest: Buffer } => {
  const messages: Buffer[] = [];
  let at = 0;
  while (received.length - at >= 4) {
    const length = received.readInt32LE(at);
    if (length < HEADER || received.length - at < length) break;
    messages.push(received.subarray(at, at + length));
    at += length;
  }
  return { messages, rest: received.subarray(at) };
};

const text = (value: string): Buffer => {
  const bytes = Buffer.from(`${value}\0`);
  const length = Buffer.alloc(4);
  length.writeInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const element = (type: number, name: string, value: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);

/** The BSON of `{ ok: 0, errmsg, code, codeName }`. */
const refusal = (() => {
  const ok = Buffer.alloc(8);
  const code = Buffer.alloc(4);
  code.writeInt32LE(10107);
  const body = Buffer.concat([
    element(0x01, 'ok', ok),
    element(0x02, 'errmsg', text('not primary')),
    element(0x10, 'code', code),
    element(0x02, 'codeName', text('NotWritablePrimary')),
    Buffer.from([0]),
  ]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(body.length + 4);
  return Buffer.concat([length, body]);
})();

/** The answer of a server that accepts no writes to this message. */
export const refusalOf = (message: Buffer): Buffer => {
  const head = Buffer.alloc(HEADER + 5);
  head.writeInt32LE(head.length + refusal.length, 0);
  message.copy(head, 8, 4, 8);
  head.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([head, refusal]);
};

/** Opens a gate before the server of the URL, on a port that the system chooses. */
export const openWriteGate = async (url: string): Promise<WriteGate> => {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let refusing = false;
  let refused = 0;
  const tracked = (socket: Socket, other: () => Socket): void => {
    sockets.add(socket);
    socket.on('error', () => other().destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      other().destroy();
    });
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    tracked(client, () => upstream);
    tracked(upstream, () => client);
    let received: Buffer = Buffer.alloc(0);
    client.on('data', (chunk) => {
      const { messages, rest } = divided(Buffer.concat([received, chunk]));
      received = rest;
      for (const message of messages) {
        if (refusing && writes.has(commandOf(message)?.toLowerCase() ?? '')) {
          refused += 1;
          client.write(refusalOf(message));
        } else upstream.write(message);
      }
    });
    upstream.pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  return {
    url: `mongodb://127.0.0.1:${address.port}`,
    refuse(now) {
      refusing = now;
    },
    refused: () => refused,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
