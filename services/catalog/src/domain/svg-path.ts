/** In the units of a drawing; y grows downwards. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Step {
  readonly command: string;
  readonly numbers: readonly number[];
}

/** The number of arguments of each command (SVG 2, 9.3). */
const ARGUMENTS = new Map(Object.entries({ M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 }));

export const MAX_COORDINATE = 100_000;

const WS = '[\\t\\n\\f\\r ]*';
const NUMBER = '([+-]?(?:[0-9]*[.][0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?)';
const command = new RegExp(`${WS}([A-Za-z])`, 'y');
const first = new RegExp(`${WS}${NUMBER}`, 'y');
const next = new RegExp(`${WS},?${WS}${NUMBER}`, 'y');
const flag = new RegExp(`${WS},?${WS}([01])`, 'y');
const end = new RegExp(`${WS}$`, 'y');

/** Whether a text is a path that begins with a move, with coordinates of at most {@link MAX_COORDINATE}. */
export function isPath(text: string): boolean {
  return stepsOf(text) !== undefined;
}

/** SVG 2, 9.3.9; undefined for any other text. Takes linear time. */
const stepsOf = (text: string): readonly Step[] | undefined => {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found ? (found[1] ?? '') : undefined;
  };
  const takeNumbers = (name: string, isFirst: boolean): number[] | undefined => {
    const numbers: number[] = [];
    for (let index = 0; index < (ARGUMENTS.get(name) ?? 0); index += 1) {
      const isFlag = name === 'A' && (index === 3 || index === 4);
      const taken = Number(take(isFlag ? flag : isFirst && index === 0 ? first : next) ?? Number.NaN);
      if (!(Math.abs(taken) <= MAX_COORDINATE)) return undefined;
      numbers.push(taken);
    }
    return numbers;
  };
  const steps: Step[] = [];
  while (take(end) === undefined) {
    let name = take(command) ?? '';
    const count = ARGUMENTS.get(name.toUpperCase());
    if (count === undefined || (steps.length === 0 && name.toUpperCase() !== 'M')) return undefined;
    for (let isFirst = true; ; isFirst = false) {
      const before = at;
      if (!isFirst && (count === 0 || take(next) === undefined)) break;
      at = before;
      const numbers = takeNumbers(name.toUpperCase(), isFirst);
      if (!numbers) return undefined;
      steps.push({ command: name, numbers });
      // What follows a first pair of M are lines.
      if (name === 'M') name = 'L';
      if (name === 'm') name = 'l';
    }
  }
  return steps.length > 0 ? steps : undefined;
};

/** Points whose bounding box contains the path: its ends, its control points, and corners around its arcs. */
export function computeBoundingPoints(path: string): Point[] {
  const points: Point[] = [];
  let [start, current]: [Point, Point] = [
    { x: 0, y: 0 },
    { x: 0, y: 0 },
  ];
  for (const { command: name, numbers } of stepsOf(path) ?? []) {
    const kind = name.toUpperCase();
    const origin = name === kind ? { x: 0, y: 0 } : current;
    const [value = 0] = numbers;
    if (kind === 'Z') current = start;
    else if (kind === 'H') current = { x: origin.x + value, y: current.y };
    else if (kind === 'V') current = { x: current.x, y: origin.y + value };
    else {
      const named = pairs(kind === 'A' ? numbers.slice(5) : numbers);
      const moved = named.map(({ x, y }) => ({ x: origin.x + x, y: origin.y + y }));
      const last = moved.at(-1) ?? current;
      points.push(...moved, ...(kind === 'A' ? aroundArc(current, last, numbers) : []));
      current = last;
      if (kind === 'M') start = current;
    }
    points.push(current);
  }
  return points;
}

const pairs = (numbers: readonly number[]): Point[] =>
  Array.from({ length: numbers.length / 2 }, (_, index) => ({
    x: numbers[2 * index] ?? 0,
    y: numbers[2 * index + 1] ?? 0,
  }));

/** An arc bulges by its radius at most, a large one by two, seen from its ends. */
const aroundArc = (from: Point, to: Point, [rx = 0, ry = 0, , isLarge = 0]: readonly number[]): Point[] => {
  const radius = Math.max(rx, ry, Math.hypot(to.x - from.x, to.y - from.y) / 2) * (1 + isLarge);
  return [from, to].flatMap(({ x, y }) => [
    { x: x - radius, y: y - radius },
    { x: x + radius, y: y + radius },
  ]);
};
