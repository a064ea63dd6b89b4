import { type AnyOperation, named, ok, selectText } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { examples } from '../description/examples.ts';
import { createMapSchema, langQuery, pathId } from '../description/schemas.ts';
import type { PosContext } from '../request/context.ts';
import { buildSharedHeaders, createNotFoundFault, operation } from '../request/visit.ts';
import { HALLS, type Offers } from './offers.ts';
import { cacheAnswers, findShownPerformance } from './showcase.ts';

const { Array: List, Boolean: Flag, Number: Real, Object: Members, String: Text } = Type;

const Stage = named(
  'ShopStage',
  Members(
    { x: Real(), y: Real(), width: Real({ description: 'to the right' }) },
    { description: 'its front edge; x and y of its left end' },
  ),
);

const Area = named(
  'ShopArea',
  Members({
    id: Text(),
    name: Text({ description: 'in the wanted language' }),
    seatCategoryId: Text({ description: 'whose prices it has; a category may have several areas' }),
    outline: Text({ description: 'an SVG path' }),
  }),
);

const Seat = named(
  'ShopSeat',
  Members({
    areaId: Text(),
    row: Text({ description: 'as tickets name it' }),
    label: Text({ description: 'what a ticket shows: row and seat' }),
    x: Real({ description: 'of its middle' }),
    y: Real(),
    free: Flag({ description: 'whether it can be bought now' }),
  }),
);

const SeatMap = named('ShopSeatMap', Members({ stage: Stage, areas: List(Area), seats: createMapSchema(Seat) }));

const { ids } = examples;

const exampleOfSeatMap = {
  stage: { x: 60, y: 0, width: 80 },
  areas: [{ id: 'stalls', name: 'Parterre', seatCategoryId: ids.category, outline: 'M0 20H200V60Q100 90 0 60Z' }],
  seats: { [ids.place]: { areaId: 'stalls', row: 'A', label: 'A-1', x: 10, y: 30, free: true } },
};

export function createSeatMapRoutes({ offers, now }: Pick<PosContext, 'offers' | 'now'>): AnyOperation[] {
  const seatMaps = createSeatMaps(offers, () => now());
  return [
    operation({
      id: 'viewSeatMap',
      method: 'get',
      path: '/products/{id}/performances/{performanceId}/seat-map',
      access: 'visitor',
      summary: 'Returns the plan of a hall: areas, and where each seat is, with whether it is free',
      description:
        'At most a second old. Without a plan of the institution, seats stand in plain blocks, 10 units apart. An ' +
        'unnumbered category has an area without seats. Coordinates are in units of the plan; y grows downwards.',
      params: { id: pathId, performanceId: pathId },
      query: langQuery,
      answers: { 200: SeatMap },
      compressed: true,
      example: {
        params: { id: examples.ids.product, performanceId: examples.ids.performance },
        answer: exampleOfSeatMap,
      },
      handle: async ({ visitor, params: { id, performanceId } }) => {
        const { pointOfSale, languages } = visitor;
        const audience = { pointOfSale, languages, criteria: [], codes: [] };
        return ok(await seatMaps(audience, id, performanceId), { headers: buildSharedHeaders(visitor) });
      },
    }),
  ];
}

/** What is free is at most a second old. Rejects with PosFault `not_found`, as places do. */
const createSeatMaps = (offers: Offers, now: () => number) =>
  cacheAnswers(async (audience, productId: string, performanceId: string) => {
    const performance = await findShownPerformance(offers, audience, { productId, performanceId }, now());
    const { institution } = audience.pointOfSale;
    const [{ languages = [] }, plan, { value: places, asOf }] = await Promise.all([
      offers.published(institution),
      offers.plan(institution, performance),
      offers.places(institution, performanceId),
    ]);
    if (!plan || !places) throw createNotFoundFault();
    const accepted = [...audience.languages, ...languages];
    const value: Static<typeof SeatMap> = {
      stage: plan.stage,
      areas: plan.areas.map(({ id, name, seatCategoryId, outline }) => ({
        id,
        name: selectText(name, accepted),
        seatCategoryId,
        outline,
      })),
      // A seat that was added or withdrawn within this second is in one of the two only.
      seats: Object.fromEntries(
        places.flatMap(({ id, free }) => {
          const seat = plan.seats[id];
          return seat ? [[id, { ...seat, free }]] : [];
        }),
      ),
    };
    return { value, asOf };
  }, HALLS);
