import { listen } from '@boxoffice/runtime';
import { afterEach, expect, test } from '@jest/globals';
import { proveSecret, type SecretProof } from '../../src/start/secret-proof.ts';

const closes: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closes.splice(0).map((close) => close()));
});

const ENVELOPE = JSON.stringify({ status: 'failure', details: null, data: null });

/** A proof at an authorizer that answers each request with the next of these statuses, and the last from then on. */
const proofAt = async (...statuses: number[]) => {
  const requests: (string | undefined)[] = [];
  const errors: string[] = [];
  const listening = await listen(
    (request, response) => {
      requests.push(request.headers.authorization);
      response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 500).end(ENVELOPE);
    },
    { host: '127.0.0.1', port: 0 },
  );
  const logger = { error: (message: string) => void errors.push(message) };
  const question = { authorizerUrl: listening.url, service: 'notes', secret: 'mine' };
  const proof = proveSecret({ ...question, logger, pauseMs: 5 });
  closes.push(async () => {
    proof.close();
    await listening.close();
  });
  const asked = (times: number) => until(() => requests.length >= times);
  return { proof, requests, errors, asked, url: listening.url };
};

const isAccepted = ({ check }: SecretProof): Promise<boolean> =>
  check().then(
    () => true,
    () => false,
  );

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise(setImmediate);
};

test('a refused secret is never accepted, and logged once', async () => {
  const { proof, errors, requests, asked } = await proofAt(401);
  await asked(4);
  expect(await isAccepted(proof)).toBe(false);
  expect(errors).toEqual([expect.stringContaining('SERVICE_SECRET')]);
  expect(new Set(requests)).toEqual(new Set([`Basic ${Buffer.from('notes:mine').toString('base64')}`]));
});

test('an authorizer that starts later makes the service wait, without a log line', async () => {
  const { proof, errors, asked } = await proofAt(503, 503, 403);
  expect(await isAccepted(proof)).toBe(false);
  await asked(3);
  await until(() => isAccepted(proof));
  expect(errors).toEqual([]);
});

test('an authorizer that gets its new root secret after the service accepts the service then', async () => {
  const { proof, errors } = await proofAt(401, 401, 403);
  await until(() => isAccepted(proof));
  expect(errors).toHaveLength(1);
});

test('an accepted secret is not verified again', async () => {
  const { proof, requests } = await proofAt(403, 401);
  await until(() => isAccepted(proof));
  expect([await isAccepted(proof), requests.length]).toEqual([true, 1]);
});

test('a closed verification makes no further attempt', async () => {
  const { proof, requests, asked, url } = await proofAt(503);
  await asked(1);
  proof.close();
  const attempts = () => requests.filter((authorization) => authorization !== undefined).length;
  const before = attempts();
  for (let times = 0; times < 50; times += 1) await fetch(url);
  expect(attempts()).toBe(before);
});
