import { expect, test } from '@jest/globals';
import { createTickets } from '../../src/clients/tickets.ts';

test('the look-up of controlled tickets ends after a second, even if the call never ends', async () => {
  const never = () => new Promise<never>(() => undefined);
  const hanging = { call: never, find: never, close: () => undefined };
  expect(await createTickets(hanging).controlled('opera', 'ord_1')).toBeUndefined();
});
