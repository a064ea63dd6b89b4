import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { waitUntil } from '../fixture/fixture.ts';

/** A page as a browser gets it. */
export async function getPage(address: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(address, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A page with what the catalog says of it: while that is slow, pages come without. */
export async function getDrawnPage(address: string): ReturnType<typeof getPage> {
  let page = await getPage(address);
  await waitUntil(async () => {
    if (!page.text.includes('<p class="wrap lead late">')) return true;
    page = await getPage(address);
    return false;
  });
  return page;
}

/** The data block of the page's script, or that of search engines. */
export function readPageData(text: string, kind: 'json" data-shop' | 'ld\\+json"' = 'json" data-shop') {
  return JSON.parse(new RegExp(`<script type="application/${kind}>(.*?)</script>`).exec(text)?.[1] ?? '');
}

/** Puts these into the place of what a browser has while the tests of the present block run. */
export function usePlatform(parts: Readonly<Record<string, unknown>>): void {
  const before = Object.keys(parts).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  beforeAll(() => {
    for (const [name, value] of Object.entries(parts))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  });
  afterAll(() => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });
}

/** The address of a shop whose requests wait for their answers, and what it needs of a browser for them. */
export function createWaitingRequests() {
  const outside = fetch;
  const location = { origin: 'https://shop.test' };
  /** In the order in which they were made. */
  const open: { readonly call: string; readonly answer: (response: Response) => void }[] = [];
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await turn();
  };
  return {
    open,
    settled,
    platform: {
      location,
      fetch: (address: URL | string, init: RequestInit) => {
        if (!`${address}`.startsWith(location.origin)) return outside(address, init);
        const { promise, resolve } = Promise.withResolvers<Response>();
        const call = `${init.method} ${new URL(address).pathname.replace('/tnwr/vexp/', '')}`;
        open.push({ call, answer: resolve });
        return promise;
      },
    },
    /** Answers one of the requests, which must be the only ones, or refuses it, once the shop has done what it can. */
    async answer(calls: readonly string[], given: object | 404 | 500, at = 0): Promise<void> {
      await settled();
      expect(open.map(({ call }) => call)).toEqual(calls);
      const refusal = { success: false, errorCode: given === 404 ? 'not_found' : 'internal_error' };
      const [request] = open.splice(at, 1);
      request?.answer(
        typeof given === 'number'
          ? Response.json(refusal, { status: given })
          : Response.json({ success: true, data: given }),
      );
    },
  };
}

/** The part of an element that the pages of the shop use, without a browser. */
export class FakeElement {
  readonly tag: string;
  readonly #attributes = new Map<string, string>();
  #children: (FakeElement | string)[] = [];
  readonly #listeners = new Map<string, (event: object) => unknown>();
  value = '';

  constructor(tag: string) {
    this.tag = tag;
  }

  get isConnected(): boolean {
    return true;
  }

  get textContent(): string {
    return this.#children.map((child) => (child instanceof FakeElement ? child.textContent : child)).join('');
  }

  set textContent(text: string) {
    this.#children = [text];
  }

  setAttribute(name: string, value: string): void {
    this.#attributes.set(name, value);
  }

  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }

  removeAttribute(name: string): void {
    this.#attributes.delete(name);
  }

  addEventListener(name: string, listener: (event: object) => unknown): void {
    this.#listeners.set(name, listener);
  }

  /** Resolves once its listener has done all. */
  async press(): Promise<void> {
    await this.#listeners.get('click')?.({});
  }

  /** It and all elements in it. */
  all(): FakeElement[] {
    return [this, ...this.#children.flatMap((child) => (child instanceof FakeElement ? child.all() : []))];
  }

  append(...children: (FakeElement | string | number)[]): void {
    this.#children.push(...children.map((child) => (child instanceof FakeElement ? child : String(child))));
  }

  replaceChildren(...children: (FakeElement | string | number)[]): void {
    this.#children = [];
    this.append(...children);
  }

  /** Nothing has the focus. */
  contains(): boolean {
    return false;
  }
}

/** A document of such elements, in which the announcer and the place of notices are found. */
export function createFakeDocument() {
  const [announcer, notices] = [new FakeElement('p'), new FakeElement('div')];
  return {
    cookie: '',
    title: '',
    activeElement: null,
    createElement: (tag: string) => new FakeElement(tag),
    createElementNS: (_namespace: string, tag: string) => new FakeElement(tag),
    announcer,
    notices,
    querySelector: (selector: string) => ({ '[data-announcer]': announcer, '.notices': notices })[selector] ?? null,
  };
}

