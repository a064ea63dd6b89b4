// Finds barcodes in pictures of the camera, beside the page, so that the page stays smooth.
import { prepareZXingModule, readBarcodes } from './lib/zxing/reader/index.js';

const ready = prepareZXingModule({
  overrides: { locateFile: (name) => new URL(`./lib/zxing/${name}`, import.meta.url).href },
  fireImmediately: true,
});

const OPTIONS = {
  formats: ['QRCode'],
  textMode: 'Plain',
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
  maxNumberOfSymbols: 4,
};

/** How far the middle of a barcode is from the middle of the picture, squared. */
const distance = ({ topLeft, bottomRight }, { width, height }) =>
  (topLeft.x + bottomRight.x - width) ** 2 + (topLeft.y + bottomRight.y - height) ** 2;

/** The text of the barcode that is held into the middle; undefined if there is none. */
const read = async (image) => {
  const found = await readBarcodes(image, OPTIONS);
  found.sort((one, other) => distance(one.position, image) - distance(other.position, image));
  return found[0]?.text;
};

ready.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error) }),
);

addEventListener('message', async ({ data: image }) => {
  try {
    await ready;
    postMessage({ text: await read(image) });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
});
