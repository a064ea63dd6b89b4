import { randomUUID } from 'node:crypto';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createInstitution } from '../../src/index.ts';
import { announceInstitutions } from '../../src/provisioning.ts';
import { currentFacts, institutions } from '../../src/store.ts';
import { engines } from '../fixture/service.ts';

describe.each(engines)('an institution on $name', (engine) => {
  let store: Store;
  let discard: () => Promise<void>;
  beforeAll(async () => {
    ({ store, discard } = await engine.open());
  });
  afterAll(() => discard());

  const details = (id: string) => ({ id, name: 'Opéra du Lac', currency: 'CHF', languages: ['fr', 'de'] });
  const announced = async (id: string) =>
    (await store.outbox.pending(100)).filter(({ institution }) => institution === id);
  const fact = {
    type: 'institution.changed',
    data: { name: 'Opéra du Lac', languages: ['fr', 'de'] },
  };

  test('is announced by the write that creates it', async () => {
    const id = `i${randomUUID()}`;
    await createInstitution(store, details(id));
    expect(await announced(id)).toMatchObject([{ ...fact, key: id, version: 1 }]);
  });

  test('of a release without the event is announced once, whichever instances start', async () => {
    const id = `i${randomUUID()}`;
    const createdAt = '2026-11-02T10:00:00.000Z';
    await store
      .collection(institutions)
      .of(id)
      .insert({ ...details(id), catalogMark: 'mark', createdAt });
    await Promise.all([announceInstitutions(store), announceInstitutions(store)]);
    await announceInstitutions(store);
    expect(await announced(id)).toMatchObject([{ ...fact, key: id, version: 2 }]);
    expect(await store.collection(institutions).of(id).get(id)).toMatchObject({ catalogMark: 'mark', createdAt });
  });

  test('has money that is in use, and languages in their canonical form', async () => {
    const id = `i${randomUUID()}`;
    for (const currency of ['DEM', 'ABC', 'XAU', 'chf'])
      await expect(createInstitution(store, { ...details(id), currency })).rejects.toThrow('ISO 4217');
    for (const languages of [[], ['fr', 'German']])
      await expect(createInstitution(store, { ...details(id), languages })).rejects.toThrow('BCP 47');
    const made = await createInstitution(store, { ...details(id), currency: 'XCG', languages: ['fra', 'pt-br', 'iw'] });
    expect(made).toMatchObject({ currency: 'XCG', languages: ['fr', 'pt-BR', 'he'] });
    expect(await announced(id)).toMatchObject([{ data: { languages: ['fr', 'pt-BR', 'he'] } }]);
  });

  test('can be published again, as of its present version', async () => {
    const id = `i${randomUUID()}`;
    await createInstitution(store, details(id));
    const facts = [];
    for await (const one of currentFacts.read(store)) if (one.institution === id) facts.push(one);
    expect(facts).toMatchObject([{ ...fact, key: id, version: 1 }]);
  });
});
