import { signal } from '@preact/signals'
import { leaveIfSignedOut } from '../../../base/session.ts'
import type { NamedFile } from './dropped.ts'
import { sendFile } from './send.ts'

export interface Upload {
  id: number
  agentId: string
  path: string
  file: File
  state: 'waiting' | 'sending' | 'done' | 'failed'
  sentBytes: number
  replace: boolean
  /** Cancels the current request. */
  controller?: AbortController
  error?: unknown
}

/** Returns whether an upload has not ended. */
export const isOpen = ({ state }: Upload) => state === 'waiting' || state === 'sending'

/** Uploads of this many files at the same time. */
const parallel = 3

/** All uploads of the page. They continue while the user looks at other pages. */
export const uploads = signal<readonly Upload[]>([])

let lastId = 0

/** Uploads files to a folder of an agent. */
export function addUploads(agentId: string, folder: string, files: readonly NamedFile[]): void {
  const added = files.map(({ name, file }): Upload => ({
    id: ++lastId,
    agentId,
    path: folder === '' ? name : `${folder}/${name}`,
    file,
    state: 'waiting',
    sentBytes: 0,
    replace: false,
  }))
  if (added.length === 0) return
  uploads.value = [...uploads.value.filter(({ state }) => state !== 'done'), ...added]
  startNext()
}

/** Uploads failed files again. */
export function uploadAgain(again: readonly Upload[], replace: boolean): void {
  for (const each of again)
    change(each, {
      state: 'waiting',
      sentBytes: 0,
      error: undefined,
      replace: each.replace || replace,
    })
  startNext()
}

/** Cancels uploads, and removes them from the list. */
export function removeUploads(removed: readonly Upload[]): void {
  const all = new Set(removed)
  uploads.value = uploads.value.filter((each) => !all.has(each))
  for (const { controller } of removed) controller?.abort()
}

function startNext(): void {
  const sending = uploads.value.filter(({ state }) => state === 'sending').length
  const next = uploads.value.filter(({ state }) => state === 'waiting')
  for (const upload of next.slice(0, Math.max(0, parallel - sending))) void start(upload)
}

async function start(upload: Upload): Promise<void> {
  const controller = new AbortController()
  change(upload, { state: 'sending', controller })
  const { signal } = controller
  try {
    await sendFile(upload, { signal, onProgress: (sentBytes) => change(upload, { sentBytes }) })
    change(upload, { state: 'done' })
  } catch (error) {
    leaveIfSignedOut(error)
    change(upload, { state: 'failed', error })
  } finally {
    startNext()
  }
}

/** Changes an upload. It may have been removed from the list. */
function change(upload: Upload, to: Partial<Upload>): void {
  Object.assign(upload, to)
  uploads.value = [...uploads.value]
}
