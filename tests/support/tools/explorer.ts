import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as group from '#functions/backend/explorer.ts'
import { internalCallerOf } from '../http/internal-caller.ts'
import { startTestTable } from '../platform/table.ts'

/** Starts the explorer's routes over a workspace of their own, next to a folder outside it. */
export async function startExplorer(given: Partial<group.Services> = {}) {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'explorer-')))
  const root = join(dir, 'workspace')
  const outside = join(dir, 'outside')
  await mkdir(root)
  await mkdir(outside)
  const { table, close } = await startTestTable()
  const services = { table, root, deployed: false, login: undefined, ...given }
  const call = internalCallerOf(group, services)
  return {
    dir,
    root,
    outside,
    services,
    call,
    read: (path: string) => call('GET', `/api/browse/read?path=${encodeURIComponent(path)}`),
    write: (path: unknown, content: unknown = 'x') =>
      call('POST', '/api/browse/write', { body: { path, content } }),
    /** Writes a file as another program would. */
    async put(path: string, content: string | Buffer, mode = 0o644) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content, { mode })
    },
    async close() {
      await close()
      await rm(dir, { recursive: true })
    },
  }
}

export type Explorer = Awaited<ReturnType<typeof startExplorer>>
