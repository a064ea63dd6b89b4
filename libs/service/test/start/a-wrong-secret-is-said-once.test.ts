import { listen } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { proveSecret } from '../../src/start/secret-proof.ts';

/** An authorizer that answers each question with the next of these statuses, and the last from then on. */
const answering = async (...statuses: number[]) => {
  const asked: (string | undefined)[] = [];
  const listening = await listen(
    (request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 500).end();
    },
    { host: '127.0.0.1', port: 0 },
  );
  return { listening, asked };
};

const said = async (attempts: number, ...statuses: number[]) => {
  const { listening, asked } = await answering(...statuses);
  const errors: string[] = [];
  const logger = { error: (message: string) => void errors.push(message) };
  const question = { authorizerUrl: listening.url, service: 'notes', secret: 'mine' };
  await proveSecret({ ...question, logger, pauseMs: 5, attempts }).over;
  await listening.close();
  return { errors, asked };
};

test('an authorizer that refuses the secret is asked once, and the error names the setting', async () => {
  const { errors, asked } = await said(5, 401);
  expect(errors).toEqual([expect.stringContaining('SERVICE_SECRET')]);
  expect(asked).toEqual([`Basic ${Buffer.from('notes:mine').toString('base64')}`]);
});

test('one that does not answer yet is asked again, without a word', async () => {
  const { errors, asked } = await said(5, 503, 503, 401);
  expect(errors).toHaveLength(1);
  expect(asked).toHaveLength(3);
});

test('one that never answers is asked so often and no more', async () => {
  const { errors, asked } = await said(3, 503);
  expect([errors, asked.length]).toEqual([[], 3]);
});

test('one that believes the service, if not for this operation, is asked once and nothing is said', async () => {
  const { errors, asked } = await said(5, 403);
  expect([errors, asked.length]).toEqual([[], 1]);
});

test('who is closed asks no more', async () => {
  const { listening, asked } = await answering(503);
  const logger = { error: () => undefined };
  const proof = proveSecret({ authorizerUrl: listening.url, service: 'notes', secret: 'mine', logger });
  proof.close();
  await proof.over;
  await listening.close();
  expect(asked.length).toBeLessThanOrEqual(1);
});
