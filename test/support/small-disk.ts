/** A disk that a test can fill: a file system in memory of its own, where this user may mount one. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

/** Its folder, or the reason why there is no small disk. */
export async function smallDisk(t: Test, megabytes: number): Promise<{ disk: string } | { reason: string }> {
  const disk = await mkdtemp(join(tmpdir(), 'slm-disk-'));
  const size = `size=${megabytes}m`;
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'none', disk], { encoding: 'utf8' });
  t.teardown(async () => {
    if (status === 0) spawnSync('umount', ['-l', disk]);
    await rm(disk, { recursive: true, force: true });
  });
  return status === 0 ? { disk } : { reason: `no tmpfs can be mounted here: ${stderr?.trim() || 'no mount command'}` };
}

/** To the last page, in a folder that gives the room back when it is removed. */
export async function fill(filler: string): Promise<void> {
  await mkdir(filler);
  for (let size = 1_048_576; size >= 4_096; size /= 2) {
    for (let part = 0; part < 5; part += 1)
      await writeFile(join(filler, `${size}-${part}`), Buffer.alloc(size)).catch(() => {});
  }
}
