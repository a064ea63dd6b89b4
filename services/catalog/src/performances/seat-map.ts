import { createLineSchema, createView, named } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { MAX_ROWS } from '../domain/seat-map.ts';
import { MAX_COORDINATE } from '../domain/svg-path.ts';
import { names } from '../schemas.ts';

const coordinate = Type.Number({
  minimum: -MAX_COORDINATE,
  maximum: MAX_COORDINATE,
  description: 'in units of the plan; y grows downwards',
});

const Point = named('SeatMapPoint', Type.Object({ x: coordinate, y: coordinate }));

const RowLine = named(
  'SeatMapRow',
  Type.Object({
    row: createLineSchema({ maxLength: 20, description: 'a row of the seat category' }),
    from: Point,
    to: Point,
    curve: Type.Optional(
      Type.Number({
        minimum: -MAX_COORDINATE,
        maximum: MAX_COORDINATE,
        description:
          'how far the middle of the row bows to the right of the way from `from` to `to`: downwards for a row that goes right; default 0',
      }),
    ),
  }),
);

/** An opera house has a box for every few seats. */
const MAX_AREAS = 300;

const Area = named(
  'SeatMapArea',
  Type.Object({
    id: Type.String({
      pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
      description: 'unique in the plan',
    }),
    name: names,
    seatCategory: createLineSchema({
      maxLength: 64,
      description: 'code of the seat category; it may have several areas',
    }),
    outline: Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: 'an SVG path that begins with M',
    }),
    rows: Type.Array(RowLine, {
      maxItems: MAX_ROWS,
      description: `of a numbered category, each in one area at most, ${MAX_ROWS} in all; the first seat is at \`from\`, the last at \`to\`, the others at equal distances between, a gap (null among the labels) being as wide as a seat; a row of one seat may be a point`,
    }),
  }),
);

export const Stage = named(
  'SeatMapStage',
  Type.Object(
    {
      x: coordinate,
      y: coordinate,
      width: Type.Number({ minimum: 0, maximum: MAX_COORDINATE, description: 'to the right' }),
    },
    { description: 'its front edge; x and y of its left end' },
  ),
);

export const SeatMap = named(
  'SeatMap',
  Type.Object(
    { stage: Stage, areas: Type.Array(Area, { minItems: 1, maxItems: MAX_AREAS }) },
    {
      description:
        'the plan of the hall; null: none, and shops draw a plain one. Lists and products leave a plan out. Rows and categories without an area are ' +
        'drawn below it. A row ' +
        'that is removed from its category stays here, without seats',
    },
  ),
);

const view = createView(SeatMap);

/** Absent stays absent. */
export function toSeatMap<Absent extends null | undefined>(plan: Static<typeof SeatMap> | Absent) {
  return plan ? view(plan) : (plan as Absent);
}

export const seatMap = {
  stage: { x: 60, y: 0, width: 80 },
  areas: [
    {
      id: 'stalls',
      name: { fr: 'Parterre', en: 'Stalls' },
      seatCategory: 'STALLS',
      outline: 'M0 20H200V60Q100 90 0 60Z',
      rows: [
        { row: 'A', from: { x: 10, y: 30 }, to: { x: 190, y: 30 }, curve: 12 },
        { row: 'B', from: { x: 10, y: 45 }, to: { x: 190, y: 45 }, curve: 12 },
      ],
    },
  ],
};
