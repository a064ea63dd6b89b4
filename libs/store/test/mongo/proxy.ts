import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';

/** A command of the driver to the server: its name comes first, as in `{ insert: 'things', … }`. */
export type Command = Readonly<Record<string, unknown>>;

/**
 * The proxy's handling of a command. `unanswered`: the server gets it, the driver gets no answer. `held`: the server
 * gets it at `release`.
 */
export type Verdict = 'pass' | 'unanswered' | 'held';

/** A server in front of MongoDB that sees every command, and may withhold its answer. */
export interface Proxy {
  readonly url: string;
  /** Passes the held commands to the server. */
  release(): void;
  /** The number of commands that were left unanswered. */
  withheld(): number;
  /** Closes every connection. */
  cut(): void;
  close(): Promise<void>;
}

const opMsg = 2013;

/** A wire message that answers another one. */
const answerTo = (request: Buffer, document: object): Buffer => {
  const body = BSON.serialize(document);
  const message = Buffer.alloc(21 + body.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(request.readInt32LE(4), 8);
  message.writeInt32LE(opMsg, 12);
  message.set(body, 21);
  return message;
};

/** The command in a wire message, or undefined if it is something else. */
const commandOf = (message: Buffer): Command | undefined => {
  if (message.readInt32LE(12) !== opMsg || message[20] !== 0) return undefined;
  return BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)));
};

/** Splits a stream into wire messages, each of which begins with its length. */
const splitter = () => {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer): Buffer[] => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Buffer[] = [];
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0);
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    return messages;
  };
};

/**
 * Starts a proxy. `judge` decides about each command before the server gets it; `answered` is called when the server
 * has answered an `unanswered` command. `instead` answers commands that the server does not know.
 */
export const startProxy = async (
  url: string,
  judge: (command: Command) => Verdict,
  answered: (command: Command) => void = () => {},
  instead: (command: Command) => object | undefined = () => undefined,
): Promise<Proxy> => {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const held: (() => void)[] = [];
  let unanswered = 0;
  const server = createServer((driver) => {
    const upstream = connect(Number(target.port), target.hostname);
    const split = splitter();
    let withheld: Command | undefined;
    for (const [socket, other] of [
      [driver, upstream],
      [upstream, driver],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    driver.on('data', (chunk: Buffer) => {
      for (const message of split(chunk)) {
        const command = commandOf(message);
        const verdict = command ? judge(command) : 'pass';
        const own = command && instead(command);
        if (verdict === 'unanswered') {
          withheld = command;
          unanswered += 1;
        }
        if (verdict !== 'unanswered' && own) {
          driver.write(answerTo(message, own));
          continue;
        }
        if (verdict === 'held') held.push(() => upstream.write(message));
        else upstream.write(message);
      }
    });
    upstream.on('data', (chunk: Buffer) => {
      if (withheld) answered(withheld);
      else driver.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (own.pathname === '') own.pathname = '/';
  own.searchParams.set('directConnection', 'true');
  return {
    url: own.href,
    release() {
      for (const send of held.splice(0)) send();
    },
    withheld: () => unanswered,
    cut,
    async close() {
      server.close();
      cut();
      await once(server, 'close');
    },
  };
};

/** Whether a command writes. */
export const isWrite = (command: Command): boolean =>
  ['insert', 'update', 'delete', 'findAndModify'].includes(Object.keys(command)[0] ?? '');
