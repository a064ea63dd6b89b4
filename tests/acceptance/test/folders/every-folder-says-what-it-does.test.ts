import { expect, test } from '@jest/globals';
import { checkFolders, unexplainedFolders } from '../../src/folders.ts';

test('a folder of several files without a sentence is found', () => {
  const explained = ['libs/a/src/one/main.ts', '// One: what it does.\n\nexport {};'] as const;
  const plain = (path: string) => [path, '/** A function. */\nexport {};'] as const;
  const files = [explained, plain('libs/a/src/one/b.ts'), plain('libs/a/src/two/a.ts'), plain('libs/a/src/two/b.ts')];
  expect(unexplainedFolders([...files, plain('libs/a/src/three/alone.ts')])).toEqual(['libs/a/src/two']);
});

test('every source folder of the project is explained', async () => {
  expect((await checkFolders()).faults).toEqual([]);
});
