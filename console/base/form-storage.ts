import type * as Writing from './stored-forms.ts'

/** The key in the session storage for input that was interrupted by the end of the session. */
const key = 'written'

/** Forms with changes. */
const changed = new WeakSet<HTMLFormElement>()

/** The code that stores the fields. It is loaded with the first input, because most visits have none. */
let writing: Promise<typeof Writing | undefined> | undefined

/** Starts recording which forms are changed. */
export function startFormStorage(): void {
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
    return await import('./stored-forms.ts')
  } catch {
    // Offline, loading is retried with a later input.
    writing = undefined
    return undefined
  }
}

/** Stores the page's forms until the same user returns. */
export async function storeForms(userId: string): Promise<void> {
  const loaded = await writing
  loaded?.storeForms(key, changed, userId)
}

/**
 * Restores a form.
 * @param userId the current user
 */
export async function restoreForms(
  form: HTMLFormElement | null,
  userId: string | undefined,
): Promise<void> {
  if (form === null || sessionStorage.getItem(key) === null) return
  const loaded = await (writing ??= load())
  loaded?.restoreForms(key, form, userId)
}
