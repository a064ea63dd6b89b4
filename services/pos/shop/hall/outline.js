/** How many numbers each command of an SVG path takes. */
const SIZES = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };

const TOKEN = /([MLHVCSQTAZ])|(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/gi;

const chunk = (numbers, size) =>
  Array.from({ length: Math.max(1, Math.floor(numbers.length / Math.max(1, size))) }, (_, index) =>
    numbers.slice(index * size, (index + 1) * size),
  );

/** The commands of a path with their numbers; a command that is repeated without its letter appears again. */
const commandsOf = (path) => {
  const commands = [];
  for (const [, letter, number] of path.matchAll(TOKEN)) {
    if (letter) commands.push({ letter, numbers: [] });
    else commands.at(-1)?.numbers.push(Number(number));
  }
  return commands.flatMap(({ letter, numbers }) =>
    chunk(numbers, SIZES[letter.toUpperCase()]).map((own) => ({ letter, numbers: own })),
  );
};

/** The points at which the commands of an SVG path end, which are about its extent. */
export const pointsOf = (path) => {
  let [x, y] = [0, 0];
  return commandsOf(path).flatMap(({ letter, numbers }) => {
    const isRelative = letter === letter.toLowerCase();
    const kind = letter.toUpperCase();
    if (kind === 'Z' || numbers.length < SIZES[kind]) return [];
    const [toX, toY] =
      kind === 'H' ? [numbers[0], undefined] : kind === 'V' ? [undefined, numbers[0]] : numbers.slice(-2);
    x = (toX ?? (isRelative ? 0 : x)) + (isRelative ? x : 0);
    y = (toY ?? (isRelative ? 0 : y)) + (isRelative ? y : 0);
    return [{ x, y }];
  });
};
