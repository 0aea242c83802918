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

/** Writes a file of an agent. @returns its size in bytes */
export async function upload(
  { platform, id, path, signal }: Target,
  content: Blob,
): Promise<number> {
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
