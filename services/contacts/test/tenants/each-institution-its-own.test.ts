import type { CollectionHandle } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContactDocument } from '../../src/store.ts';
import { engines, openStand, type Stand } from '../fixture/service.ts';

/** What an institution sees of another one's contact: every status and body that is not like an unknown number's. */
const leaks = async (stand: Stand): Promise<string[]> => {
  const { body } = await stand.create({ lastName: 'Private' }, { institution: 'opera' });
  const path = '/svc/v3/contacts/individuals';
  const change = { lastName: 'Taken' };
  const calls: readonly [string, string, string, unknown?][] = [
    ['getIndividual', 'GET', ''],
    ['updateIndividual', 'PATCH', '', change],
    ['replaceIndividual', 'PUT', '', change],
    ['eraseIndividual', 'DELETE', ''],
    ['getSensitive', 'GET', '/sensitive'],
    ['replaceSensitive', 'PUT', '/sensitive', {}],
  ];
  const found: string[] = [];
  for (const [operation, method, rest, payload] of calls) {
    const ask = (number: unknown) =>
      stand.call(operation, method, `${path}/${number}${rest}`, { institution: 'museum', body: payload });
    const [foreign, unknown] = [await ask(body.data?.contactNumber), await ask('C0000000000ZZ')];
    if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(operation);
  }
  const list = await stand.call('listIndividuals', 'GET', `${path}?limit=500`, { institution: 'museum' });
  if (list.text.includes(String(body.data?.contactNumber))) found.push('listIndividuals');
  return found;
};

const withoutTenantFilter = (collection: CollectionHandle<ContactDocument>): CollectionHandle<ContactDocument> => ({
  ...collection,
  of: (institution) => {
    const { insert, insertMany } = collection.of(institution);
    return { ...collection.acrossInstitutions, insert, insertMany };
  },
});

describe.each(engines)('each institution its own contacts, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  test('another one’s contact is byte for byte an unknown one, for every operation', async () => {
    expect(await leaks(stand)).toEqual([]);
  });
});

test('control: without the tenant filter the same look finds leaks', async () => {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  const stand = await openStand(engine, withoutTenantFilter);
  const found = await leaks(stand);
  await stand.close();
  expect(found).toContain('getIndividual');
  expect(found).toContain('listIndividuals');
});
