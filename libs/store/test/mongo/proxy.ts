import { createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Binary, BSON } from 'mongodb';

/** A command of the driver to the server: its name comes first, as in `{ insert: 'things', … }`. */
export type Command = Readonly<Record<string, unknown>>;

/**
 * The proxy's handling of a command. `unanswered`: the server gets it, the driver gets no answer. `held`: the server
 * gets it at `release`.
 */
export type Verdict = 'pass' | 'unanswered' | 'held';

/** A server in front of MongoDB that sees every command, and may withhold its answer. */
interface Proxy {
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

/**
 * Starts a proxy. `judge` decides about each command before the server gets it; `answered` is called when the server
 * has answered an `unanswered` command. `instead` answers commands that the server does not know.
 */
export async function startProxy(
  url: string,
  judge: (command: Command) => Verdict,
  answered: (command: Command) => void = () => {},
  instead: (command: Command) => object | undefined = () => undefined,
): Promise<Proxy> {
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
}

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

/** The command in a wire message, or undefined if it is something else. */
const commandOf = (message: Buffer): Command | undefined => {
  if (message.readInt32LE(12) !== opMsg || message[20] !== 0) return undefined;
  return BSON.deserialize(message.subarray(21, 21 + message.readInt32LE(21)));
};

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

/** Whether a command writes. */
export function isWrite(command: Command): boolean {
  return ['insert', 'update', 'delete', 'findAndModify'].includes(Object.keys(command)[0] ?? '');
}

const ITERATIONS = 4_096;

/**
 * The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677) for the user with this password, as answers to commands; it
 * believes every client. Conversations are told apart by their nonce.
 */
export function createScramServer(password: string) {
  const conversations = new Map<string, string>();
  const salt = randomBytes(16);
  const serverKey = hmac(pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256'), 'Server Key');
  return (command: Command): object | undefined => {
    if ('saslStart' in command) {
      const bare = textIn(command).slice('n,,'.length);
      const nonce = `${/r=(.*)$/.exec(bare)?.[1]}${randomBytes(12).toString('base64')}`;
      const first = `r=${nonce},s=${salt.toString('base64')},i=${ITERATIONS}`;
      conversations.set(nonce, `${bare},${first}`);
      return { ok: 1, conversationId: 1, done: false, payload: Buffer.from(first) };
    }
    if ('saslContinue' in command) {
      const [withoutProof = '', nonce = ''] = /^c=biws,r=([^,]*)/.exec(textIn(command)) ?? [];
      const signature = hmac(serverKey, `${conversations.get(nonce)},${withoutProof}`);
      return { ok: 1, conversationId: 1, done: true, payload: Buffer.from(`v=${signature.toString('base64')}`) };
    }
    return undefined;
  };
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const textIn = ({ payload }: Command): string => Buffer.from((payload as Binary).buffer).toString();
