import { expect, test } from '@jest/globals';
import { createTickets } from '../../src/clients/tickets.ts';

test('tickets that never answer are waited for a second, although the call itself never ends', async () => {
  const never = () => new Promise<never>(() => undefined);
  const hanging = { call: never, find: never, close: () => undefined };
  expect(await createTickets(hanging).controlled('opera', 'ord_1')).toBeUndefined();
}, 10_000);
