import { connect as connectSocket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { settleWithin } from '@boxoffice/runtime/time';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import { computeBackoff, describeReason } from '../attempts.ts';
import type { Logger } from '../port.ts';

/** The work of one channel, set up again whenever the channel or its connection was lost. */
export interface Station {
  readonly name: string;
  open(channel: ConfirmChannel): Promise<void>;
  /** The channel is lost: outstanding confirms and acknowledgements on it will not happen. */
  onLost(): void;
}

export type Link = Awaited<ReturnType<typeof openLink>>;

interface LinkOptions {
  readonly url: string;
  readonly name: string;
  readonly logger: Logger;
  /** How long the handshake, and after it the opening of the stations, may take. Default 10,000. */
  readonly openingMs?: number;
  /** How long `close` waits for the broker. Default 3,000. */
  readonly closingMs?: number;
}

const heartbeatSeconds = '10';

/** The driver reopens the connection, this module the channels, also when the broker closes one alone. */
export async function openLink(options: LinkOptions) {
  const { url, name, logger, openingMs = 10_000, closingMs = 3_000 } = options;
  // Only here: an installation without RabbitMQ does not load its client.
  const { connect } = await import('amqplib');
  const address = new URL(url);
  if (!/^amqps?:$/.test(address.protocol))
    throw new Error('the address of RabbitMQ must begin with amqp:// or amqps://');
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', heartbeatSeconds);
  /** The attached stations, each with the callbacks that wait for its opening. */
  const stations = new Map<Station, () => void>();
  /** The last channel of each; events of earlier channels are ignored. */
  const channels = new WeakMap<Station, ConfirmChannel>();
  let current: ChannelModel | undefined;
  let blocked = false;
  let closing = false;
  let lastFailure: unknown;

  const openStation = async (model: ChannelModel, station: Station): Promise<void> => {
    const channel = await model.createConfirmChannel();
    channels.set(station, channel);
    let opened = false;
    channel.on('error', (error) => logger.warn('RabbitMQ closed a channel', { part: station.name, error }));
    channel.on('handler-error', (error) => logger.error('a channel listener failed', { part: station.name, error }));
    channel.once('close', () => {
      if (channels.get(station) !== channel) return;
      station.onLost();
      if (opened && !closing) void reopen(model, station);
    });
    try {
      await station.open(channel);
    } catch (error) {
      await closeChannel(channel);
      throw error;
    }
    opened = true;
    const wake = stations.get(station);
    if (wake) wake();
    else await closeChannel(channel); // detached meanwhile
  };

  /** Opens a station's channel again for as long as its connection lasts; the next connection opens all of them. */
  const reopen = async (model: ChannelModel, station: Station): Promise<void> => {
    for (let tries = 1; ; tries++) {
      await pause(computeBackoff(tries, 5_000));
      if (closing || current !== model || !stations.has(station)) return;
      try {
        return await openStation(model, station);
      } catch (error) {
        logger.warn('a channel could not be opened again', { part: station.name, error });
      }
    }
  };

  /** After every (re)connection, before the driver attaches its listeners: a close during it must be handled here. */
  const setup = async (model: ChannelModel): Promise<void> => {
    const ended = Promise.withResolvers<never>();
    ended.promise.catch(() => {});
    model.on('error', (error) => {
      lastFailure = error;
    });
    model.on('handler-error', (error) => logger.error('a connection listener failed', { part: name, error }));
    model.on('blocked', (reason) => {
      blocked = true;
      logger.warn('RabbitMQ accepts no messages', { part: name, reason });
    });
    model.on('unblocked', () => {
      blocked = false;
    });
    model.once('close', (error) => {
      if (current === model) current = undefined;
      ended.reject(error ?? new Error('connection closed'));
    });
    current = model;
    blocked = false;
    const opened = [...stations.keys()].map((station) =>
      openStation(model, station).catch((error: unknown) => {
        lastFailure = error;
        logger.warn('a channel could not be opened', { part: station.name, error });
        void reopen(model, station);
      }),
    );
    try {
      await settleWithin(Promise.race([Promise.all(opened), ended.promise]), openingMs, () => {
        throw new Error(`channels not open within ${openingMs} ms`);
      });
    } catch (error) {
      if (current === model) current = undefined;
      // The driver would wait for the broker's response to its close without limit; a second close is refused at once.
      model.close().catch(() => {});
      throw error;
    }
  };

  const connection = await connect(address.toString(), {
    timeout: openingMs,
    noDelay: true,
    keepAlive: true,
    clientProperties: { connection_name: name },
    recovery: { waitForConnect: false, initialDelay: 100, maxDelay: 5_000, factor: 2, jitter: 0.2, setup },
  });
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => {});
  connection.on('error', (error) => {
    lastFailure = error;
  });
  connection.on('connect', () => {
    logger.info('connected to RabbitMQ', { part: name });
    first.resolve();
  });
  connection.on('disconnect', (error) => logger.warn('the connection to RabbitMQ is lost', { part: name, error }));
  connection.on('connect-failed', (error) => {
    lastFailure = error;
    if (isRefusal(error.message)) unreachable(address, error, 0).then(first.reject);
  });

  return {
    /** Whether the connection is open and the broker accepts messages. */
    isUp: (): boolean => current !== undefined && !blocked,
    /** Resolves at the first connection. @throws after `ms`, or at once if the broker refuses the connection. */
    async waitUntilEstablished(ms: number): Promise<void> {
      await settleWithin(first.promise, ms, async () => {
        throw await unreachable(address, lastFailure, ms);
      });
    },
    /** Resolves when the station is open, at once without a connection within `waitMs`: it opens with the next one. */
    async attach(station: Station, waitMs: number): Promise<void> {
      const opening = Promise.withResolvers<void>();
      stations.set(station, opening.resolve);
      const model = current;
      if (model) {
        try {
          return await openStation(model, station);
        } catch (error) {
          if (current === model) {
            stations.delete(station);
            throw error;
          }
        }
      }
      if (waitMs > 0) await settleWithin(opening.promise, waitMs, () => {});
    },
    detach(station: Station): void {
      stations.delete(station);
    },
    /** `expecting`: a reply code with which the broker may close it without a warning. @throws without a connection */
    async using<T>(
      work: (channel: ConfirmChannel) => Promise<T>,
      { expecting }: { readonly expecting?: number } = {},
    ): Promise<T> {
      if (!current) throw new Error('not connected to RabbitMQ');
      const channel = await current.createConfirmChannel();
      channel.on('error', (error: Error & { readonly code?: number }) => {
        if (error.code !== expecting) logger.warn('RabbitMQ closed a channel', { part: name, error });
      });
      try {
        return await work(channel);
      } finally {
        await closeChannel(channel);
      }
    },
    async close(): Promise<void> {
      closing = true;
      current = undefined;
      await settleWithin(connection.close(), closingMs, () => {}); // its last response may never come
    },
  };
}

