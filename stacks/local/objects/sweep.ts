import { readdir, rm, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** The lifecycle rule of the bucket on AWS, which covers videos only: 30 days. */
const retentionMs = 30 * 86_400_000

const everyMs = 3_600_000

/** Removes videos older than 30 days. */
export async function sweep(folder: string, now = Date.now()): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if (!relative(folder, path).startsWith(`videos${sep}`)) continue
    if ((await stat(path)).mtimeMs < now - retentionMs) await rm(path, { force: true })
  }
}

/** Sweeps immediately and then every hour, until it is closed. */
export function startSweeping(folder: string): { close(): Promise<void> } {
  const once = () =>
    sweep(folder).catch((error: unknown) =>
      process.emitWarning(error instanceof Error ? error : String(error)),
    )
  let sweeping = once()
  const timer = setInterval(() => {
    sweeping = sweeping.then(once)
  }, everyMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await sweeping
    },
  }
}
