import { createRefusalFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { findChange, lapseChange } from '../domain/changes/change.ts';
import { accept, refuse } from '../domain/decisions.ts';
import { type Command, runCommand } from '../saga/command.ts';
import { releaseAtOnce } from '../saga/release.ts';
import type { OrderDocument } from '../store.ts';

/** A pending change lapses. @throws Fault `not_found`, `change_final` of any other */
export async function endChange(context: OrdersContext, command: Command, changeId: string): Promise<OrderDocument> {
  const { order } = await runCommand(context, command, (current, now) => {
    const change = findChange(current, changeId);
    if (!change) throw createRefusalFault('unknown_change');
    if (change.state !== 'pending') return refuse('change_final', `The change is ${change.state}.`);
    if (change.coveredAt !== null) return refuse('change_final', 'The change is paid for and is being done.');
    return accept(lapseChange(current, { withdrawn: true }, now));
  });
  return releaseAtOnce(context, order, command.idempotencyRecord);
}
