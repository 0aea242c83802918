import { useEffect, useRef } from 'preact/hooks'
import { loadOutsidePage, go, path, query, safeNext, signInPath } from '../base/router.ts'
import { user } from '../base/session.ts'
import { Fault } from '../ui/fault.tsx'
import { useLazy } from '../ui/lazy.ts'
import { brand, NotFound } from '../ui/not-found.tsx'
import { Skeleton } from '../ui/parts.tsx'
import { match, type Parameters, type Route } from './routes.ts'
import { Bare, Shell } from './shell.tsx'

/** Shows the screen of the current path, or redirects if it is not for this user. */
export function Screen() {
  const found = match(path.value)
  const redirect = redirectFor(found?.route)
  useEffect(() => {
    if (redirect !== undefined && !loadOutsidePage(redirect)) go(redirect, { replace: true })
  }, [redirect])
  if (user.value === undefined || redirect !== undefined) return <Waiting />
  if (found === undefined)
    return user.value === null ? (
      <Bare>
        <NotFound />
      </Bare>
    ) : (
      <Shell>
        <NotFound />
      </Shell>
    )
  const Frame = found.route.for === 'signed-in' && found.route.bare !== true ? Shell : Bare
  return (
    <Frame>
      <Lazy route={found.route} parameters={found.parameters} />
    </Frame>
  )
}

/** Returns where to redirect a user. Undefined if the route is for them. */
function redirectFor(route: Route | undefined): string | undefined {
  if (user.value === undefined) return undefined
  const signedIn = user.value !== null
  if (path.value === '/') return signedIn ? '/dashboard' : signInPath('/dashboard')
  if (route?.for === 'signed-in' && !signedIn) return signInPath()
  if (route?.for === 'signed-out' && signedIn) {
    const next = safeNext(query.value.get('next'))
    return next === undefined || next.startsWith(path.value) ? '/dashboard' : next
  }
  return undefined
}

function Waiting() {
  return (
    <main class="bare">
      <Skeleton />
    </main>
  )
}

function Lazy({ route, parameters }: { route: Route; parameters: Parameters }) {
  const { load, title } = route
  const { Content, error } = useLazy(load)
  const place = `${load.toString()} ${parameters['id'] ?? ''}`
  const before = useRef<string | undefined>(undefined)

  useEffect(() => {
    document.title = `${title} · ${brand}`
  }, [load, title])

  useEffect(() => {
    if (Content === undefined) return
    // Screen readers announce the new page. The browser itself announces the first one.
    if (before.current !== undefined && before.current !== place) {
      scrollTo(0, 0)
      document.querySelector('h1')?.focus({ preventScroll: true })
    }
    before.current = place
  }, [Content, place])

  if (error !== undefined) return <Fault error={error} />
  if (Content === undefined) return <Skeleton />
  return <Content key={parameters['id'] ?? ''} {...parameters} />
}
