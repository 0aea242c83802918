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

/**
 * Has the browser ask the platform for the addresses outside the console that a sign-in leads back to: the question whether
 * a program is let in, and the API reference. No other, because what a link to the sign-in page names must not be asked for.
 * @returns whether it does
 */
export function askedAnew(to: string): boolean {
  if (!/^\/(?:oauth\/authorize\?|docs(?:#|$))/.test(to)) return false
  location.replace(to)
  return true
}

/** The sign-in page, which leads back to where the person is. */
export function signInPath(from = path.value + address.value.search): string {
  return withNext('/login', from === '/' ? '/dashboard' : from)
}

/** A page for people who are not signed in, which leads on to where another such page would. */
export function withNext(page: '/login' | '/register', next: string | undefined): string {
  return next === undefined ? page : `${page}?next=${encodeURIComponent(next)}`
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
