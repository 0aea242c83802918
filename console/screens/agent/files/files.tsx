import { useEffect, useRef, useState } from 'preact/hooks'
import { query } from '../../../base/router.ts'
import { Fault } from '../../../ui/fault.tsx'
import type { TabProps } from '../tab.ts'
import { Crumbs } from './crumbs.tsx'
import { filesOf } from './dropped.ts'
import { Folder } from './folder.tsx'
import { Uploads } from './uploads-view.tsx'
import { addUploads } from './uploads.ts'
import './files.css'

/** The files of an agent that stay when it stops. The URL names the current folder. */
export default function Files({ agent }: TabProps) {
  const { id } = agent
  const path = query.value.get('path') ?? ''
  const current = useRef<HTMLElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const [fault, setFault] = useState<string>()

  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    // The whole page accepts files, because a browser opens a file that is dropped beside the list.
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setIsOver(event.type === 'dragover')
    }
    document.addEventListener('dragover', over, { signal })
    document.addEventListener('dragleave', over, { signal })
    document.addEventListener(
      'drop',
      (event) => {
        over(event)
        const { dataTransfer } = event
        if (dataTransfer === null) return
        setFault(undefined)
        filesOf(dataTransfer).then(
          (files) => addUploads(id, path, files),
          () => setFault('The files could not be read.'),
        )
      },
      { signal },
    )
    return () => ended.abort()
  }, [id, path])

  return (
    <section class="stack files" aria-label="Files" data-over={isOver}>
      <div class="head">
        <Crumbs agentId={id} path={path} current={current} />
        <input
          ref={input}
          type="file"
          aria-label="Files to upload"
          multiple
          hidden
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])]
            addUploads(
              id,
              path,
              files.map((file) => ({ name: file.name, file })),
            )
            currentTarget.value = ''
          }}
        />
        <button type="button" class="button primary" onClick={() => input.current?.click()}>
          Upload files
        </button>
      </div>
      <Fault error={fault} />
      <Uploads agentId={id} />
      <Folder key={path} agent={agent} path={path} onLost={() => current.current?.focus()} />
    </section>
  )
}
