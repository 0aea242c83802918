import { useEffect } from 'preact/hooks'
import { PlatformError } from '../../../base/platform.ts'
import { size } from '../../../base/size.ts'
import { visible } from '../../../base/visible.ts'
import { plural } from '../../../base/words.ts'
import { FileFault } from './file-fault.tsx'
import { isListedLater } from './send.ts'
import { isOpen, removeUploads, type Upload, uploadAgain, uploads } from './uploads.ts'

const exists = ({ error }: Upload) => error instanceof PlatformError && error.status === 412

/** The uploads to an agent: those in progress, and those that failed. */
export function Uploads({ agentId }: { agentId: string }) {
  const all = uploads.value.filter((each) => each.agentId === agentId)
  const open = all.filter(isOpen)
  const failed = all.filter(({ state }) => state === 'failed')
  const taken = failed.filter(exists)
  const isBusy = open.length > 0

  useEffect(() => {
    if (!isBusy) return undefined
    const warn = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isBusy])

  return (
    <>
      <p class="visually-hidden" role="status">
        {summaryOf(all)}
      </p>
      {all.length > 0 && (
        <section class="card stack" aria-label="Uploads">
          <div class="row">
            <p class="list-main">{isBusy ? countOf(all) : summaryOf(all)}</p>
            {taken.length > 1 && (
              <Button action="Replace all" onClick={() => uploadAgain(taken, true)} />
            )}
            <Button
              action={isBusy ? 'Cancel all' : 'Close'}
              onClick={() => removeUploads(isBusy ? open : all)}
            />
          </div>
          <ul class="uploads">
            {all
              .filter(({ state }) => state === 'sending' || state === 'failed')
              .map((each) => (
                <Item key={each.id} upload={each} />
              ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Item({ upload }: { upload: Upload }) {
  const { path, file, state, sentBytes, error } = upload
  const name = visible(path)
  const isSending = state === 'sending'
  return (
    <li class="row">
      <div class="list-main">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        {isSending ? (
          <p class="meta">
            <progress
              aria-label={name}
              max={file.size}
              {...(isListedLater(file) && { value: sentBytes })}
            />{' '}
            {isListedLater(file) && `${size(sentBytes)} of `}
            {size(file.size)}
          </p>
        ) : exists(upload) ? (
          <p role="alert">A file with this name exists.</p>
        ) : (
          <FileFault error={error} />
        )}
      </div>
      <div class="row">
        {!isSending && (
          <Button
            action={exists(upload) ? 'Replace' : 'Try again'}
            onClick={() => uploadAgain([upload], exists(upload))}
          />
        )}
        <Button action={isSending ? 'Cancel' : 'Skip'} onClick={() => removeUploads([upload])} />
      </div>
    </li>
  )
}

function Button({ action, onClick }: { action: string; onClick(): void }) {
  return (
    <button type="button" class="button small" onClick={onClick}>
      {action}
    </button>
  )
}

const countOf = (all: readonly Upload[]) =>
  `${all.filter((each) => !isOpen(each)).length} of ${plural(all.length, 'file')}`

/**
 * Returns a summary for screen readers. While files are sent, it contains no progress, because each change would be
 * announced.
 */
function summaryOf(all: readonly Upload[]): string {
  if (all.length === 0) return ''
  if (all.some(isOpen)) return `Uploading ${plural(all.length, 'file')}…`
  const done = all.filter(({ state }) => state === 'done')
  const failed = all.length - done.length
  const later = done.some(({ file }) => isListedLater(file))
  return [
    done.length > 0 && `${plural(done.length, 'file')} uploaded.`,
    failed > 0 && `${plural(failed, 'file')} not uploaded.`,
    later && 'Large files are listed within 10 seconds.',
  ]
    .filter(Boolean)
    .join(' ')
}
