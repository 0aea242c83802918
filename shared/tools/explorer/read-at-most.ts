import type { FileHandle } from 'node:fs/promises'

/**
 * Reads the rest of a file, which may grow in the meantime, so its size alone does not prove that it is small enough.
 * @returns undefined beyond `maxBytes`
 */
export async function readAtMost(file: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let total = 0
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536))
    if (bytesRead === 0) return Buffer.concat(chunks)
    total += bytesRead
    if (total > maxBytes) return undefined
    chunks.push(buffer.subarray(0, bytesRead))
  }
}
