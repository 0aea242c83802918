/** The floors, in a process of their own as the agent's program is. */
import { createWriteStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type Question =
  | { copy: readonly string[]; to: string }
  /** A folder whose files are looked at, as each scan must do. */
  | { stat: string }

/** The number of requests at the same time, as in a restore. */
const parallel = 16

const attempts = 5

process.on('message', async (question: Question) => {
  const startedAt = performance.now()
  if ('copy' in question) await copy(question.copy, question.to)
  else await look(question.stat)
  process.send?.(performance.now() - startedAt)
})

/** Copies what links return to files of a folder. */
async function copy(links: readonly string[], to: string): Promise<void> {
  const waiting = links.entries()
  const worker = async () => {
    for (const [n, url] of waiting) await retried(() => copyOne(url, join(to, String(n))))
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

async function copyOne(url: string, to: string): Promise<void> {
  const { ok, status, body } = await fetch(url)
  if (!ok || body === null) throw new Error(`the store answered ${status}`)
  await pipeline(Readable.fromWeb(body), createWriteStream(to))
}

/** A restore repeats a request too. On a busy machine, the store may close an idle connection that is used again. */
async function retried(work: () => Promise<void>): Promise<void> {
  for (let left = attempts; left > 1; left--)
    try {
      return await work()
    } catch {}
  await work()
}

async function look(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await look(path)
    else await lstat(path)
  }
}
