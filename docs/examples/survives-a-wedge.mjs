/**
 * A client that survives what the control port of a meter does: it keeps one connection, waits for whole replies, rests
 * between commands, drops a connection that fell silent, and tells a wedged meter from one that is away. Written against the
 * wire only (docs/simulator.md walks through it).
 *
 *   node docs/examples/survives-a-wedge.mjs TCP_PORT FTP_PORT [EVERY_MS]
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const HOST = '127.0.0.1';
const [tcpPort, ftpPort, everyMs = 2_000] = process.argv.slice(2).map(Number);
const PATIENCE_MS = Math.max(500, everyMs * 2);

let connection = null;

/** Resolves with the open connection, or rejects with what `net` says. */
async function dial(port) {
  const socket = connect({ port, host: HOST, noDelay: true });
  await once(socket, 'connect', { signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error) => {
    socket.destroy();
    throw error;
  });
  return socket;
}

/** The reply up to the prompt, of which there may be too many, also in front. Rejects where it does not come whole. */
function reply(socket) {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => settle(new Error('no reply in time')), PATIENCE_MS);
    const settle = (error) => {
      clearTimeout(timer);
      socket.off('data', take).off('close', closed);
      if (error) reject(error);
      else resolve(text.replace(/^[$ ]+/, ''));
    };
    const take = (bytes) => {
      text += bytes.toString('latin1');
      if (/\r\n[$ ]*\$ ?$/.test(text)) settle();
    };
    const closed = () => settle(new Error('the connection ended'));
    socket.on('data', take).on('close', closed);
  });
}

/** The one connection to the meter; one that ended while nobody asked is noticed as well. */
async function open() {
  const socket = await dial(tcpPort);
  socket
    .on('error', () => {})
    .once('close', () => {
      if (connection === socket) connection = null;
    });
  return socket;
}

async function ask(command) {
  connection ??= await open();
  const socket = connection;
  try {
    const said = reply(socket);
    socket.write(`${command}\r\n`);
    const [result, data = ''] = (await said).split('\r\n');
    if (result !== 'R+0000') throw new Error(`refused: ${result}`);
    return data;
  } catch (error) {
    // A late reply must never be taken for the next one.
    socket.destroy();
    connection = null;
    throw error;
  }
}

/** Refused on the control port while FTP answers: it is the meter's listener, not the way to it. */
async function explain(error) {
  if (error.code !== 'ECONNREFUSED') return error.message;
  const ftp = await dial(ftpPort).catch(() => null);
  ftp?.on('error', () => {}).destroy();
  return ftp ? 'WEDGED: the control port refuses, FTP answers; the power must be cut' : 'away: FTP refuses too';
}

for (;;) {
  try {
    const [lp, leq] = (await ask('DOD?')).split(',');
    console.log(`Lp ${lp.trim()} dB, Leq ${leq.trim()} dB`);
  } catch (error) {
    console.log(await explain(error));
  }
  await wait(everyMs);
}
