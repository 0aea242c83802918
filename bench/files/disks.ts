import { fork } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Question } from './floor/main.ts'

/** The number of files in one folder. */
const inOneFolder = 100

/** Returns bytes that no other call returns, so that no content is stored once for several files. */
export function newContent(bytes: number): Buffer {
  return randomFillSync(Buffer.allocUnsafe(bytes))
}

/** Returns the path of a file below the data root. */
export function pathOf(n: number): string {
  return `workspace/${Math.floor(n / inOneFolder)}/${n % inOneFolder}`
}

/** Writes files into the workspace of a disk. */
export async function fill(disk: string, files: number, bytes: number): Promise<void> {
  for (let n = 0; n < files; n++) {
    const path = join(disk, pathOf(n))
    if (n % inOneFolder === 0) await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, newContent(bytes))
  }
}

export function newDisk(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'platform-bench-disk-'))
}

/** Gives an empty disk to a piece of work and removes it. */
export async function onFreshDisk<T>(work: (disk: string) => Promise<T>): Promise<T> {
  const disk = await newDisk()
  try {
    return await work(disk)
  } finally {
    await rm(disk, { recursive: true, force: true })
  }
}

/** Starts the process of the floors. */
export function startFloor() {
  const child = fork(join(import.meta.dirname, 'floor', 'main.ts'))
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the floor ended with ${code}`)
  })
  const ask = async (question: Question): Promise<number> => {
    child.send(question)
    const [ms] = (await Promise.race([once(child, 'message'), ended])) as [number]
    return ms
  }
  return {
    /** Returns the milliseconds to copy what links return to a new folder. */
    copy: (links: readonly string[]) => onFreshDisk((to) => ask({ copy: links, to })),
    /** Returns the milliseconds to look at all files of a folder. */
    stat: (folder: string) => ask({ stat: folder }),
    async stop() {
      child.kill()
      await ended.catch(() => {})
    },
  }
}
