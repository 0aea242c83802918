import { computed, signal } from '@preact/signals'

/** Where the browser is: path and query. */
const address = signal(read())

export const path = computed(() => address.value.pathname)
export const query = computed(() => new URLSearchParams(address.value.search))

function read() {
  const { pathname, search } = globalThis.location
  return { pathname, search }
}

/** Goes to a path of the console without loading the page anew. */
export function go(to: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  address.value = read()
}

/**
 * The path that `next` names, if it is one of this origin; anything else counts as absent, so that no link to the sign-in
 * page leads a person to another site.
 */
export function safeNext(next: string | null, origin = location.origin): string | undefined {
  if (next === null) return undefined
  const url = URL.parse(next, origin)
  if (url?.origin !== origin || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search + url.hash
}

/** The sign-in page, which leads back to where the person is. */
export function signInPath(from = path.value + address.value.search): string {
  return `/login?next=${encodeURIComponent(from === '/' ? '/dashboard' : from)}`
}

/** Follows the browser's own steps, and takes over plain clicks on links of the console. */
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
