import { readCommitted } from '#shared/agents/files/read-committed.ts'
import { ownerOf, type Agent } from '#shared/agents/record/agent.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { adapterOf } from '../adapters/index.ts'
import type { Kind } from '../adapters/kinds.ts'
import { sentFile } from '../adapters/limits.ts'
import { shownName } from '../events/shown-name.ts'
import { mediaTypeOf } from './media-type.ts'
import type { OutgoingFile } from './outgoing-file.ts'

/**
 * Returns a committed file of an agent, with its hash, for a channel that accepts it.
 * @throws PlatformError 400 for a file that the service refuses, 404, 413
 */
export async function fileToSend(
  ctx: Pick<Context, 'table'> & Can<'packs'>,
  { agent, kind, path }: { agent: Agent; kind: Kind; path: string },
): Promise<OutgoingFile> {
  const ref = { userId: ownerOf(agent), agentId: agent.id }
  const file = await readCommitted(ctx, { ...ref, path, most: sentFile })
  const name = shownName(file.name) || 'file'
  const mime = mediaTypeOf(name)
  const size = file.content.length
  const reason = size === 0 ? 'The file is empty' : adapterOf(kind).refuses?.({ name, mime, size })
  if (reason !== undefined) throw new PlatformError('bad-request', reason)
  const parts = file.parts.map(
    ([pack, offset, length]) => [pack, offset, length] as [string, number, number],
  )
  return { path, name, mime, size, sha256: await sha256Hex(file.content), parts }
}
