import type { Bus, Handler, Message } from '@boxoffice/messaging';
import { type Attributes, parseTraceparent, recording, runWithTrace, traceparentFrom } from '@boxoffice/runtime';

/** The traceparent that was stored with the event, if it was written within a trace. */
const parentOf = ({ traceparent }: Message): string | undefined =>
  parseTraceparent(traceparent) ? traceparent : undefined;

const about = (system: Bus['system'], { id, type }: Message): Attributes => ({
  'messaging.system': system,
  'messaging.message.id': id,
  'boxoffice.message.type': type,
});

const failureName = (error: unknown): string => (error instanceof Error ? error.name : 'error');

/** Publishes within a span, if spans are recorded: the message carries it, and its handler continues the trace. */
export const publishing =
  (service: string, system: () => Bus['system'], publish: Bus['publish']): Bus['publish'] =>
  async (message) => {
    const span = recording()?.({
      service,
      kind: 'producer',
      name: `publish ${message.type}`,
      parent: parentOf(message),
      attributes: {
        ...about(system(), message),
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        'messaging.destination.name': message.type,
      },
    });
    if (!span) return publish(message);
    try {
      await publish({ ...message, traceparent: span.traceparent });
      span.end();
    } catch (error) {
      span.end(failureName(error));
      throw error;
    }
  };

/** Calls `fn` in the trace of the request that caused the message. */
export const inTraceOf = <Result>(message: Message, fn: () => Result): Result =>
  runWithTrace({ requestId: message.id, traceparent: traceparentFrom(message.traceparent) }, fn);

/** Handles a message in the trace of the request that caused it, and within a span, if spans are recorded. */
export const handling =
  (service: string, system: Bus['system'], queue: string, handle: Handler): Handler =>
  async (message, attempt) => {
    const span = recording()?.({
      service,
      kind: 'consumer',
      name: `process ${queue}`,
      parent: parentOf(message),
      attributes: {
        ...about(system, message),
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': queue,
        'boxoffice.message.attempt': attempt,
      },
    });
    if (!span) return inTraceOf(message, () => handle(message, attempt));
    const trace = { requestId: message.id, traceparent: span.traceparent, service };
    try {
      await runWithTrace(trace, () => handle(message, attempt));
      span.end();
    } catch (error) {
      span.end(failureName(error));
      throw error;
    }
  };
