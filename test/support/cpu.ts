/** CPU time of the other threads of this process. */

/** CPU time in ms, of all threads but this one, over this many ms. Other processes do not change it. */
export async function cpuOfOthers(ms: number): Promise<number> {
  const used = () => {
    const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
    return (all.user + all.system - own.user - own.system) / 1_000;
  };
  const before = used();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return used() - before;
}
