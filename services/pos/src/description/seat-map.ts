import { named } from '@boxoffice/http';
import { Type } from 'typebox';
import { examples } from './examples.ts';
import { mapOf } from './schemas.ts';

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

/** The plan of a hall, under the experimental version only. */
export const SeatMap = named('ShopSeatMap', Members({ stage: Stage, areas: List(Area), seats: mapOf(Seat) }));

const { ids } = examples;

export const exampleOfSeatMap = {
  stage: { x: 60, y: 0, width: 80 },
  areas: [{ id: 'stalls', name: 'Parterre', seatCategoryId: ids.category, outline: 'M0 20H200V60Q100 90 0 60Z' }],
  seats: { [ids.place]: { areaId: 'stalls', row: 'A', label: 'A-1', x: 10, y: 30, free: true } },
};
