import { randomBytes } from 'node:crypto';
import { exampleFaults } from '@boxoffice/http';
import { expect, test } from '@jest/globals';
import { createContacts } from '../../src/contacts/contacts.ts';
import { collectionsOf } from '../../src/events.ts';
import { routes } from '../../src/routes.ts';
import { engines } from '../fixture/service.ts';

test('every operation has examples, and they fit its schemas', async () => {
  const [engine] = engines;
  if (!engine) throw new Error('no engine');
  const { store, discard } = await engine.open();
  const operations = routes(createContacts(collectionsOf(store), { now: () => new Date(), randomBytes }), {
    guard: (_caller, write) => write(),
  });
  expect(exampleFaults(operations)).toEqual([]);
  await discard();
});
