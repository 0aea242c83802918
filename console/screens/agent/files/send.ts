import { ConnectionError } from '../../../../clients/typescript/core/errors.ts'
import type { AgentFileUpload } from '../../../../clients/typescript/index.ts'
import { now } from '../../../base/clock.ts'
import { PlatformError } from '../../../base/platform.ts'
import { InputError } from '../../../base/words.ts'
import { agents } from '../client.ts'

/** The maximum size of a direct upload, and of one by a link: contract.md 16. */
const directBytes = 4_194_304
const linkBytes = 5 * 1024 ** 3

/** Enough for a direct upload over a slow connection. */
const timeoutMs = 600_000

/**
 * Unused links by agent, path and size. Each reserves its size in the storage, so a repeated upload uses the same one.
 */
const links = new Map<string, AgentFileUpload>()

interface Sending {
  agentId: string
  path: string
  file: File
  /** True to replace an existing file. */
  replace: boolean
}

interface Options {
  signal: AbortSignal
  onProgress(bytes: number): void
}

/** Returns whether a file of this size is listed only some seconds after its upload. */
export function isListedLater({ size }: File): boolean {
  return size > directBytes
}

/** Writes a file of an agent. @throws PlatformError 412 if it exists and is not to be replaced */
export async function sendFile(
  { agentId, path, file, replace }: Sending,
  sending: Options,
): Promise<void> {
  if (file.size > linkBytes) throw new InputError('A file can have at most 5 GB.')
  const { files } = agents
  // A rate limit or a commit by another writer must not end an upload of many files.
  const options = { signal: sending.signal, timeoutMs, maxRetries: 3 }
  if (!isListedLater(file)) {
    const condition = replace ? {} : { ifNoneMatch: '*' }
    await files.put(agentId, path, file, { ...options, ...condition })
    return
  }
  if (!replace && (await exists(agentId, path, options)))
    throw new PlatformError('The file exists', { status: 412 })
  const key = [agentId, path, file.size].join('/')
  for (;;) {
    const kept = links.get(key)
    const isKept = kept !== undefined && Date.parse(kept.expiresAt) > now() + 60_000
    const link = isKept ? kept : await files.upload(agentId, { path, size: file.size }, options)
    links.set(key, link)
    const status = await sendTo(link, file, sending)
    links.delete(key)
    if (status < 300) return
    // An upload whose response was lost may have used the link. Another one then sends the file again.
    if (!isKept) throw new PlatformError('The storage did not accept the file', { status })
  }
}

/** Asks by a condition that every file meets, so that the response has no content. */
async function exists(agentId: string, path: string, options: object): Promise<boolean> {
  try {
    const headers = { 'if-none-match': '*' }
    await agents.files.get(agentId, path, { ...options, headers })
    return true
  } catch (error) {
    if (error instanceof PlatformError && error.status === 404) return false
    throw error
  }
}

/** Sends a file to a link. `fetch` does not report the progress of a request. @returns the status */
function sendTo(
  { method, url, headers }: AgentFileUpload,
  file: File,
  { signal, onProgress }: Options,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('load', () => resolve(request.status))
    request.addEventListener('error', () => reject(new ConnectionError('No answer')))
    signal.addEventListener('abort', () => {
      request.abort()
      reject(signal.reason as Error)
    })
    request.send(file)
  })
}
