// The connection to MongoDB: the client, the time limit of calls, and errors in the words of the port.

import { type Db, MongoClient } from 'mongodb';

/** A connected client and the database of one service. */
export interface Connection {
  readonly client: MongoClient;
  readonly database: Db;
}

/**
 * Milliseconds for the opening of a connection. The driver opens two at a time: after the server was silent, calls wait
 * this long for those two, which is shorter than a call may take.
 */
const CONNECT_MS = 3_000;
/**
 * Milliseconds for the answer to a command, unless it sets another limit: also for those with which a connection
 * authenticates, which the limit above does not cover. Shorter than the time limit of a call.
 */
const COMMAND_MS = 5_000;

/** Options of a command whose duration depends on the amount of its work: at most ten minutes. */
export const unhurried = { timeoutMS: 600_000 } as const;

/** The URL without user and password, for messages. */
export const withoutCredentials = (url: string): string => url.replace(/\/\/[^@/]*@/, '//');

/** `<prefix>_<service>`: the prefix is the database in the URL, or `boxoffice`. */
export const databaseName = (url: string, service: string): string => {
  if (!/^[A-Za-z0-9_-]+$/.test(service)) throw new Error(`${JSON.stringify(service)} is not a store name`);
  const path = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]*)/.exec(url)?.[1];
  return `${path ? decodeURIComponent(path) : 'boxoffice'}_${service}`;
};

/**
 * Connects with the read and write concerns that the port promises; they override those of the URL. Without a server a
 * call fails within seconds, instead of the driver's 30 s, unless the URL sets another limit.
 * @throws an Error that names the address and the reason
 */
export const connect = async (url: string, service: string): Promise<Connection> => {
  const impatient = /[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS: 5_000 };
  const name = databaseName(url, service);
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(url, {
      appName: `boxoffice ${service}`,
      writeConcern: { w: 'majority', j: true, wtimeoutMS: 5_000 },
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      ignoreUndefined: true,
      connectTimeoutMS: CONNECT_MS,
      socketTimeoutMS: COMMAND_MS,
      waitQueueTimeoutMS: 5_000,
      ...impatient,
    });
    await client.connect();
    await client.db(name).command({ ping: 1 });
    return { client, database: client.db(name) };
  } catch (error) {
    await client?.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`MongoDB at ${withoutCredentials(url)}: ${reason}`, { cause: error });
  }
};
