import type { CollectionHandle } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContactDocument } from '../../src/store.ts';
import { engines, type Fixture, openFixture } from '../fixture/service.ts';

/** The operations whose response for another institution's contact differs from that for an unknown number. */
const leaks = async (fixture: Fixture): Promise<string[]> => {
  const { body } = await fixture.create({ lastName: 'Private' }, { institution: 'opera' });
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
      fixture.call(operation, method, `${path}/${number}${rest}`, { institution: 'museum', body: payload });
    const [foreign, unknown] = [await ask(body.data?.contactNumber), await ask('C0000000000ZZ')];
    if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(operation);
  }
  const list = await fixture.call('listIndividuals', 'GET', `${path}?limit=500`, { institution: 'museum' });
  if (list.text.includes(String(body.data?.contactNumber))) found.push('listIndividuals');
  return found;
};

const withoutTenantFilter = (collection: CollectionHandle<ContactDocument>): CollectionHandle<ContactDocument> => ({
  ...collection,
  of: (institution) => {
    const { insert, insertMany, insertInOrder } = collection.of(institution);
    return { ...collection.acrossInstitutions, insert, insertMany, insertInOrder };
  },
});

describe.each(engines)('each institution its own contacts, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('another institution’s contact gets the same bytes as an unknown one, in every operation', async () => {
    expect(await leaks(fixture)).toEqual([]);
  });
});

test('negative control: without the tenant filter the operations leak', async () => {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  const fixture = await openFixture(engine, withoutTenantFilter);
  const found = await leaks(fixture);
  await fixture.close();
  expect(found).toContain('getIndividual');
  expect(found).toContain('listIndividuals');
});
