import type { DescribedFile } from '#shared/agents/files/container/schema.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Kind } from '../adapters/kinds.ts'
import { traitsOf } from '../adapters/traits.ts'
import { shownName } from '../events/shown-name.ts'
import { mediaTypeOf } from './media-type.ts'
import type { OutgoingFile } from './outgoing-file.ts'

/**
 * Returns a stored file of an agent for a channel that accepts it. A described file has at most 20 MB; `refuses` of a
 * kind's traits checks the limits below that.
 * @throws PlatformError 400 for a file that the service refuses
 */
export function fileToSend(
  file: DescribedFile,
  { kind, path }: { kind: Kind; path: string },
): OutgoingFile {
  const { size, sha256, parts } = file
  const name = shownName(file.name) || 'file'
  const mime = mediaTypeOf(name)
  const reason = size === 0 ? 'The file is empty' : traitsOf(kind).refuses?.({ name, mime, size })
  if (reason !== undefined) throw new PlatformError('bad-request', reason)
  return { path, name, mime, size, sha256, parts }
}
