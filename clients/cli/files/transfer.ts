import { createWriteStream, openAsBlob } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Platform } from '../../typescript/index.ts'
import { CommandError, exitCodes } from '../failure.ts'

/** The place of a file of an agent. */
export interface Target {
  platform: Platform
  id: string
  path: string
  signal: AbortSignal
}

/** Larger files are uploaded by a link: contract.md 16. */
const directBytes = 4 * 1024 * 1024

/** Writes a file of this computer to an agent. @returns its size in bytes */
export async function uploadFrom(target: Target, file: string): Promise<number> {
  return upload(target, await openAsBlob(file))
}

/** Writes bytes to a file of an agent. @returns their number */
export async function uploadBytes(target: Target, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  return upload(target, new Blob([bytes]))
}

async function upload({ platform, id, path, signal }: Target, content: Blob): Promise<number> {
  const { files } = platform.agents
  const { size } = content
  if (size <= directBytes) {
    await files.put(id, path, new Uint8Array(await content.arrayBuffer()), { signal })
    return size
  }
  const { url, method, headers } = await files.upload(id, { path, size }, { signal })
  const answer = await fetch(url, { method, headers, body: content, signal })
  if (!answer.ok) throw new CommandError(exitCodes.failed, `The upload failed: ${answer.status}`)
  return size
}

/** Writes a file that was read to a file of this computer, which is complete or unchanged. @returns its size in bytes */
export async function downloadTo(answer: Response, file: string): Promise<number> {
  const unfinished = `${file}.${crypto.randomUUID()}.part`
  try {
    await pipeline(Readable.from(answer.body ?? []), createWriteStream(unfinished, { flags: 'wx' }))
    const { size } = await stat(unfinished)
    await rename(unfinished, file)
    return size
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}
