import { authorised, type Product } from '../../src/product.ts';
import { OPERA } from './shop-fixture.ts';

const DAY_MS = 86_400_000;

const row = (name: string, y: number, half: number, curve = 0) => ({
  row: name,
  from: { x: 200 - half, y },
  to: { x: 200 + half, y },
  curve,
});

/** The name of the balcony. */
export const BALCONY = { en: 'First balcony', fr: 'Premier balcon', de: 'Erster Rang' };

/** A hall with parterre, balcony, boxes, wheelchair places and standing room, 400 wide and about 330 high. */
const SEAT_MAP = {
  stage: { x: 130, y: 20, width: 140 },
  areas: [
    {
      id: 'parterre',
      name: { en: 'Parterre' },
      seatCategory: 'first',
      outline: 'M95 45H305V125Q200 145 95 125Z',
      rows: ['A', 'B', 'C', 'D'].map((name, index) => row(name, 60 + index * 18, 90, 10)),
    },
    {
      id: 'boxes',
      name: { en: 'Boxes' },
      seatCategory: 'boxes',
      outline: 'M20 45H50V125H20Z',
      rows: [{ row: '1', from: { x: 35, y: 55 }, to: { x: 35, y: 115 } }],
    },
    {
      id: 'wheelchair',
      name: { en: 'Wheelchair places' },
      seatCategory: 'wheelchair',
      outline: 'M170 150H230V170H170Z',
      rows: [row('W', 160, 20)],
    },
    {
      id: 'balcony',
      name: BALCONY,
      seatCategory: 'second',
      outline: 'M50 190H350V290Q200 320 50 290Z',
      rows: ['A', 'B', 'C', 'D'].map((name, index) => row(name, 210 + index * 24, 130, 16)),
    },
    {
      id: 'standing',
      name: { en: 'Standing' },
      seatCategory: 'standing',
      outline: 'M320 45H380V125H320Z',
      rows: [],
    },
  ],
};

const numbered = (code: string, name: string, rows: readonly string[], seats: number) => ({
  ...{ code, name: { en: name, fr: name, de: name }, numbered: true, capacity: rows.length * seats },
  rows: rows.map((one) => ({ row: one, seats })),
});

/** A show in a hall of its own: the address of its page below `/shop/`, its name, and its ids. */
export interface Hall {
  readonly at: string;
  readonly name: string;
  readonly productId: string;
  readonly performanceId: string;
}

/** Puts a new show in the hall on sale, in 40 days unless told when. */
export const createHall = async (
  product: Product,
  name: string,
  start: number = Date.now() + 40 * DAY_MS,
): Promise<Hall> => {
  const full = await authorised(product, 'opera', 'full');
  const must = async (path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const answer = await full(`/svc/v3/catalog/${path}`, { method, ...(body ? { body } : {}) });
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
    return answer.body.data;
  };
  const { tariffIds } = await must(`points-of-sale/${OPERA}`);
  const tariffs = (await must('tariffs?limit=100')).items as { id: string; criterion: string | null }[];
  const open = tariffs.filter(({ id, criterion }) => tariffIds.includes(id) && !criterion).slice(0, 2);
  const show = await must('products', {
    code: name.toLowerCase().replaceAll(' ', '-'),
    type: 'show',
    name: { en: name, fr: name, de: name },
  });
  const seatCategories = [
    numbered('first', 'First category', ['A', 'B', 'C', 'D'], 10),
    numbered('second', 'Second category', ['A', 'B', 'C', 'D'], 14),
    numbered('boxes', 'Boxes', ['1'], 4),
    numbered('wheelchair', 'Wheelchair places', ['W'], 3),
    { code: 'standing', name: { en: 'Standing' }, numbered: false, capacity: 40 },
  ];
  const performance = await must(`products/${show.id}/performances`, {
    startDate: new Date(start).toISOString(),
    ...{ durationMinutes: 120, timeZone: 'Europe/Zurich', venue: { name: 'Grand Théâtre', city: 'Genève' } },
    seatCategories,
    prices: seatCategories.flatMap(({ code }, at) =>
      open.map(({ id }, fare) => ({ seatCategory: code, tariffId: id, amount: 10_000 - at * 1_000 - fare * 500 })),
    ),
    seatMap: SEAT_MAP,
  });
  for (const state of ['validated', 'running']) await must(`products/${show.id}`, { state }, 'PATCH');
  return { at: `${OPERA}/show/${show.id}`, name, productId: show.id, performanceId: performance.id };
};
