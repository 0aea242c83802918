import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { Files, type FilesOptions } from '../files.ts'
import { PlayedStore } from './played-store.ts'

/** Starts a played store for each test, with any number of disks. */
export function useStore() {
  let store: PlayedStore
  const disks: string[] = []
  const opened: Files[] = []
  let generation = 0
  const on = {
    get store() {
      return store
    },
    /** The log lines of all containers. */
    lines: [] as string[],
    /** The number of containers that were told that another one has the files. */
    held: 0,
    /** Creates an empty disk. @returns its path */
    async disk(): Promise<string> {
      const disk = await mkdtemp(join(tmpdir(), 'agent-files-test-'))
      disks.push(disk)
      return disk
    },
    /** Starts a container with a disk: restores its files. */
    async open(root: string, more: Partial<FilesOptions> = {}): Promise<Files> {
      const files = await Files.restore({
        root,
        baseUrl: new URL(`${store.origin}/v1`),
        apiKey: 'ak_1',
        generation: ++generation,
        log: (line) => void on.lines.push(line),
        onHeld: () => void on.held++,
        ...more,
      })
      opened.push(files)
      return files
    },
  }
  beforeEach(async () => {
    store = await PlayedStore.start()
    on.lines = []
    on.held = 0
  })
  afterEach(async () => {
    store.fault = () => undefined
    for (const files of opened.splice(0)) await files.close()
    await store[Symbol.asyncDispose]()
    for (const disk of disks.splice(0)) await rm(disk, { recursive: true, force: true })
  })
  return on
}
