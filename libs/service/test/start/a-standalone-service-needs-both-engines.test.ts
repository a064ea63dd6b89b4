import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

const script = `
import { runService } from '@boxoffice/service';
await runService({ name: 'notes', version: '0', collections: [], operations: () => [] });
`;

test('without MONGODB_URL and AMQP_URL it does not start, and the message names both', async () => {
  const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '--eval', script], {
    cwd: new URL('../../../../deploy/local', import.meta.url).pathname,
    env: { SERVICE_SECRET: 'a secret of the tests', AUTHORIZER_URL: 'http://127.0.0.1:1' },
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => printed.push(text));
  const [status] = await once(child, 'close');
  expect(status).toBe(1);
  expect(printed.join('').trim().split('\n')).toEqual([
    'boxoffice cannot start: 2 settings are wrong',
    expect.stringMatching(
      /^ {2}MONGODB_URL: is not set; a standalone service needs MongoDB, since the embedded engines/,
    ),
    expect.stringMatching(/^ {2}AMQP_URL: is not set; a standalone service needs RabbitMQ, since the embedded engines/),
  ]);
});
