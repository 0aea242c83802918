import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Fault } from '../ui/fault.tsx'
import { Skeleton } from '../ui/parts.tsx'
import { brand, NotFound } from './not-found.tsx'
import { go, path, query, safeNext, signInPath } from './router.ts'
import { match, type Parameters, type Route } from './routes.ts'
import { user } from './session.ts'
import { Bare, Shell } from './shell.tsx'

/** Shows what belongs to the present path, to whom it is for. */
export function Screen() {
  const found = match(path.value)
  const leads = onwards(found?.route)
  useEffect(() => {
    if (leads !== undefined) go(leads, { replace: true })
  }, [leads])
  if (user.value === undefined || leads !== undefined) return <Waiting />
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

/** Where a path leads a person for whom it is not; undefined when it is theirs. */
function onwards(route: Route | undefined): string | undefined {
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
  const [loaded, setLoaded] = useState<{
    load: Route['load']
    Content: ComponentType<Parameters>
  }>()
  const [error, setError] = useState<unknown>()
  const { load, title } = route
  const place = `${load.toString()} ${parameters['id'] ?? ''}`
  const before = useRef<string | undefined>(undefined)

  useEffect(() => {
    let current = true
    document.title = `${title} · ${brand}`
    load().then(
      ({ default: Content }) => current && setLoaded({ load, Content }),
      (cause: unknown) => current && (reloadOnce() || setError(cause)),
    )
    return () => {
      current = false
    }
  }, [load, title])

  const shown = loaded?.load === load ? loaded : undefined
  useEffect(() => {
    if (shown === undefined) return
    // Who reads by ear hears where they have arrived; the first page is announced by the browser itself.
    if (before.current !== undefined && before.current !== place) {
      scrollTo(0, 0)
      document.querySelector('h1')?.focus({ preventScroll: true })
    }
    before.current = place
  }, [shown, place])

  if (error !== undefined)
    return <Fault error="This page could not be loaded. Check your connection and reload." />
  if (shown === undefined) return <Skeleton />
  return <shown.Content key={parameters['id'] ?? ''} {...parameters} />
}

/** A deployment may have replaced the file: the new page knows the new name. Once, so that no fault reloads for ever. */
function reloadOnce(): boolean {
  const key = 'reloaded'
  const last = Number(sessionStorage.getItem(key))
  if (Date.now() - last < 60_000) return false
  sessionStorage.setItem(key, String(Date.now()))
  location.reload()
  return true
}
