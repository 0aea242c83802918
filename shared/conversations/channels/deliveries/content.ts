import { DamagedFiles, packReader } from '#shared/agents/files/packs.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Part } from '../adapters/adapter.ts'
import type { OutgoingFile } from '../messages/outgoing-file.ts'

/**
 * Reads the content of an outgoing file: exactly the bytes that the agent sent and the owner approved.
 * @returns undefined if these bytes are no longer stored
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
