import type { AgentFileEntry } from '../../../../clients/typescript/index.ts'
import { visible } from '../../../base/visible.ts'
import { Fault } from '../../../ui/fault.tsx'
import { useLoad } from '../../../ui/load.ts'
import { Skeleton } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import { CloseButton, Opened } from './opened.tsx'

interface PreviewProps {
  agentId: string
  entry: AgentFileEntry
  onClose(): void
}

/** Returns whether a file is small enough for a preview. */
export function isShown({ size }: AgentFileEntry): boolean {
  return size !== null && size <= 256 * 1024
}

/** Shows the content of any file as text. */
export function Preview({ agentId, entry, onClose }: PreviewProps) {
  const { path, name, modified } = entry
  const { data, error } = useLoad(`file ${agentId} ${path} ${modified}`, async (signal) => {
    const answer = await agents.files.get(agentId, path, { signal })
    return textIn(await answer.arrayBuffer())
  })
  return (
    <Opened title={visible(name)} class="preview" onClose={onClose}>
      <Fault error={error} />
      {data === undefined && error === undefined && <Skeleton />}
      {data === null && <p>This file is not a text. Download it to open it.</p>}
      {typeof data === 'string' && (
        <pre tabIndex={0} role="region" aria-label="Content" dir="auto">
          {visible(data)}
        </pre>
      )}
      <div class="dialog-end">
        <CloseButton action="Close" />
      </div>
    </Opened>
  )
}

/** Decodes bytes as text. Returns null if they are not UTF-8, or contain a zero byte, as programs and pictures do. */
function textIn(bytes: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
