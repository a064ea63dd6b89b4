import { randomUUID } from 'node:crypto';
import { startCompletion } from '@boxoffice/service';
import { collection } from '@boxoffice/store';
import { explainQuery, waitUntil } from '@boxoffice/store/conformance';
import { expect, test } from '@jest/globals';
import { type Indexed, searchContacts } from '../../src/contacts/search.ts';
import { computeNameKey } from '../../src/domain/search-key.ts';
import { type ContactDocument, contactsCollection } from '../../src/store.ts';
import { describeOnEachEngine, type Fixture } from '../fixture/service.ts';

const PATH = '/svc/v3/contacts';

const find = async (fixture: Fixture, q: string, more: object = {}, kind = 'individuals', rest = '') => {
  const id = kind === 'individuals' ? 'listIndividuals' : 'listStructures';
  const { data, status } = await fixture.call(id, 'GET', `${PATH}/${kind}?q=${encodeURIComponent(q)}${rest}`, more);
  expect(status).toBe(200);
  return data as { readonly items: { readonly contactNumber: string }[]; readonly nextCursor: string | null };
};

const numbersOf = async (...call: Parameters<typeof find>): Promise<string[]> =>
  (await find(...call)).items.map(({ contactNumber }) => contactNumber);

test.each([
  ['Müller', 'muller'],
  ['  ŁOŚ-Ørsted ', 'los-orsted'],
  ['Weiß', 'weiss'],
  ['D’Été', 'd’ete'],
  ['van  der\u00a0Berg', 'van der berg'],
  ['Ὀδυσσεύς', 'οδυσσευσ'],
  ['İnönü', 'inonu'],
  ['\u0301', ''],
])('the key of %s is %s', (name, key) => {
  expect(computeNameKey(name)).toBe(key);
  expect(computeNameKey(name.normalize('NFD'))).toBe(key);
});

