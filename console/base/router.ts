import { computed, signal } from '@preact/signals'

/** The current path and query. */
const address = signal(read())

export const path = computed(() => address.value.pathname)
export const query = computed(() => new URLSearchParams(address.value.search))

function read() {
  const { pathname, search } = globalThis.location
  return { pathname, search }
}

/** Navigates to a path of the console without a page load. */
export function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  address.value = read()
}

/**
 * Returns `next` if it is a path of this origin, otherwise undefined, so that no link to the sign-in page leads to
 * another site.
 */
export function safeNext(next: string | null, origin = location.origin): string | undefined {
  if (next === null) return undefined
  const url = URL.parse(next, origin)
  if (url?.origin !== origin || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search + url.hash
}

/**
 * Loads the pages outside the console that a sign-in can return to: the consent page and the API reference. Only these,
 * so that a link to the sign-in page cannot make the browser request other paths.
 * @returns whether it loads the page
 */
export function loadOutsidePage(to: string): boolean {
  if (!/^\/(?:oauth\/authorize\?|docs(?:#|$))/.test(to)) return false
  location.replace(to)
  return true
}

/** Returns the path of the sign-in page, which returns to the current page. */
export function signInPath(from = path.value + address.value.search): string {
  return withNext('/login', from === '/' ? '/dashboard' : from)
}

/** Returns the path of a page for signed-out users that keeps `next`. */
export function withNext(page: '/login' | '/register', next: string | undefined): string {
  return next === undefined ? page : `${page}?next=${encodeURIComponent(next)}`
}

/** Follows the browser's history, and handles plain clicks on links of the console. */
export function startRouter(owns: (path: string) => boolean): void {
  addEventListener('popstate', () => {
    address.value = read()
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download')) return
    const to = new URL(link.href)
    if (to.origin !== location.origin || !owns(to.pathname)) return
    event.preventDefault()
    go(to.pathname + to.search)
  })
}
