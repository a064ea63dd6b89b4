import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const SCRIPT = new URL('../../src/needed-node.mjs', import.meta.url).pathname;

/** Runs the check on a Node that reports another version. */
const onNode = (version: string) => {
  const disguise = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`;
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(disguise)}`, SCRIPT], {
    encoding: 'utf8',
  });
};

test('a Node that is too old is reported with the version to install', () => {
  const { status, stderr } = onNode('20.19.0');
  expect(stderr).toMatch(/^boxoffice runs on Node 24\. .* is 20\.19\.0: install Node 24 .*\n$/);
  expect(status).toBe(1);
});

test.each(['24.0.0', '26.3.1'])('Node %s is accepted', (version) => {
  expect(onNode(version)).toMatchObject({ status: 0, stderr: '' });
});
