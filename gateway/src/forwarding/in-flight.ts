/** Something that knows its place in a list of what is under way. */
export interface Placed {
  place: number;
}

/** What is under way: things come and go thousands of times a second, in any order. */
export interface UnderWay<Item extends Placed> {
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
export const createUnderWay = <Item extends Placed>(): UnderWay<Item> => {
  const items: Item[] = [];
  return {
    get size() {
      return items.length;
    },
    add(item) {
      item.place = items.length;
      items.push(item);
    },
    delete(item) {
      const { place } = item;
      if (items[place] !== item) return;
      const last = items.pop();
      if (last === undefined || last === item) return;
      items[place] = last;
      last.place = place;
    },
    visit(visitor) {
      for (let index = items.length - 1; index >= 0; index -= 1) {
        const item = items[index];
        if (item) visitor(item);
      }
    },
  };
};
