import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visible } from '../../../base/visible.ts'
import { folderPath } from './address.ts'

interface CrumbsProps {
  agentId: string
  path: string
  /** The element of the current folder, which takes the focus if its control is removed. */
  current: RefObject<HTMLElement | null>
}

/** The folders from the workspace to the current one. */
export function Crumbs({ agentId, path, current }: CrumbsProps) {
  const before = useRef(path)
  useEffect(() => {
    // The link that opened the folder is gone. The focus here announces the folder.
    if (before.current !== path) current.current?.focus()
    before.current = path
  }, [path, current])
  const names = path === '' ? [] : path.split('/')
  return (
    <nav aria-label="Folder">
      <ol class="crumbs">
        {['Files', ...names].map((name, i) => (
          <li key={names.slice(0, i).join('/')}>
            {i === names.length ? (
              <strong ref={current} tabIndex={-1} aria-current="page">
                <bdi>{visible(name)}</bdi>
              </strong>
            ) : (
              <a href={folderPath(agentId, names.slice(0, i).join('/'))}>
                <bdi>{visible(name)}</bdi>
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}
