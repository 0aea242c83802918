import { DamagedFiles, packReader } from '#shared/agents/files/packs.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Part } from '../adapters/adapter.ts'
import type { OutgoingFile } from '../messages/outgoing-file.ts'

/**
 * Reads the content of a file that is sent: exactly the bytes that its agent sent and its owner approved.
 * @returns undefined if they are no longer stored
 */
export async function filePart(
  { packs }: Can<'packs'>,
  agentId: string,
  { name, mime, size, sha256, parts }: OutgoingFile,
): Promise<Extract<Part, { file: object }> | undefined> {
  try {
    const body = new Uint8Array(await packReader(packs, agentId).readFile(parts, 0, size))
    return (await sha256Hex(body)) === sha256 ? { file: { name, mime, body } } : undefined
  } catch (error) {
    if (error instanceof DamagedFiles) return undefined
    throw error
  }
}
