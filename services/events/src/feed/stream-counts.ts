import { randomUUID } from 'node:crypto';
import { type Logger, repeat } from '@boxoffice/runtime';
import { collection, type Document, type Store } from '@boxoffice/store';

/** The open streams of a client at one instance. */
interface OpenStreamsDocument extends Document {
  readonly client: string;
  readonly instance: string;
  readonly count: number;
  /** Epoch milliseconds: an instance that has not renewed it until then is dead, and its streams have ended. */
  readonly until: number;
}

export const openStreamsCollection = collection<OpenStreamsDocument>('open_streams', [
  { name: 'client', fields: ['client'] },
  { name: 'instance', fields: ['instance'] },
  { name: 'until', fields: ['until'], acrossInstitutions: true },
]);

/** The streams that clients have open, at all instances together. */
export type StreamCounts = ReturnType<typeof createStreamCounts>;

/** Streams of a client at once. */
export const MOST_PER_CLIENT = 20;

/** How long the streams of an instance count that died. */
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;

interface Own {
  count: number;
  /** Actions that wait or run, and the last of them. */
  acting: number;
  last: Promise<unknown>;
  /** Whether the store may have another number, since the last action failed. */
  isStale: boolean;
}

/** Counts the streams of an instance, and reads those of the others. */
export const createStreamCounts = (
  store: Pick<Store, 'collection'>,
  logger: Pick<Logger, 'warn'>,
  now: () => number,
) => {
  const instance = randomUUID();
  const institutions = new Map<string, Map<string, Own>>();
  const documentsOf = (institution: string) => store.collection(openStreamsCollection).of(institution);
  // Ids are unique over all institutions.
  const idOf = (institution: string, client: string): string => `${instance}.${institution}.${client}`;

  const ownOf = (institution: string, client: string): Own => {
    const clients = institutions.get(institution) ?? new Map<string, Own>();
    institutions.set(institution, clients);
    const own = clients.get(client) ?? { count: 0, acting: 0, last: Promise.resolve(), isStale: false };
    clients.set(client, own);
    return own;
  };

  const write = async (institution: string, client: string, count: number): Promise<void> => {
    const documents = documentsOf(institution);
    const id = idOf(institution, client);
    if (count === 0) return void (await documents.delete(id));
    const state = { count, until: now() + LEASE_MS };
    const updated = await documents.update(id, (current) => ({ next: { ...current, ...state } }));
    if (!updated) await documents.insert({ id, client, instance, ...state });
  };

  const countOfOthers = async (institution: string, client: string): Promise<number> => {
    const found = await documentsOf(institution).find({ where: { client, until: { gt: now() } } });
    return found.reduce((sum, one) => sum + (one.instance === instance ? 0 : one.count), 0);
  };

  /** Acts on the client's count after every earlier action, and forgets the client when nothing is left of it. */
  const inTurn = async <T>(institution: string, client: string, act: (own: Own) => Promise<T>): Promise<T> => {
    const own = ownOf(institution, client);
    own.acting += 1;
    const acted = own.last.then(() => act(own));
    own.last = acted.then(
      () => {
        own.isStale = false;
      },
      () => {
        own.isStale = true;
      },
    );
    try {
      return await acted;
    } finally {
      await own.last;
      own.acting -= 1;
      if (own.acting === 0 && own.count === 0 && !own.isStale) institutions.get(institution)?.delete(client);
    }
  };

  /** Writes the client's number. */
  const writeCount = (institution: string, client: string): Promise<void> =>
    inTurn(institution, client, (own) => write(institution, client, own.count));

  /** Counts one less. */
  const release = (institution: string, client: string): void => {
    ownOf(institution, client).count -= 1;
    writeCount(institution, client).catch((error: unknown) =>
      logger.warn('an ended stream could not be counted; it is tried again', { error }),
    );
  };

  const renew = async (): Promise<void> => {
    for (const [institution, clients] of institutions) {
      for (const [client, { acting, isStale }] of clients)
        if (acting === 0 && isStale) await writeCount(institution, client);
      if (clients.size === 0) institutions.delete(institution);
      else await documentsOf(institution).claim({ where: { instance }, set: { until: now() + LEASE_MS } });
    }
  };
  const renewing = repeat(renew, {
    everyMs: RENEW_MS,
    failed: (error) => logger.warn('the count of open streams could not be renewed; the next run does', { error }),
  });

  return {
    /** Counts one more stream of the client, unless it has {@link MOST_PER_CLIENT}: then false. */
    admit(institution: string, client: string): Promise<boolean> {
      return inTurn(institution, client, async (own) => {
        if (own.count >= MOST_PER_CLIENT) return false;
        // Written before the others are read: of two instances that admit at once, at least one sees the other.
        own.count += 1;
        try {
          await write(institution, client, own.count);
          if (own.count + (await countOfOthers(institution, client)) <= MOST_PER_CLIENT) return true;
        } catch (error) {
          release(institution, client);
          throw error;
        }
        release(institution, client);
        return false;
      });
    },
    release,
    async close(): Promise<void> {
      await renewing.close();
      for (const [institution, clients] of institutions)
        for (const client of clients.keys())
          await inTurn(institution, client, () => write(institution, client, 0)).catch(() => undefined);
    },
  };
};