/** A module of the shop, which is plain JavaScript without types. */
// biome-ignore lint/suspicious/noExplicitAny: the browser's code has no types
export function importShopModule(name: string): Promise<any> {
  return import(new URL(`../../browser/${name}`, import.meta.url).href);
}

// Halls with parterre, balconies and boxes, in the form of `GET …/seat-map`.

interface Place {
  readonly areaId: string;
  readonly row: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  free: boolean;
}

export interface SeatMap {
  readonly stage: { readonly x: number; readonly y: number; readonly width: number };
  readonly areas: { id: string; name: string; seatCategoryId: string; outline: string }[];
  readonly seats: Record<string, Place>;
}

interface Block {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  /** The middle of the first row. */
  readonly x: number;
  readonly y: number;
  readonly rows: readonly string[];
  readonly seats: number;
  /** How far the middle of a row lies behind its ends. */
  readonly bend?: number;
  /** The direction of a row: 0 is from left to right, 90 is from front to back. */
  readonly turn?: number;
}

const PITCH = 10;

/** A hall of blocks of rows; `isFree` is told the index of each seat. */
export function createHallOfBlocks(blocks: readonly Block[], isFree: (index: number) => boolean = () => true): SeatMap {
  const seats: Record<string, Place> = {};
  let index = 0;
  for (const block of blocks) {
    const { id, rows, seats: count, bend = 0 } = block;
    for (const [line, row] of rows.entries()) {
      for (let seat = 1; seat <= count; seat += 1) {
        const across = (seat - (count + 1) / 2) * PITCH;
        const back = line * PITCH * 1.1 + bend * (1 - (across / ((count * PITCH) / 2)) ** 2);
        seats[`${id}-${row}-${seat}`] = {
          areaId: id,
          row,
          label: `${row}-${seat}`,
          ...locate(block, across, back),
          free: isFree(index),
        };
        index += 1;
      }
    }
  }
  const areas = blocks.map((block) => {
    const { id, name, category, rows, seats: count, bend = 0 } = block;
    const [half, deep] = [(count * PITCH) / 2 + 6, rows.length * PITCH * 1.1 + bend];
    const corner = (across: number, back: number) => {
      const { x, y } = locate(block, across, back);
      return `${x.toFixed(1)} ${y.toFixed(1)}`;
    };
    const outline = `M${corner(-half, -8)}L${corner(half, -8)}L${corner(half, deep)}L${corner(-half, deep)}Z`;
    return { id, name, seatCategoryId: category, outline };
  });
  return { stage: { x: -100, y: -25, width: 200 }, areas, seats };
}

/** A point of a block, by its distances from the middle of the first row. */
const locate = ({ x, y, turn = 0 }: Block, across: number, back: number) => {
  const angle = (turn * Math.PI) / 180;
  return {
    x: x + across * Math.cos(angle) - back * Math.sin(angle),
    y: y + across * Math.sin(angle) + back * Math.cos(angle),
  };
};

/** An opera house of about 2,000 seats: parterre, two balconies, boxes along both sides. */
export function createOperaHouse(isFree?: (index: number) => boolean): SeatMap {
  const box = (side: -1 | 1, number: number): Block => ({
    ...{ id: `box${side < 0 ? 'L' : 'R'}${number}`, name: `Box ${number} ${side < 0 ? 'left' : 'right'}` },
    ...{ category: 'boxes', x: side * 230, y: 20 + number * 42, rows: ['1'], seats: 4, turn: 90 },
  });
  return createHallOfBlocks(
    [
      { id: 'parterre', name: 'Parterre', category: 'first', x: 0, y: 10, rows: letters(24), seats: 40, bend: 14 },
      { id: 'side', name: 'Wheelchair places', category: 'wheelchair', x: 0, y: 320, rows: ['W'], seats: 8 },
      { id: 'balcony1', name: 'Balcony 1', category: 'second', x: 0, y: 350, rows: letters(10), seats: 50, bend: 24 },
      { id: 'balcony2', name: 'Balcony 2', category: 'third', x: 0, y: 500, rows: letters(8), seats: 56, bend: 30 },
      ...[0, 1, 2, 3, 4, 5].flatMap((number) => [box(-1, number + 1), box(1, number + 1)]),
    ],
    isFree,
  );
}

const letters = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[index % 26]}${index < 26 ? '' : '2'}`);
