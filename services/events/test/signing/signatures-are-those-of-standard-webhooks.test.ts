import { spawnSync } from 'node:child_process';
import { readSettings, text } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  createSecretBox,
  createSignedHeaders,
  makeSecret,
  OVERLAP_MS,
  rotateSecrets,
  selectSigningSecrets,
} from '../../src/signing.ts';

// Where the package of PyPI is installed; `npm test` says if it is not.
const { directory } = readSettings({ directory: text('TEST_STANDARDWEBHOOKS', { optional: true }) });

const body = JSON.stringify({ id: 'evt_1', type: 'order.created', data: { total: 8_900, note: 'é' } });
const now = Date.now();
/** Of this moment: verifiers refuse what is five minutes old. */
const newMessage = () => ({ id: 'evt_1', timestamp: Math.floor(Date.now() / 1000), body });

test('the verifier of npm accepts a signature, and no other body', () => {
  const secret = makeSecret();
  const headers = createSignedHeaders([secret], newMessage());
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
  expect(() => new Webhook(makeSecret()).verify(body, headers)).toThrow();
});

(directory === undefined ? test.skip : test)('the verifier of PyPI accepts a signature, and no other body', () => {
  const secret = makeSecret();
  const headers = createSignedHeaders([makeSecret(), secret], newMessage());
  const program = [
    'import json, sys',
    'from standardwebhooks.webhooks import Webhook',
    'given = json.load(sys.stdin)',
    'print(json.dumps(Webhook(given["secret"]).verify(given["body"], given["headers"])))',
  ].join('\n');
  const verify = (text: string) =>
    spawnSync('python3', ['-c', program], {
      input: JSON.stringify({ secret, body: text, headers }),
      env: { ...process.env, PYTHONPATH: directory },
      encoding: 'utf8',
    });
  const { stdout, stderr } = verify(body);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual(JSON.parse(body));
  expect(verify(`${body} `).stderr).toContain('WebhookVerificationError');
});

test('a secret is whsec_ and 32 letters and digits, each of them possible', () => {
  const secrets = Array.from({ length: 300 }, makeSecret);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9]{32}$/);
  expect(new Set(secrets.flatMap((secret) => [...secret.slice(6)])).size).toBe(62);
});

test('a stored secret opens with the same key and for the same webhook only', () => {
  const [box, other] = [createSecretBox('k'.repeat(32)), createSecretBox('o'.repeat(32))];
  const secret = makeSecret();
  const stored = box.store('whk_1', secret, new Date(now));
  expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
  expect(box.open('whk_1', stored)).toBe(secret);
  expect(box.open('whk_2', stored)).toBeUndefined();
  expect(other.open('whk_1', stored)).toBeUndefined();
});

test('for 24 hours after a rotation the newest two sign, then the newest', () => {
  const at = (ms: number) => ({ sealed: String(ms), createdAt: new Date(now + ms).toISOString() });
  const thrice = rotateSecrets(rotateSecrets([at(0)], at(10)), at(20));
  expect(selectSigningSecrets(thrice, now + 20).map(({ sealed }) => sealed)).toEqual(['20', '10']);
  expect(selectSigningSecrets(thrice, now + 20 + OVERLAP_MS - 1)).toHaveLength(2);
  expect(selectSigningSecrets(thrice, now + 20 + OVERLAP_MS)).toEqual([at(20)]);
});
