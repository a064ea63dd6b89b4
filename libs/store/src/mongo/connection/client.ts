// The connection to MongoDB: the client, the time limit of calls, and errors in the words of the port.

import { MongoClient } from 'mongodb';

/**
 * Milliseconds that a call of the port may take, unless the caller sets another limit: short enough that a request whose
 * second call stalls, and then the one that ends its idempotency key, is answered before the gateway's timeout of 15 s.
 */
export const ANSWER_MS = 6_000;

/**
 * The driver's limits, shorter than that of a call, whose error would say less. A caller that is more patient than
 * usual has a more patient driver, too.
 */
const limitsOf = (answerMs: number) => {
  const patientMs = Math.max(answerMs, ANSWER_MS);
  return {
    // The driver opens two connections at a time: after the server was silent, calls wait this long for those two.
    connectTimeoutMS: patientMs / 2,
    // For the answer to a command, unless it sets another limit: also for those with which a connection authenticates,
    // which the limit above does not cover.
    socketTimeoutMS: patientMs - 1_000,
    waitQueueTimeoutMS: patientMs - 1_000,
    serverSelectionTimeoutMS: patientMs - 1_000,
    writeConcern: { w: 'majority', j: true, wtimeoutMS: patientMs - 1_000 },
  } as const;
};

/** Options of a command whose duration depends on the amount of its work: at most ten minutes. */
export const LONG_TIMEOUT = { timeoutMS: 600_000 } as const;

/** The URL without user and password, for messages. */
export const withoutCredentials = (url: string): string => url.replace(/\/\/[^@/]*@/, '//');

/** `<prefix>_<service>`: the prefix is the database in the URL, or `boxoffice`. */
export const databaseName = (url: string, service: string): string => {
  if (!/^[A-Za-z0-9_-]+$/.test(service)) throw new Error(`${JSON.stringify(service)} is not a store name`);
  const path = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]*)/.exec(url)?.[1];
  return `${path ? decodeURIComponent(path) : 'boxoffice'}_${service}`;
};

/**
 * Connects to the database of one service, with the read and write concerns that the port promises; they override those of the URL. Without a server a
 * call fails within seconds, instead of the driver's 30 s, unless the URL sets another limit.
 * @throws an Error that names the address and the reason
 */
export const connect = async (url: string, service: string, answerMs: number) => {
  const { serverSelectionTimeoutMS, ...limits } = limitsOf(answerMs);
  const impatient = /[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS };
  const name = databaseName(url, service);
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(url, {
      appName: `boxoffice ${service}`,
      readConcern: { level: 'majority' },
      readPreference: 'primary',
      retryWrites: true,
      retryReads: true,
      ignoreUndefined: true,
      ...limits,
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
