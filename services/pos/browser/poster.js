import { h, svg } from './dom.js';
import { shop } from './frame.js';
import { t } from './texts/index.js';

// What is seen of a product: its image, or a picture derived from its code: always the same, and different from its
// neighbours.

const WIDTH = 320;
const HEIGHT = 400;

/** Background, shade, light, accent. */
const palettes = [
  ['#5a0f1e', '#86203a', '#efd3b0', '#e0a458'],
  ['#111c3d', '#2c427f', '#cdd7f1', '#e6c887'],
  ['#12322b', '#2f6152', '#d3e3cb', '#eab66b'],
  ['#93611a', '#bf8630', '#f8e6bd', '#43280b'],
  ['#34143d', '#6d3177', '#eccde4', '#f0b56a'],
  ['#18181d', '#3d3d49', '#e7e2d9', '#c2453a'],
  ['#7c3623', '#b45a3d', '#f7dcc8', '#2a1710'],
  ['#153a4d', '#3c728e', '#d9e8ee', '#e6a35c'],
];

/** A generator of numbers between 0 and 1, with the text as its seed. */
const numbersFrom = (text) => {
  let state = 2166136261;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

const range = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const circle = (cx, cy, r, fill, more) => svg('circle', { cx, cy, r, fill, ...more });
const path = (d, more) => svg('path', { d, fill: 'none', ...more });

const arches = ([, shade, light, accent], next) => {
  const count = 5 + Math.floor(next() * 3);
  return [
    ...range(count, (index) => {
      const inset = 26 + index * (110 / count);
      const top = 40 + index * (210 / count);
      const radius = WIDTH / 2 - inset;
      return path(`M${inset} 400V${top + radius}A${radius} ${radius} 0 0 1 ${WIDTH - inset} ${top + radius}V400Z`, {
        fill: index % 2 ? light : shade,
        'fill-opacity': index % 2 ? 0.16 : 0.75,
      });
    }),
    circle(WIDTH / 2, 330, 15, accent),
    path('M160 345V400', { stroke: accent, 'stroke-width': 9 }),
  ];
};

const moon = ([, shade, light, accent], next) => {
  const x = 90 + next() * 140;
  const hill = (height, fill, opacity) => {
    const [one, two] = [height - 60 * next(), height + 50 * next()];
    return path(`M0 ${height}C90 ${one} 200 ${two} 320 ${height - 20}V400H0Z`, { fill, 'fill-opacity': opacity });
  };
  return [
    circle(x, 150, 84, light, { 'fill-opacity': 0.1 }),
    circle(x, 150, 62, accent),
    ...range(14, () => circle(next() * WIDTH, next() * 220, 0.8 + next() * 1.6, light, { 'fill-opacity': 0.7 })),
    hill(250, shade, 0.6),
    hill(300, shade, 0.9),
    hill(345, light, 0.14),
  ];
};

const curtain = ([ground, shade, light, accent], next) => {
  const opening = 34 + next() * 40;
  const folds = (side) =>
    range(6, (index) => {
      const outer = index * 24;
      const sweep = opening * (1 - index / 9);
      const x = (value) => (side ? WIDTH - value : value);
      return path(
        `M${x(outer)} 0H${x(outer + 24)}C${x(outer + 30)} 180 ${x(outer + 24 - sweep)} 260 ${x(outer + 12 - sweep)} 400H${x(outer - 16 - sweep)}C${x(outer - sweep)} 260 ${x(outer + 4)} 180 ${x(outer)} 0Z`,
        {
          fill: index % 2 ? shade : ground,
          stroke: light,
          'stroke-opacity': 0.12,
        },
      );
    });
  return [
    svg('rect', { width: WIDTH, height: HEIGHT, fill: light, 'fill-opacity': 0.12 }),
    circle(160, 200, 150, accent, { 'fill-opacity': 0.16 }),
    circle(160, 200, 92, accent),
    svg('ellipse', { cx: 160, cy: 372, rx: 120, ry: 24, fill: light, 'fill-opacity': 0.5 }),
    ...folds(false),
    ...folds(true),
  ];
};

const staves = ([, , light, accent], next) => {
  const [rise, fall] = [40 + next() * 70, 40 + next() * 70];
  const height = (line) => 130 + line * 26;
  const lines = range(5, (line) =>
    path(`M-10 ${height(line)}C90 ${height(line) - rise} 210 ${height(line) + fall} 330 ${height(line) - 30}`, {
      stroke: light,
      'stroke-width': 1.6,
      'stroke-opacity': 0.75,
    }),
  );
  const notes = range(6, (index) => {
    const [x, y] = [46 + index * 46, 110 + next() * 140];
    return [
      svg('ellipse', { cx: x, cy: y, rx: 11, ry: 8, fill: accent, transform: `rotate(-18 ${x} ${y})` }),
      path(`M${x + 10} ${y - 3}v-62`, { stroke: accent, 'stroke-width': 2.4 }),
    ];
  });
  return [circle(160, 430, 150, light, { 'fill-opacity': 0.08 }), ...lines, ...notes.flat()];
};

const fan = ([, shade, light, accent], next) => {
  const [count, x] = [9 + Math.floor(next() * 6), next() < 0.5 ? 0 : WIDTH];
  const point = (index) => {
    const angle = (Math.PI / 2) * (index / count);
    return `${x + (x ? -1 : 1) * 580 * Math.cos(angle)} ${HEIGHT - 580 * Math.sin(angle)}`;
  };
  return [
    ...range(count, (index) =>
      path(`M${x} 400L${point(index)}L${point(index + 1)}Z`, {
        fill: index % 2 ? shade : light,
        'fill-opacity': index % 2 ? 0.85 : 0.16,
      }),
    ),
    circle(x, HEIGHT, 110, accent),
    circle(x, HEIGHT, 58, light, { 'fill-opacity': 0.9 }),
  ];
};

const pipes = ([, shade, light, accent], next) => {
  const middle = 2 + Math.floor(next() * 4);
  return range(8, (index) => {
    const top = 70 + Math.abs(index - middle) * 34 + next() * 16;
    const fill = index === middle ? accent : index % 2 ? shade : light;
    const look = { fill, 'fill-opacity': index === middle || index % 2 ? 0.95 : 0.26 };
    return [
      path(`M${20 + index * 36} 400V${top + 14}a14 14 0 0 1 28 0V400Z`, look),
      svg('rect', { x: 27 + index * 36, y: 318, width: 14, height: 26, rx: 7, fill: '#000', 'fill-opacity': 0.28 }),
    ];
  }).flat();
};

const discs = ([, shade, light, accent], next) => {
  const [dx, dy] = [30 + next() * 50, 20 + next() * 60];
  return [
    circle(160 - dx, 200 - dy, 112, shade),
    circle(160 + dx, 200 + dy, 96, accent, { 'fill-opacity': 0.85 }),
    circle(160, 200, 58, light, { 'fill-opacity': 0.85 }),
    ...range(4, (index) =>
      circle(160, 200, 120 + index * 22, 'none', { stroke: light, 'stroke-opacity': 0.3 - index * 0.06 }),
    ),
  ];
};

/** The seats of a hall, seen from the stage. */
const hall = ([, , light, accent], next) => {
  const lit = Math.floor(next() * 40);
  const rows = range(9, (row) => {
    const count = 9 + row * 2;
    return range(count, (seat) => {
      const angle = Math.PI * (0.14 + (0.72 * seat) / (count - 1));
      const radius = 88 + row * 30;
      const bright = (row * 31 + seat * 7 + lit) % 11 === 0;
      return circle(160 - radius * Math.cos(angle), 420 - radius * Math.sin(angle), 4.6, bright ? accent : light, {
        'fill-opacity': bright ? 1 : 0.36 - row * 0.02,
      });
    });
  });
  return [path('M70 400A90 90 0 0 1 250 400Z', { fill: accent, 'fill-opacity': 0.9 }), ...rows.flat()];
};

const motifs = [arches, moon, curtain, staves, fan, pipes, discs, hall];

const partsOf = (code) => {
  const next = numbersFrom(`${code}.`);
  const running = Number(/\d+$/.exec(code)?.[0] ?? Math.floor(next() * 64));
  // Neighbours differ in colour and motif; a combination of both repeats after 64 codes.
  const round = Math.floor(running / 8);
  const palette = palettes[(running * 3 + round) % palettes.length];
  const motif = motifs[(running * 5 + round * 2) % motifs.length];
  return { palette, draw: () => motif(palette, next).flat() };
};

/** The ground of a picture, which the server draws; {@link fillPosters} draws the rest. */
export function plainPoster(code) {
  return svg(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: 'poster',
      'aria-hidden': 'true',
      preserveAspectRatio: 'xMidYMid slice',
      'data-poster': code,
    },
    svg('rect', { width: WIDTH, height: HEIGHT, fill: partsOf(code).palette[0] }),
  );
}

