import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, type Json, waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Product } from '../../src/product.ts';
import { must, usePartner, useProduct } from '../product.ts';
import { executablePath } from '../shop/visit.ts';
import { renderFilm, type Scene } from './barcode-readers.ts';
import {
  beginAt,
  type Evening,
  openBrowser,
  openPhone,
  type Phone,
  type PhoneOptions,
  sellEvening,
  type Ticket,
} from './doors.ts';

/** A timeout longer than any story takes. */
const STORY_MS = 600_000;

/** What the stories of an evening share: one installation, a browser, and one whose camera plays a film. */
export interface Door {
  readonly product: Product;
  readonly partner: Client;
  /** A test with its own phones, concurrent with the other stories. */
  story(name: string, tell: () => Promise<void>): void;
  tonight(): Evening;
  /** The ticket of another performance of tonight. */
  stranger(): Ticket;
  /** A ticket of tonight that no other story uses. */
  fresh(): Ticket;
  /** A phone with a camera on which nobody has signed in. */
  openFilmed(options?: PhoneOptions): Promise<Phone>;
  /** The same without a camera. */
  open(options?: PhoneOptions): Promise<Phone>;
  /** A phone at a door of this name: with tonight's list, or of all that is valid now if no evening is given. */
  phoneAt(gate: string, options?: PhoneOptions, evenings?: readonly Evening[]): Promise<Phone>;
  ticketOf(ticket: Ticket): Promise<Json>;
  /** Waits until a ticket has this value. */
  becomes(ticket: Ticket, name: 'status' | 'gate', value: string): Promise<unknown>;
}

/**
 * A suite at the door; `film`: what the camera sees, of the first tickets. Skipped, with the reason, without a browser.
 */
export function describeAtDoor(
  name: string,
  film: readonly Omit<Scene, 'barcode'>[],
  tests: (door: Door) => void,
): void {
  const suite = executablePath ? describe : describe.skip;
  if (suite === describe.skip) process.stdout.write('skipped: the door needs a browser\n');

  suite(name, () => {
    const product = useProduct();
    const partner = usePartner(product);
    let directory: string;
    let browser: Browser;
    let filmed: Browser;
    let tonight: Evening;
    let other: Evening;
    let used = film.length;

    beforeAll(async () => {
      tonight = await sellEvening(partner, 'The Magic Flute', 50);
      other = await sellEvening(partner, 'Carmen', 1);
      directory = await mkdtemp(join(tmpdir(), 'boxoffice-film-'));
      const file = join(directory, 'door.y4m');
      const scenes = film.flatMap((scene, index): Scene[] => [
        { ...scene, barcode: String(tonight.tickets[index]?.barcode) },
        { seconds: 0.6 },
      ]);
      await writeFile(file, renderFilm(scenes));
      [browser, filmed] = await Promise.all([openBrowser(), openBrowser(file)]);
    }, STORY_MS);
    afterAll(async () => {
      await Promise.all([browser?.close(), filmed?.close()]);
      await rm(directory, { recursive: true, force: true });
    });

    const open = (options?: PhoneOptions) => openPhone(browser, product, options);
    const ticketOf = ({ id }: Ticket) => must(partner, `/svc/v3/tickets/${id}`);
    tests({
      product,
      partner,
      story: (title, tell) => test.concurrent(title, tell, STORY_MS),
      tonight: () => tonight,
      stranger: () => other.tickets[0] as Ticket,
      fresh() {
        used += 1;
        return tonight.tickets[used - 1] as Ticket;
      },
      openFilmed: (options) => openPhone(filmed, product, options),
      open,
      async phoneAt(gate, options, evenings = [tonight]) {
        const phone = await open(options);
        await beginAt(phone, product, evenings, gate);
        return phone;
      },
      ticketOf,
      becomes: (ticket, member, value) =>
        waitUntil(async () => (await ticketOf(ticket))[member] === value, {
          what: `${ticket.id} to have the ${member} ${value}`,
          withinMs: 180_000,
        }),
    });
  });
}
