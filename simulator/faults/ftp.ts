/** Faults of the FTP side: each is a change of how the server behaves, and nothing else. */
import { amount, choice, defineFault, flag, ms, texts } from './define.ts';

const BREAKS = choice(['files', 'listings', 'both'], 'which transfers');

const size = (fallback: number, about: string) => amount(fallback, 0, 2 ** 40, about);

export const ftpLoginRefused = defineFault({
  name: 'ftp-login-refused',
  summary: 'Every login is answered `530 Login Fail`.',
  works: 'lasting',
  settings: {},
  evidence: ['captured', 'the words of a real NL-43 to a wrong password'],
  create: () => ({ ftp: { loginRefused: true } }),
});

export const ftpDelayedStart = defineFault({
  name: 'ftp-delayed-start',
  summary: 'After `FTP,On` it takes long until the port accepts.',
  works: 'lasting',
  settings: { ms: ms(10_000, 'how long, ms; from the next time that FTP is switched on') },
  evidence: ['captured', 'field log: a first login about 3 s after FTP,On was served; longer delays are a guess'],
  create: (settings) => ({ ftp: { startDelayMs: settings.ms } }),
});

export const ftpNoData = defineFault({
  name: 'ftp-no-data-connection',
  summary: 'The data connection of the meter never comes; after a while it says 425.',
  works: 'lasting',
  settings: { gives_up_ms: ms(130_000, 'until it says 425, ms') },
  evidence: ['unknown', 'how long the meter tries an address in PORT that it cannot reach; no capture shows one'],
  create: ({ gives_up_ms }) => ({ ftp: { dataConnectionNever: true, connectMs: gives_up_ms } }),
});

export const ftpCut = defineFault({
  name: 'ftp-cut',
  summary: 'A transfer breaks off in the middle: with a reset and 426, with a false 226, or both connections vanish.',
  works: 'lasting',
  settings: {
    after_bytes: size(4_096, 'of data, bytes'),
    ending: choice(['aborted', 'claims-complete', 'vanishes'], 'what the break looks like'),
    breaks: BREAKS,
  },
  evidence: ['inferred', 'downloads over a cellular link; the words of the meter are not known'],
  create: ({ after_bytes, ending, breaks }) => ({ ftp: { cutAfterBytes: after_bytes, cutEnding: ending, breaks } }),
});

export const ftpStall = defineFault({
  name: 'ftp-stall',
  summary: 'A transfer stops in the middle, and no end comes.',
  works: 'lasting',
  settings: { after_bytes: size(4_096, 'of data, bytes'), breaks: BREAKS },
  evidence: ['inferred', 'a link that fails without a word'],
  create: ({ after_bytes, breaks }) => ({ ftp: { stallAfterBytes: after_bytes, breaks } }),
});

export const ftpSlow = defineFault({
  name: 'ftp-slow',
  summary: 'The card is slow: it limits the bytes a second of listings and files.',
  works: 'lasting',
  settings: { bytes_per_second: amount(50_000, 1, 2 ** 30, 'bytes a second') },
  evidence: ['inferred', 'field log, LTE: small files took 0.8 to 1.9 s; a worn card is slower'],
  create: ({ bytes_per_second }) => ({ ftp: { bytesPerSecond: bytes_per_second } }),
});

export const ftpWrongSize = defineFault({
  name: 'ftp-wrong-size',
  summary: 'The sizes in listings are not those of the files.',
  works: 'lasting',
  settings: { off_by: amount(1_000, -(2 ** 40), 2 ** 40, 'added to every size, bytes; never below 0') },
  evidence: ['inferred', 'a size is that of the time of the listing, and files grow'],
  create: ({ off_by }) => ({ ftp: { listedSizeOff: Math.floor(off_by) } }),
});

export const ftpGrowing = defineFault({
  name: 'ftp-growing',
  summary: 'Every file has grown when it is read again, and since it was listed.',
  works: 'lasting',
  settings: { bytes: size(100, 'at every reading, bytes') },
  evidence: ['inferred', 'an Auto store grows while it is measured'],
  create: ({ bytes }) => ({ ftp: { growing: Math.floor(bytes) } }),
});

/** Names that lead out of a folder, end a line, look like something else, or cannot be a file name. */
const HOSTILE = [
  '../../etc/passwd',
  '/etc/passwd',
  '..',
  'a/b',
  'back\\slash',
  'two\r\n-rw-rw-rw-   1 root  root        64 Dec 24 02:00 lines',
  'null\0byte',
  ' spaces at both ends ',
  '-rf',
  'caf\xe9',
  'con',
  'x'.repeat(300),
  '"quoted"; filename="evil',
  '<script>alert(1)</script>',
];

export const ftpHostileNames = defineFault({
  name: 'ftp-hostile-names',
  summary: 'Listings hold names that lead out of the folder, break the line or are no names.',
  works: 'lasting',
  settings: { names: texts([], 'byte for byte, a character each; none: fourteen of the nastiest') },
  evidence: ['inferred', 'a card that was in a camera or a computer holds what that put there'],
  create: ({ names }) => ({ ftp: { hostileNames: names.length > 0 ? names : HOSTILE } }),
});

export const ftpEndlessListing = defineFault({
  name: 'ftp-endless-listing',
  summary: 'A listing goes on until the client leaves.',
  works: 'lasting',
  settings: { dot_entries: flag(false, 'with . and .. in front') },
  evidence: ['inferred', 'what a reader without a limit would hold in memory'],
  create: ({ dot_entries }) => ({ ftp: { endlessListing: true, dotEntries: dot_entries } }),
});
