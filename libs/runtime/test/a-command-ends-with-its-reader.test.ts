import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';

const OUTPUT = new URL('../src/output.ts', import.meta.url).href;

/** A command that prints a line whenever it reads one, to a reader that has gone. */
const printToNobody = async (before: string) => {
  const program = `${before}; process.stdin.on('data', (line) => process.stdout.write(line)).on('end', () => {})`;
  const child = spawn(process.execPath, ['--conditions=source', '--input-type=module', '-e', program]);
  child.stdin.on('error', () => undefined);
  child.stdout.destroy();
  await once(child.stdout, 'close');
  child.stdin.write('a line\n');
  const [complaint, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { complaint, status };
};

test('a command whose output nobody reads any more ends without a word', async () => {
  const ended = await printToNobody(`(await import(${JSON.stringify(OUTPUT)})).endWithReader()`);
  expect(ended).toEqual({ complaint: '', status: 0 });
});

test('another program of Node ends with a stack then', async () => {
  const { complaint, status } = await printToNobody('0');
  expect([complaint, status]).toEqual([expect.stringContaining('EPIPE'), 1]);
});
