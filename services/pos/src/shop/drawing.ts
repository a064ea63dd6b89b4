import { type Html, html } from '@boxoffice/pages';

const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input']);

const NAME = /^[a-z][a-z0-9:-]*$/i;

/** Names are those of our own pages; any other one would be a way around the escaping. */
const requireName = (name: string): Html => {
  if (!NAME.test(name)) throw new Error(`no name of an element or attribute: ${name}`);
  return { html: name };
};

/** The texts of an element are escaped. */
class Drawn {
  readonly #tag: string;
  readonly #attributes = new Map<string, string>();
  readonly #children: (Drawn | string)[] = [];

  constructor(tag: string) {
    this.#tag = tag;
  }

  setAttribute(name: string, value: string): void {
    this.#attributes.set(name, value);
  }

  set value(value: string) {
    this.#attributes.set('value', value);
  }

  append(...children: (Drawn | string | number)[]): void {
    this.#children.push(...children.map((child) => (child instanceof Drawn ? child : String(child))));
  }

  addEventListener(): void {}

  get html(): string {
    const tag = requireName(this.#tag);
    const attributes = [...this.#attributes].map(([name, value]) => html` ${requireName(name)}="${value}"`);
    const start = html`<${tag}${attributes}>`;
    if (VOID.has(this.#tag)) return start.html;
    return html`${start}${this.#children}</${tag}>`.html;
  }
}

export const drawingDocument = {
  createElement: (tag: string) => new Drawn(tag),
  createElementNS: (_namespace: string, tag: string) => new Drawn(tag),
};