/** Closes a channel; never rejects, and does not wait for the broker's answer if the connection ends meanwhile. */
export async function closeChannel(channel: ConfirmChannel): Promise<void> {
  const closed = new Promise<void>((resolve) => channel.once('close', resolve));
  await Promise.race([channel.close(), closed]).catch(() => {});
}

/** The broker refused the connection: waiting does not help. */
const isRefusal = (message: string): boolean => /ACCESS[_-]REFUSED|NOT[_-]ALLOWED|not authorised/i.test(message);

/** How long a broker's address may take to accept a connection. */
const acceptingMs = 1_000;

/** Whether a broker's address accepts TCP connections: then the broker exists, even if it does not respond. */
const accepts = ({ protocol, hostname, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const standard = protocol === 'amqps:' ? 5671 : 5672;
    const socket = connectSocket({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || standard });
    const tell = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(acceptingMs, tell(false));
    socket.once('connect', tell(true)).once('error', tell(false));
  });

/** No connection within the time limit: the reason in one line. */
const unreachable = async (address: URL, error: unknown, ms: number): Promise<Error> => {
  // The driver's messages may begin with the name of the error class.
  const reason = describeReason((error as Error | undefined)?.message ?? error).replace(/^Error: /, '');
  const say = (what: string) => new Error(`RabbitMQ at ${address.host} ${what}`, { cause: error });
  if (isRefusal(reason)) return say(`refuses the login: ${reason}`);
  if (error !== undefined && !reason.includes('ETIMEDOUT')) return say(`cannot be reached: ${reason}`);
  const silence = `did not answer within ${ms / 1_000} s`;
  return say((await accepts(address)) ? `accepted the connection and ${silence}` : `cannot be reached: it ${silence}`);
};