describeOnEachEngine('contacts are found', (fixture) => {
  const unique = () => randomUUID().replaceAll('-', '');
  const person = async (lastName: string, more: object = {}, call: object = {}) => {
    const { data } = await fixture.create({ lastName, ...more }, call);
    return String(data?.contactNumber);
  };

  test('by the beginning of the last name or the email, whatever case and accents, each once, in order of creation', async () => {
    const own = unique();
    const first = await person(`Élodie${own}`, { email: `ELODIE${own}@example.org` });
    const second = await person(`ELODIE${own} Martin`);
    const third = await person('Other', { email: `elodie${own}.x@example.org` });
    await person(`X Élodie${own}`);
    for (const q of [`élodie${own}`, `ELODIE${own}`, `e\u0301lodie${own}`])
      expect(await numbersOf(fixture, q)).toEqual([
        first,
        second,
        ...(q.normalize('NFC').startsWith('é') ? [] : [third]),
      ]);
    expect(await numbersOf(fixture, `elodie${own}@`)).toEqual([first]);
    expect(await numbersOf(fixture, `elodie${own}  mart`)).toEqual([second]);
    const page = await find(fixture, `elodie${own}`, {}, 'individuals', '&limit=2');
    const rest = `&cursor=${page.nextCursor}`;
    expect(await numbersOf(fixture, `elodie${own}`, {}, 'individuals', rest)).toEqual([third]);
    const both = `&email=elodie${own}.x@example.org`;
    expect(await numbersOf(fixture, `elodie${own}`, {}, 'individuals', both)).toEqual([third]);
    const since = `&modifiedSince=${new Date(0).toISOString()}`;
    expect(await numbersOf(fixture, `elodie${own}`, {}, 'individuals', since)).toEqual([first, second, third]);
    expect(await numbersOf(fixture, '\u00b4')).toEqual([]);
  });

  test('structures by the beginning of their name, apart from individuals', async () => {
    const own = unique();
    const body = { name: `Théâtre ${own}` };
    const { data } = await fixture.call('createStructure', 'POST', `${PATH}/structures`, { body });
    expect(await numbersOf(fixture, `theatre ${own}`, {}, 'structures')).toEqual([data?.contactNumber]);
    expect(await numbersOf(fixture, `theatre ${own}`)).toEqual([]);
  });

  test('by their present name; an erased one by none', async () => {
    const own = unique();
    const number = await person(`Before${own}`, { email: `${own}@example.org` });
    await fixture.individual('PATCH', number, { body: { lastName: `After${own}` } });
    expect(await numbersOf(fixture, `before${own}`)).toEqual([]);
    expect(await numbersOf(fixture, `after${own}`)).toEqual([number]);
    await fixture.individual('DELETE', number);
    for (const q of [`after${own}`, own]) expect(await numbersOf(fixture, q)).toEqual([]);
    const stored = await fixture.store.collection(contactsCollection).of('opera').get(number);
    expect(JSON.stringify(stored).toLowerCase()).not.toContain(own);
  });

  test('within what the caller may see', async () => {
    const own = unique();
    const bounds = { ownOrders: true, pointsOfSale: [] };
    const agency = { client: `cl_${own}`, bounds };
    const mine = await person(`Seen${own}`, {}, agency);
    const theirs = await person(`Seen${own}`);
    expect(await numbersOf(fixture, `seen${own}`)).toEqual([mine, theirs]);
    expect(await numbersOf(fixture, `seen${own}`, agency)).toEqual([mine]);
    await fixture.name(theirs, { clientId: agency.client });
    expect(await numbersOf(fixture, `seen${own}`, agency)).toEqual([mine, theirs]);
    const customer = { id: 'usr_1', role: 'customer', contact: theirs, pointsOfSale: [] } as const;
    expect(await numbersOf(fixture, `seen${own}`, { user: customer })).toEqual([theirs]);
    expect(await numbersOf(fixture, `seen${own}`, { institution: 'museum' })).toEqual([]);
  });

  test('for other services: the numbers by email or name, also among some alone', async () => {
    const own = unique();
    const email = `${own}@example.org`;
    const first = await person(`Asked${own}`, { email });
    const { data } = await fixture.create({ lastName: 'B', email }, {}, '?allowDuplicateEmail=true');
    const second = String(data?.contactNumber);
    const ask = async (query: object) => {
      const path = `/internal/contacts?${new URLSearchParams({ ...query })}`;
      return (await fixture.call('findContacts', 'GET', path, { service: 'orders' })).data;
    };
    expect(await ask({ email: email.toUpperCase() })).toEqual({ contactNumbers: [first, second], hasMore: false });
    expect(await ask({ name: `ASKED${own}` })).toMatchObject({ contactNumbers: [first] });
    expect(await ask({ email, among: `${second},CX` })).toMatchObject({ contactNumbers: [second] });
    expect(await ask({ email, clientId: `cl_${own}` })).toMatchObject({ contactNumbers: [] });
    expect(await ask({ name: '\u00b4' })).toMatchObject({ contactNumbers: [] });
  });

  test('of an earlier release, once their keys are stored', async () => {
    const own = unique();
    const number = await person(`Old${own}`);
    const plain = collection<ContactDocument>(contactsCollection.name, contactsCollection.indexes);
    const stored = fixture.store.collection(plain).of('opera');
    await stored.update(number, ({ nameKey: _, ...next }) => ({ next: next as never }));
    expect(await numbersOf(fixture, `old${own}`)).toEqual([]);
    const warn = (message: string) => expect(message).toBeUndefined();
    const completion = startCompletion(fixture.store, contactsCollection, { where: { nameKey: null } }, { warn });
    await waitUntil(async () => (await numbersOf(fixture, `old${own}`)).length === 1);
    await completion.close();
    expect(await stored.get(number)).toMatchObject({ nameKey: `old${own}` });
  });

  test('by an index', async () => {
    const queries: Parameters<Indexed['find']>[0][] = [];
    const recorded: Indexed = {
      async find(query) {
        queries.push(query);
        return [];
      },
    };
    const page = { where: { kind: 'individual' }, orderBy: 'createdAt', limit: 21 };
    await searchContacts(recorded, 'ma').find(page);
    await searchContacts(recorded, 'ma').find({ ...page, after: { value: '2027', id: 'C1' } });
    expect(queries).toHaveLength(4);
    for (const query of queries)
      for (const plan of explainQuery(contactsCollection, query as never))
        expect(plan).toMatch(
          /^SEARCH contacts USING INDEX contacts\.(name|email) \(institution=\? AND \$(name|email)Key>\?/,
        );
  });
});
