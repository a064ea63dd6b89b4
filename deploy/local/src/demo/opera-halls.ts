import { boxes, type Hall, hallOf, lettered } from './halls.ts';
import { readTexts } from './institution.ts';

const texts = (line: string) => readTexts(['fr', 'en', 'de'], line);

const STALLS = texts('Parterre | Stalls | Parkett');
const FIRST_BALCONY = texts('Premier balcon | First balcony | Erster Rang');
const BOXES = texts('Loges | Boxes | Logen');
const WHEELCHAIR = texts('Places pour fauteuils roulants | Wheelchair places | Rollstuhlplätze');

const wheelchairsAt = (top: number, seats = 4) =>
  ({
    id: 'wheelchair',
    name: WHEELCHAIR,
    category: 'WHEELCHAIR',
    rows: [{ row: 'R', seats }],
    top,
    bow: 3,
    pitch: 24,
  }) as const;

const stalls = (rows: ReturnType<typeof lettered>) =>
  ({ id: 'stalls', name: STALLS, category: 'STALLS', rows, top: 48, bow: 12 }) as const;

/** Horseshoe: stalls, wheelchair places behind them, boxes at both walls, a first balcony. */
export const grandTheatre: Hall = hallOf(
  { STALLS, BALCONY: FIRST_BALCONY, BOX: BOXES, WHEELCHAIR },
  [
    stalls(lettered('ABCDE', 10, 11, 12, 12, 13)),
    wheelchairsAt(158),
    {
      id: 'boxes-left',
      name: texts('Loges côté jardin | Boxes, left | Logen links'),
      category: 'BOX',
      rows: boxes(1, 3, 3),
      x: 66,
      top: 52,
    },
    {
      id: 'boxes-right',
      name: texts('Loges côté cour | Boxes, right | Logen rechts'),
      category: 'BOX',
      rows: boxes(4, 3, 3),
      x: 334,
      top: 52,
    },
    { id: 'balcony', name: FIRST_BALCONY, category: 'BALCONY', rows: lettered('AB', 14, 16), top: 214, bow: 26 },
  ],
  150,
);

/** The Grand Théâtre with the whole of its stalls, for the show that documentation and tests rely on. */
export const grandTheatreInFull: Hall = hallOf(
  { STALLS, BALCONY: FIRST_BALCONY, WHEELCHAIR },
  [
    stalls(lettered('ABCDEFGHJK', 20)),
    wheelchairsAt(248),
    { id: 'balcony', name: FIRST_BALCONY, category: 'BALCONY', rows: lettered('AB', 20), top: 300, bow: 26 },
  ],
  200,
);

/** Shoebox: stalls, a gallery behind them, seats of the choir. */
export const concertHall: Hall = hallOf(
  { STALLS, BALCONY: texts('Galerie | Gallery | Galerie'), WHEELCHAIR },
  [
    { ...stalls(lettered('ABCDE', 10)), bow: 0 },
    { ...wheelchairsAt(144), bow: 0 },
    {
      id: 'gallery',
      name: texts('Galerie | Gallery | Galerie'),
      category: 'BALCONY',
      rows: lettered('AB', 11),
      top: 190,
      bow: 0,
    },
  ],
  180,
);

/** Few rows, close to the players. */
export const smallHall: Hall = hallOf(
  { STALLS, WHEELCHAIR },
  [{ ...stalls(lettered('ABCD', 8, 9, 10, 11)), bow: 18 }, wheelchairsAt(146, 2)],
  90,
);
