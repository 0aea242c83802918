import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Writes the body of a response to a file, which is complete or unchanged. @returns its size in bytes */
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
