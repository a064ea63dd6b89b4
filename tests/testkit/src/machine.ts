import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** The names of its program in Debian, in Ubuntu, and from its maker. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser that tests drive: the program that TEST_CHROMIUM names, else the first on the PATH; else undefined. */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.TEST_CHROMIUM || programNamed(NAMES, env);
}

const programNamed = (names: readonly string[], { PATH = '' }: Readonly<Record<string, string | undefined>>) =>
  PATH.split(delimiter)
    .filter((directory) => directory !== '')
    .flatMap((directory) => names.map((name) => join(directory, name)))
    .find((file) => existsSync(file));

/** The same without camera and password manager where that is there, which takes half the processor time. */
export function findHeadlessChromium(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.TEST_CHROMIUM || programNamed(['chromium-headless-shell', ...NAMES], env);
}

/**
 * Below the ports that systems give to connections and to servers that name none: otherwise one of them could have a
 * port until its process starts, or while it restarts. Above those of .ci/rabbitmq and .ci/mongodb.
 */
const RANGE = [17_000, 32_000] as const;

/** Returns `count` different free ports, for processes that restart at the same address. */
export async function findFreePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries === 10_000) throw new Error(`no free ports between ${RANGE.join(' and ')}`);
    const port = randomInt(...RANGE);
    if ((await isReserved(port)) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

/**
 * Keeps others from choosing the port until this process ends: they cannot take the UDP port of its number, which is no
 * obstacle to whoever listens there for TCP. Several processes choose at once, seconds before theirs listen.
 */
const isReserved = async (port: number): Promise<boolean> => {
  const socket = createSocket('udp4').unref();
  socket.bind({ port, address: '127.0.0.1', exclusive: true });
  const isOwn = await isBound(once(socket, 'listening'));
  if (!isOwn) socket.close();
  return isOwn;
};

const isBound = (listening: Promise<unknown>): Promise<boolean> =>
  listening.then(
    () => true,
    () => false,
  );

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await isBound(once(server, 'listening'));
  if (isListening) await new Promise((resolve) => server.close(resolve));
  return isListening;
};

export async function findFreePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}
