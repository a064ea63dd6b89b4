// The stream of events.

/** A message of a stream of Server-Sent Events (HTML Living Standard, 9.2). */
export interface Message {
  /** The last `id` of the stream so far. */
  readonly id: string | undefined;
  readonly type: string;
  /** Empty in a message that only advances the id. */
  readonly data: string;
}

/** Splits text that arrives in pieces into messages. */
export const createMessageReader = (): ((piece: string) => Message[]) => {
  let rest = '';
  let id: string | undefined;
  let type = '';
  let data: string[] = [];
  let isChanged = false;

  const field = (line: string): void => {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else return;
    isChanged = true;
  };
  return (piece) => {
    const found: Message[] = [];
    // A CR at the end may be the half of a CRLF.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        field(line);
        continue;
      }
      if (isChanged) found.push({ id, type: type || 'message', data: data.join('\n') });
      type = '';
      data = [];
      isChanged = false;
    }
    return found;
  };
};
