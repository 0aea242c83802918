import type { FileHandle } from 'node:fs/promises'
import { Problem } from '../http/problem.ts'
import { namingFaults } from './fault.ts'
import { openFolder } from './folder.ts'
import { namesIn } from './path.ts'
import { beginningOf } from './result.ts'

/** More bytes than the longest result: a character of UTF-16 has at most three bytes in UTF-8. */
const chunkBytes = 48_000

interface ReadText {
  /** In bytes. */
  size: number
  text: string
  /** The offset of the text that follows; absent at the end of the file. */
  next?: number
}

/**
 * Reads a text file of the workspace, or a part of it that fits into a result.
 * @param offset the first byte: 0, or `next` of an earlier result
 * @throws Problem for a file that is missing or contains no text
 */
export async function readFile(
  workspace: string,
  { path, offset }: { path: string; offset: number },
): Promise<ReadText> {
  const names = namesIn(path)
  const work = async () => {
    await using folder = await openFolder(workspace, names.slice(0, -1))
    await using file = await folder.open(names.at(-1) ?? '')
    return { size: await sizeOf(file, path), bytes: await readChunk(file, offset, chunkBytes) }
  }
  const { size, bytes } = await namingFaults(path, work())
  if (offset > size)
    throw new Problem(400, 'bad_offset', `offset must be at most the size, ${size}`)
  const decoded = textIn(bytes)
  if (decoded === undefined)
    throw new Problem(400, 'no_text', `“${path}” is not text in UTF-8 (${size} bytes)`)
  const text = beginningOf(decoded)
  const next = offset + Buffer.byteLength(text)
  return { size, text, ...(text !== '' && next < size && { next }) }
}

async function sizeOf(file: FileHandle, path: string): Promise<number> {
  const info = await file.stat()
  if (info.isFile()) return info.size
  const kind = info.isDirectory() ? 'a folder' : 'not a regular file'
  throw new Problem(400, 'no_file', `“${path}” is ${kind}`)
}

/** Reads at most `length` bytes. */
export async function readChunk(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
  return buffer.subarray(0, bytesRead)
}

/** Returns the text in the beginning of a file, without a character that is cut at the end; undefined for other data. */
export function textIn(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: true,
    })
  } catch {
    return undefined
  }
}
