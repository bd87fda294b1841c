/** Looks for Python and its packages on this computer. */
import { spawnSync } from 'node:child_process';

const works = (program: string): boolean => spawnSync('python3', ['-c', program]).status === 0;

export const HAS_PYTHON = works('import sys; sys.exit(sys.version_info < (3, 9))');
/** As new as `verify.py` needs it. */
export const HAS_CRYPTOGRAPHY = works('from cryptography.x509 import Certificate; Certificate.not_valid_after_utc');
/** Options of a test that needs Python. */
export const needsPython = { skip: HAS_PYTHON ? false : 'no python3' };
