const REPLACEMENT = /^(.+)_r([1-9][0-9]{0,8})$/;

/**
 * The id of the ticket that replaces this one: `tic_x` → `tic_x_r1` → `tic_x_r2`. It is derived from the old id,
 * since a ticket is replaced at most once: every process that completes an interrupted replacement writes the same
 * ticket.
 */
export const nextId = (id: string): string => {
  const [, root = id, generation = '0'] = REPLACEMENT.exec(id) ?? [];
  return `${root}_r${Number(generation) + 1}`;
};

/** The id of the ticket that this one replaces; undefined if `nextId` did not make this id. */
export const previousId = (id: string): string | undefined => {
  const [, root, generation] = REPLACEMENT.exec(id) ?? [];
  if (root === undefined) return undefined;
  return generation === '1' ? root : `${root}_r${Number(generation) - 1}`;
};
