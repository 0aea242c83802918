import { useState } from 'preact/hooks'
import type { AgentFileEntry } from '../../../../clients/typescript/index.ts'
import { size } from '../../../base/size.ts'
import { visible } from '../../../base/visible.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Ago } from '../../../ui/parts.tsx'
import { agents } from '../client.ts'
import { contentPath, folderPath } from './address.ts'
import { Move } from './move.tsx'
import { isShown, Preview } from './preview.tsx'

interface EntryProps {
  agentId: string
  entry: AgentFileEntry
  /** Called after a change, with its description. */
  onChange(what: string): void
}

/** A file or folder with its actions. */
export function Entry({ agentId, entry, onChange }: EntryProps) {
  const [opened, setOpened] = useState<'move' | 'preview'>()
  const { path, modified } = entry
  const isFolder = entry.type === 'folder'
  const name = visible(entry.name)
  const shown = <bdi>{name}</bdi>
  const close = () => setOpened(undefined)
  return (
    <li>
      {isFolder ? (
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M3.5 18V6h6l2 2.500h9V18z" />
        </svg>
      ) : (
        <Icon name="note" />
      )}
      <div class="list-main">
        {isFolder ? (
          <a href={folderPath(agentId, path)}>
            {shown}
            <span class="visually-hidden"> (folder)</span>
          </a>
        ) : isShown(entry) ? (
          <button type="button" class="file-name" onClick={() => setOpened('preview')}>
            {shown}
          </button>
        ) : (
          <strong>{shown}</strong>
        )}
        <p class="meta">
          {entry.size !== null && `${size(entry.size)}, `}
          <Ago at={modified} />
        </p>
      </div>
      <div class="row">
        {!isFolder && (
          <a class="button small" href={contentPath(agentId, path)} download={entry.name}>
            Download
          </a>
        )}
        <button type="button" class="button small" onClick={() => setOpened('move')}>
          Rename
        </button>
        <Confirm
          action="Delete"
          question={`Delete ${name}?`}
          class="small"
          onConfirm={async () => {
            await agents.files.delete(agentId, path, { recursive: isFolder })
            onChange(`Deleted ${name}.`)
          }}
        >
          {isFolder && 'All files and folders in it are deleted too. '}
          Only a restore point can bring {isFolder ? 'them' : 'it'} back.
        </Confirm>
      </div>
      {opened === 'move' && (
        <Move agentId={agentId} entry={entry} onChange={onChange} onClose={close} />
      )}
      {opened === 'preview' && <Preview agentId={agentId} entry={entry} onClose={close} />}
    </li>
  )
}