/**
 * The image of a product, if the point of sale names its host, else its poster; `isNamed`: the text beside names it.
 */
export function pictureOf({ code, image }, isNamed) {
  if (!isShown(image)) return plainPoster(code);
  const how = { alt: isNamed ? '' : image.alt, loading: isNamed && 'lazy', decoding: 'async' };
  return h('img', { class: 'poster', src: image.url, ...how, 'data-image': code });
}

const isShown = (image) => image && URL.canParse(image.url) && shop.imageHosts?.includes(new URL(image.url).host);

/** An image that cannot be loaded gives way to the poster. */
const watchImage = (image) => {
  const give = () => image.replaceWith(poster(image.dataset.image));
  if (image.complete && image.naturalWidth === 0) give();
  else image.addEventListener('error', give);
};

const fill = (picture) => {
  const { poster: code } = picture.dataset;
  delete picture.dataset.poster;
  picture.append(...partsOf(code).draw());
};

/** Draws the details of the posters below an element, each shortly before it is seen, also in place of lost images. */
export function fillPosters(element) {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        fill(target);
      }
    },
    { rootMargin: '300px' },
  );
  for (const picture of element.querySelectorAll('[data-poster]')) observer.observe(picture);
  for (const image of element.querySelectorAll('[data-image]')) watchImage(image);
}

