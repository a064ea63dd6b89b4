import { expect, test } from '@jest/globals';
import { createClub, operatorOf, temporaryDirectory } from './program.ts';

const directory = temporaryDirectory();

const operator = operatorOf(directory);

test('webhooks of a known institution are listed, unknown ones are refused with a reason', async () => {
  await createClub(operator);
  const listed = await operator('webhooks', 'list', 'club', '--json');
  expect([listed.status, JSON.parse(listed.out)]).toEqual([0, []]);
  expect((await operator('webhooks', 'list', 'nobody')).status).toBe(1);
  const deleted = await operator('webhooks', 'delete', 'club', 'whk_none');
  expect([deleted.status, deleted.err]).toEqual([1, expect.stringContaining('no webhook with this id')]);
  expect((await operator('webhooks', 'pause', 'club')).status).toBe(2);
});
