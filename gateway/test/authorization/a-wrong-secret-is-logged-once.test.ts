import { expect, test } from '@jest/globals';
import { createAuthorizerClient } from '../../src/authorization/authorizer-client.ts';
import { createRevocations } from '../../src/authorization/revocations.ts';
import { SECRET, startFakeAuthorizer } from '../fixtures/fake-authorizer.ts';

test('a gateway logs once that the authorizer refuses its secret, also after an outage of the authorizer', async () => {
  const authorizer = await startFakeAuthorizer();
  const errors: string[] = [];
  const warnings: string[] = [];
  const logger = {
    error: (message: string) => void errors.push(message),
    warn: (message: string) => void warnings.push(message),
  };
  let [url, secret] = ['http://127.0.0.1:1', 'another secret'];
  const changes = (since: string | undefined) =>
    createAuthorizerClient({ url, secret, addresses: undefined }).changes(since);
  const revocations = createRevocations({ authorizerClient: { changes }, clientChanged: () => undefined, logger });

  await revocations.poll();
  expect([errors, warnings.length]).toEqual([[], 1]);
  url = authorizer.url;
  for (let times = 0; times < 3; times += 1) await revocations.poll();
  expect(errors).toEqual([expect.stringContaining('SERVICE_SECRET')]);
  secret = SECRET;
  await revocations.poll();
  expect([errors.length, warnings.length]).toEqual([1, 1]);
  await authorizer.close();
});
