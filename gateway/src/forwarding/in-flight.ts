/** Something that knows its place in a list of what is under way. */
export interface Indexed {
  index: number;
}

/** What is under way: things come and go thousands of times a second, in any order. */
export interface InFlight<Item extends Indexed> {
  readonly size: number;
  add(item: Item): void;
  delete(item: Item): void;
  /** Visits all, in no order; the visitor may delete what it visits. */
  visit(visitor: (item: Item) => void): void;
}

/**
 * Makes the list. It is not a Set because V8's keep, in each table that they grow out of, what was in it and the way to the next table: once
 * one such table has grown old, every later request lives until the next full collection (seen: a third of all memory).
 */
export const createInFlight = <Item extends Indexed>(): InFlight<Item> => {
  const items: Item[] = [];
  return {
    get size() {
      return items.length;
    },
    add(item) {
      item.index = items.length;
      items.push(item);
    },
    delete(item) {
      const { index } = item;
      if (items[index] !== item) return;
      const last = items.pop();
      if (last === undefined || last === item) return;
      items[index] = last;
      last.index = index;
    },
    visit(visitor) {
      for (let index = items.length - 1; index >= 0; index -= 1) {
        const item = items[index];
        if (item) visitor(item);
      }
    },
  };
};
