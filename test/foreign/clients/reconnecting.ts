/** A client that opens a connection for each command and closes it after the reply, as small poll scripts do. */
import { Bytes } from './bytes.ts';

/** The result line, and the data line where there is one. Prompts and echoes are cut off. */
export async function askOnce(port: number, command: string): Promise<readonly string[]> {
  const bytes = await Bytes.open(port);
  bytes.write(`${command}\r\n`);
  const reply = await bytes.until(command.endsWith('?') ? /R\+0000\r\n[^\r]*\r\n|R\+000[1-4]\r\n/ : /R\+000\d\r\n/);
  bytes.close();
  return reply
    .replaceAll('$', '')
    .split('\r\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== command);
}
