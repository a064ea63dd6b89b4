/** The part of an element that the pages of the shop use, without a browser. */
export class FakeElement {
  readonly tag: string;
  readonly #attributes = new Map<string, string>();
  #children: (FakeElement | string)[] = [];
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

  addEventListener(): void {}

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
export const fakeDocument = () => {
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
};

/** A module of the shop, which is plain JavaScript without types. */
// biome-ignore lint/suspicious/noExplicitAny: the browser's code has no types
export const shopModule = (name: string): Promise<any> => import(new URL(`../../shop/${name}`, import.meta.url).href);
