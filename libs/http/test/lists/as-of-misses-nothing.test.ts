import { randomUUID } from 'node:crypto';
import { collection, type Document, type Documents, openMongoStore } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readChangesPage } from '../../src/index.ts';
import { createCursorCodec } from '../../src/lists.ts';
import { openForSuite, openTestStore } from '../fixture.ts';

// Instances with different clocks write while a client walks the list repeatedly. Time is simulated: an instant is
// taken at one moment, and the write that carries it becomes visible at a later one.

interface Thing extends Document {
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const things = collection<Thing>('things', [
  { name: 'created', fields: ['createdAt'] },
  { name: 'updated', fields: ['updatedAt'] },
]);

/**
 * All in milliseconds: `at` is simulated time, `late` how long after its instant the write becomes visible, `ahead` how
 * far its writer's clock is ahead.
 */
interface Write {
  readonly at: number;
  readonly late: number;
  readonly ahead: number;
  readonly document: number;
}

interface Play {
  readonly writes: readonly Write[];
  /** When the client reads a page: the next one of its walk, or the first one of the next walk. */
  readonly reads: readonly number[];
  /** How far the clock of the instance that the client reads from is ahead. */
  readonly ahead: number;
  /** Whether a walk with `modifiedSince` is ordered by `updatedAt`. */
  readonly byChange: boolean;
}

const iso = (ms: number) => new Date(Date.UTC(2027, 0, 1) + ms).toISOString();
const codec = createCursorCodec('a key', 'listThings');
const cursor = {
  read: (text: string | undefined) => (text === undefined ? undefined : codec.read('opera', text)),
  write: (position: Parameters<typeof codec.write>[1]) => codec.write('opera', position),
};

/** Returns the documents that the client has in the end, and those that exist. */
const play = async (documents: Documents<Thing>, prefix: string, { writes, reads, ahead, byChange }: Play) => {
  const mirror = new Map<string, number>();
  let since: string | undefined;
  let walk: { readonly cursor: string; readonly asOf: string } | undefined;

  const write = async ({ at, ahead: writers, document }: Write) => {
    const id = `${prefix}-${document}`;
    const updatedAt = iso(at + writers);
    const changed = await documents.update(id, (current) => ({
      next: { ...current, revision: current.revision + 1, updatedAt },
    }));
    if (!changed) await documents.insert({ id, revision: 1, createdAt: updatedAt, updatedAt });
  };
  const readPage = async (now: number) => {
    const query = { limit: 2, ...(since && { modifiedSince: since }), ...(walk && { cursor: walk.cursor }) };
    const { data } = await readChangesPage({ query, cursor }, documents, {
      orderBy: byChange && since !== undefined ? 'updatedAt' : 'createdAt',
      clock: () => Date.parse(iso(now + ahead)),
      item: ({ id, revision }) => ({ id, revision }),
    });
    if (walk) expect(data.asOf).toBe(walk.asOf);
    for (const { id, revision } of data.items) mirror.set(id, revision);
    walk = data.nextCursor === null ? undefined : { cursor: data.nextCursor, asOf: data.asOf };
    if (!walk) since = data.asOf;
  };

  const steps = [
    ...writes.map((one) => ({ at: one.at + one.late, run: () => write(one) })),
    ...reads.map((at) => ({ at, run: () => readPage(at) })),
  ].sort((a, b) => a.at - b.at);
  for (const { run } of steps) await run();
  const end = Math.max(0, ...steps.map(({ at }) => at));
  // The running walk, and one more after the last write.
  while (walk) await readPage(end);
  do await readPage(end);
  while (walk);
  const there = await documents.find();
  return { mirror, there: new Map(there.map(({ id, revision }) => [id, revision])) };
};

const SKEW = 5_000;
const clocks = { writer: fc.integer({ min: 0, max: SKEW }), reader: fc.integer({ min: 0, max: SKEW }) };
const plays: fc.Arbitrary<Play> = fc.record({
  writes: fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 40_000 }),
      late: fc.integer({ min: 0, max: 9_999 }),
      ahead: clocks.writer,
      document: fc.integer({ min: 1, max: 6 }),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  reads: fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 20 }),
  ahead: clocks.reader,
  byChange: fc.boolean(),
});

/** A slow clock takes an instant, a fast one answers the walks, and the write becomes visible as late as it may. */
const worst: Play = {
  writes: [
    { at: 0, late: 0, ahead: 0, document: 1 },
    { at: 20_000, late: 9_999, ahead: 0, document: 1 },
  ],
  reads: [10_000, 29_998],
  ahead: SKEW,
  byChange: true,
};

const mongo = process.env.TEST_MONGODB_URL;

const mongodb = async (url: string) => {
  const store = await openMongoStore({ url, name: `test-${randomUUID()}`, collections: [things], answerMs: 60_000 });
  return { store, close: () => store.close() };
};

const engines = [
  { name: 'SQLite', open: () => openTestStore(things), runs: 60 },
  ...(mongo === undefined ? [] : [{ name: 'MongoDB', open: () => mongodb(mongo), runs: 8 }]),
];

describe.each(engines)('asOf as the next modifiedSince, on $name', ({ open, runs }) => {
  const opened = openForSuite(open);

  const outcome = (given: Play) => {
    // An id is unique across institutions.
    const [institution, prefix] = [randomUUID(), randomUUID()];
    return play(opened.store.collection(things).of(institution), prefix, given);
  };

  test('misses no write, with clocks 5 s apart and writes that become visible 10 s after their instant', async () => {
    await fc.assert(
      fc.asyncProperty(plays, async (given) => {
        const { mirror, there } = await outcome(given);
        expect(mirror).toEqual(there);
      }),
      { numRuns: runs, examples: [[worst]] },
    );
  });

  test('would miss a write if it were the time of reading, or a second less than 15 s before it', async () => {
    for (const fresher of [15_000, 1_000]) {
      const { mirror, there } = await outcome({ ...worst, ahead: worst.ahead + fresher });
      expect(mirror).not.toEqual(there);
    }
    const { mirror, there } = await outcome(worst);
    expect(mirror).toEqual(there);
  });
});
