import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { statuses as all } from '../../src/domain/ticket.ts';
import { doorModule } from './modules.ts';
import { createMemory } from './phones.ts';

const { createStatuses } = await doorModule('statuses.js');

const HERE = ['prf_1', 'prf_2'];

type Listed = { readonly id: string; readonly status: string; readonly gate: string | null };

/** A phone's lists, and what the server has listed since. */
const openLists = (database = createMemory()) => {
  let items: readonly Listed[] = [];
  const list = async () => ({ items, nextCursor: null, asOf: 'now' });
  const lists = createStatuses({ database, list, now: () => 0, onChange: () => {} });
  return {
    ...{ lists, database },
    refresh: async (performanceId: string, listed: readonly Listed[]) => {
      // An id has one performance.
      items = listed.map((item) => ({ ...item, id: `${performanceId} ${item.id}` }));
      await lists.refresh(performanceId);
    },
  };
};

/** The counts by going through the whole list. */
const recounted = (lists: { all(): (Listed & { performanceId: string })[] }) => {
  const here = lists.all().filter(({ performanceId }) => HERE.includes(performanceId));
  const gates = new Map<string | null, number>();
  for (const { gate } of here.filter(({ status }) => status === 'controlled'))
    gates.set(gate, (gates.get(gate) ?? 0) + 1);
  const issued = here.filter(({ status }) => ['not_printed', 'printed', 'controlled'].includes(status)).length;
  return { issued, gates };
};

const listed = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  status: fc.constantFrom(...all),
  gate: fc.constantFrom('North', 'South', null),
});

test('counts are those of the list, whatever comes, changes and goes', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        performanceId: fc.constantFrom(...HERE, 'prf_3'),
        items: fc.uniqueArray(listed, { selector: ({ id }) => id }),
      }),
      fc.record({ change: listed, of: fc.constantFrom(...HERE) }),
      fc.record({ kept: fc.subarray([...HERE, 'prf_3']) }),
    ),
  );
  const property = fc.asyncProperty(steps, async (given) => {
    const { lists, database, refresh } = openLists();
    for (const step of given) {
      if ('items' in step) await refresh(step.performanceId, step.items);
      else if ('kept' in step) await lists.keep(step.kept);
      else await lists.set([[`${step.of} ${step.change.id}`, { status: step.change.status, gate: step.change.gate }]]);
      expect(lists.countsOf(HERE)).toEqual(recounted(lists));
    }
    const reloaded = openLists(database).lists;
    await reloaded.open();
    expect(reloaded.countsOf(HERE)).toEqual(recounted(lists));
  });
  await fc.assert(property);
});
