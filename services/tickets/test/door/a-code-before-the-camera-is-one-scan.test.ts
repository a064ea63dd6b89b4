import { describe, expect, test } from '@jest/globals';
import { doorModule } from './modules.ts';

const { createSights, pictureSize } = await doorModule('camera.js');

describe('a code before the camera is one scan', () => {
  test('until it was out of the picture for three seconds', () => {
    const isNew = createSights();
    const seen = [0, 100, 2_900, 5_800, 8_800, 8_900].map((at) => isNew('A', at));
    expect(seen).toEqual([true, false, false, false, true, false]);
  });

  test('whichever other codes are seen meanwhile', () => {
    const isNew = createSights();
    expect(['A', 'B', 'A', 'C', 'B'].map((text, at) => isNew(text, at * 500))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
  });

  test.each([
    [1280, 720, 960, 540],
    [720, 1280, 540, 960],
    [640, 480, 640, 480],
    [4032, 3024, 960, 720],
  ])('a picture of %d × %d pixels is decoded with %d × %d', (videoWidth, videoHeight, width, height) => {
    expect(pictureSize({ videoWidth, videoHeight })).toEqual({ width, height });
  });
});
