import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../src/command.ts';
import { imageNames } from '../../src/images.ts';

// Stands for the program docker, which tests have not: it writes down how it is called, and finds nothing wrong.
const DOCKER = `#!/bin/sh
echo "$@" >>"$DOCKER_CALLS"
case "$1 $2" in
  'buildx version') exit "$BUILDX" ;;
  'buildx inspect') echo 'Driver:         docker-container' ;;
  'image inspect') echo 1000000 ;;
  'run '*) echo '{"packages":[],"unwanted":[],"user":65532}' ;;
esac
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'boxoffice-docker-'));
  writeFileSync(join(folder, 'docker'), DOCKER);
  chmodSync(join(folder, 'docker'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

const images = (words: readonly string[], buildx: 0 | 1) => {
  const calls = join(folder, `calls-${buildx}`);
  writeFileSync(calls, '');
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, DOCKER_CALLS: calls, BUILDX: `${buildx}` };
  const program = [...['--conditions=source', 'tests/smoke/src/images.ts'], ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: ROOT, env, encoding: 'utf8' });
  return { status, stdout, stderr, calls: readFileSync(calls, 'utf8').trim().split('\n') };
};

const REGISTRY = ['--registry', 'registry.example.org/tickets/', '--push'];

test('every image is pushed under the name of the registry, with SBOM and provenance where a builder attaches them', () => {
  const { status, stdout, calls } = images(REGISTRY, 0);
  expect([status, stdout]).toEqual([0, expect.stringContaining('each with an SBOM and its provenance')]);
  const pushes = calls.filter((call) => call.startsWith('buildx build'));
  expect(pushes).toHaveLength(imageNames.length);
  for (const [index, name] of imageNames.entries()) {
    expect(pushes[index]).toMatch(/^buildx build --sbom=true --provenance=mode=max --push /);
    expect(pushes[index]).toMatch(new RegExp(`-t registry[.]example[.]org/tickets/${name}:\\d+[.]\\d+[.]\\d+ `));
  }
});

test('without such a builder they are pushed without, and it says so', () => {
  const { status, stdout, calls } = images(REGISTRY, 1);
  expect([status, stdout]).toEqual([0, expect.stringContaining('without SBOM and provenance')]);
  expect(calls.filter((call) => call.startsWith('push '))).toEqual(
    imageNames.map((name) => expect.stringMatching(new RegExp(`^push -q registry[.]example[.]org/tickets/${name}:`))),
  );
});

test.each([[['--push']], [['--registry', 'registry.example.org']]])(
  '%j alone is refused, and nothing is built',
  (words) => {
    const { status, stderr, calls } = images(words, 0);
    expect([status, stderr, calls]).toEqual([2, expect.stringContaining('--registry HOST/PATH and --push'), ['']]);
  },
);