const poster = (code) => {
  const picture = plainPoster(code);
  fill(picture);
  return picture;
};

/** The same as {@link pictureOf}, beside the name, and complete. */
export function drawnPicture(product) {
  const picture = pictureOf(product, true);
  if (picture.dataset.poster) fill(picture);
  else watchImage(picture);
  return picture;
}

/** The picture of the first page: arcs of seats that fade into the dark. */
export function auditorium() {
  return svg(
    'svg',
    { viewBox: '0 0 1280 560', class: 'auditorium', 'aria-hidden': 'true', preserveAspectRatio: 'xMidYMax slice' },
    range(13, (row) => [
      seats(row, { class: 'hall-row', 'stroke-dasharray': '0 1', 'stroke-opacity': Math.max(0.08, 0.44 - row * 0.03) }),
      seats(row, { class: 'hall-lit', 'stroke-dasharray': '0 17', 'stroke-dashoffset': -((row * 7) % 17) }),
    ]),
  );
}

/** A row of seats as one line of round dots. */
const seats = (row, look) => {
  const [angle, radius] = [0.03 * Math.PI, 150 + row * 40];
  const x = radius * 1.12 * Math.cos(angle);
  const y = 640 - radius * Math.sin(angle);
  return path(`M${640 - x} ${y}A${radius * 1.12} ${radius} 0 0 1 ${640 + x} ${y}`, {
    pathLength: 18 + row * 5,
    'stroke-width': 10,
    'stroke-linecap': 'round',
    ...look,
  });
};

/** The badge for a product, or a show's performance, that is scarce, sold out or not on sale; else undefined. */
export function badge({ type, availability, onSale = true }) {
  if (!onSale) return h('span', { class: 'badge badge-quiet' }, t('notOnSale'));
  if (availability === 'sold_out') return h('span', { class: 'badge badge-out' }, t('soldOut', { type }));
  if (availability === 'few') return h('span', { class: 'badge badge-few' }, t('few', { type }));
  return undefined;
}
