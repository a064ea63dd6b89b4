import { svg } from './dom.js';

const QUIET = 4;

/** The encoder is loaded with the first ticket. */
const encoder = () => import(new URL('lib/lean-qr.mjs', import.meta.url).href);

/** The QR code of a barcode, dark on light in every colour scheme, as scanners require. */
export const qrCode = async (barcode, label) => {
  const { correction, generate } = await encoder();
  const code = generate(barcode, { minCorrectionLevel: correction.L });
  const dots = [];
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) dots.push(`M${x} ${y}h1v1h-1z`);
  }
  const side = code.size + 2 * QUIET;
  return svg(
    'svg',
    {
      viewBox: `${-QUIET} ${-QUIET} ${side} ${side}`,
      class: 'qr',
      role: 'img',
      'aria-label': label,
      'shape-rendering': 'crispEdges',
    },
    svg('rect', { x: -QUIET, y: -QUIET, width: side, height: side, fill: '#fff' }),
    svg('path', { d: dots.join(''), fill: '#000' }),
  );
};
