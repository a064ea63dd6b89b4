import { listen } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { proveSecret } from '../../src/start/secret-proof.ts';

/** An authorizer that answers each request with the next of these statuses, and the last from then on. */
const answering = async (...statuses: number[]) => {
  const requests: (string | undefined)[] = [];
  const listening = await listen(
    (request, response) => {
      requests.push(request.headers.authorization);
      response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 500).end();
    },
    { host: '127.0.0.1', port: 0 },
  );
  return { listening, requests };
};

const outcomeOf = async (attempts: number, ...statuses: number[]) => {
  const { listening, requests } = await answering(...statuses);
  const errors: string[] = [];
  const logger = { error: (message: string) => void errors.push(message) };
  const question = { authorizerUrl: listening.url, service: 'notes', secret: 'mine' };
  await proveSecret({ ...question, logger, pauseMs: 5, attempts }).over;
  await listening.close();
  return { errors, requests };
};

test('a refused secret is verified once, and the error names the setting', async () => {
  const { errors, requests } = await outcomeOf(5, 401);
  expect(errors).toEqual([expect.stringContaining('SERVICE_SECRET')]);
  expect(requests).toEqual([`Basic ${Buffer.from('notes:mine').toString('base64')}`]);
});

test('an authorizer that does not respond yet is retried without a log line', async () => {
  const { errors, requests } = await outcomeOf(5, 503, 503, 401);
  expect(errors).toHaveLength(1);
  expect(requests).toHaveLength(3);
});

test('an authorizer that never responds gets a limited number of attempts', async () => {
  const { errors, requests } = await outcomeOf(3, 503);
  expect([errors, requests.length]).toEqual([[], 3]);
});

test('a 403 verifies the secret: there is one attempt and no log line', async () => {
  const { errors, requests } = await outcomeOf(5, 403);
  expect([errors, requests.length]).toEqual([[], 1]);
});

test('a closed verification makes no further attempt', async () => {
  const { listening, requests } = await answering(503);
  const logger = { error: () => undefined };
  const proof = proveSecret({ authorizerUrl: listening.url, service: 'notes', secret: 'mine', logger });
  proof.close();
  await proof.over;
  await listening.close();
  expect(requests.length).toBeLessThanOrEqual(1);
});
