import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Refused } from '../refused.ts';

/** The text without its final line break, which editors and `echo` add. */
const withoutEnd = (text: string): string => text.replace(/\r?\n$/, '');

const fromFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Refused(`the password cannot be read from ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
};

const fromStandardInput = async (): Promise<string> => {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
};

/** Prompts twice on the terminal without echo. */
const fromTerminal = async (): Promise<string> => {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const ask = async (question: string): Promise<string> => {
    process.stderr.write(question);
    const answer = await terminal.question('');
    process.stderr.write('\n');
    return answer;
  };
  try {
    const password = await ask('Password: ');
    if (password !== (await ask('The same again: '))) throw new Refused('the two passwords differ');
    return password;
  } finally {
    terminal.close();
  }
};

/**
 * A password from a file, from a pipe, or from a terminal prompt; never from the command line, and never printed.
 * @throws {Refused}
 */
export const readPassword = async (file: string | undefined): Promise<string> => {
  const given = file === undefined && process.stdin.isTTY ? fromTerminal : fromStandardInput;
  const password = withoutEnd(file === undefined || file === '-' ? await given() : fromFile(file));
  if (password === '') throw new Refused('no password was given: --password-file FILE, or pipe it in');
  return password;
};
