import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const runPromtool = (words: string) => {
  const cwd = new URL('../../../../deploy/dashboards/', import.meta.url);
  const { status, stdout, stderr } = spawnSync('promtool', words.split(' '), { cwd, encoding: 'utf8' });
  return { status, printed: stdout + stderr };
};

test.each(['check config prometheus.yml', 'test rules alerts.test.yml'])('promtool %s', (words) => {
  expect(runPromtool(words)).toEqual({ status: 0, printed: expect.stringContaining('SUCCESS') });
});

test('what holds no rules is refused', () => {
  const refused = { status: 1, printed: expect.stringContaining('FAILED') };
  expect(runPromtool('check rules payments.json')).toEqual(refused);
});
