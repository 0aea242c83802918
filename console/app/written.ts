import type * as Writing from './writing.ts'

/** Where the tab keeps what was being written when the session ended by itself. */
const key = 'written'

/** Forms in which something was changed. */
const changed = new WeakSet<HTMLFormElement>()

/** What keeps their fields; most visits write nothing and do without. */
let writing: Promise<typeof Writing | undefined> | undefined

/** Notes from now on in which forms something is written. */
export function startWriting(): void {
  const note = ({ target }: Event) => {
    const form = target instanceof Element ? target.closest('form') : null
    if (form === null) return
    changed.add(form)
    writing ??= load()
  }
  document.addEventListener('input', note, { capture: true })
}

async function load(): Promise<typeof Writing | undefined> {
  try {
    return await import('./writing.ts')
  } catch {
    // Without a line it comes with a later letter.
    writing = undefined
    return undefined
  }
}

/** Keeps what stands in the page's forms for the same user's return. */
export async function keepWriting(userId: string): Promise<void> {
  const loaded = await writing
  loaded?.keepWriting(key, changed, userId)
}

/** Puts back what was kept of a form. @param userId who is there now */
export async function restoreWriting(
  form: HTMLFormElement | null,
  userId: string | undefined,
): Promise<void> {
  if (form === null || sessionStorage.getItem(key) === null) return
  const loaded = await (writing ??= load())
  loaded?.restoreWriting(key, form, userId)
}
