import { effect, signal } from '@preact/signals'
import { go } from '../base/router.ts'
import { user } from '../base/session.ts'
import { places } from './places.ts'

const key = 'single-keys'

/** The setting for single-key shortcuts. Users of speech input turn them off (WCAG 2.1.4). */
export const singleKeys = signal(localStorage.getItem(key) !== 'off')

/** The state of the command menu: true if open. */
export const menu = signal(false)

/** The time that `g` waits for the next key, in milliseconds. */
const waits = 1500

/** Ctrl+K or ⌘K opens the command menu, `/` focuses the page's search, `g` and a letter open a page. */
export function startShortcuts(): void {
  effect(() => {
    if (singleKeys.value) localStorage.removeItem(key)
    else localStorage.setItem(key, 'off')
  })
  let goingSince = Number.NEGATIVE_INFINITY
  addEventListener('keydown', (event) => {
    if (!user.value || event.defaultPrevented || event.isComposing || event.altKey) return
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      if (document.querySelector('dialog:modal') === null) menu.value = true
      return
    }
    if (!singleKeys.value || event.ctrlKey || event.metaKey || isBusy(event.target)) return
    const isGoing = event.timeStamp - goingSince < waits
    goingSince = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
    const place = isGoing ? places.value.find(({ letter }) => letter === event.key) : undefined
    const search = document.querySelector<HTMLElement>('[type=search]')
    if (place !== undefined) go(place.to)
    else if (event.key !== '/') return
    else if (search === null) menu.value = true
    else search.focus()
    event.preventDefault()
  })
}

/** Returns whether keys have another use: the user types, or a dialog is open. */
function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog:modal') !== null) return true
  return target instanceof Element && target.closest('input, textarea, select') !== null
}
